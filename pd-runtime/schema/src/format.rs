//! The formats of JSON Schema (Validation 2020-12, section 7.3). Unknown formats constrain nothing.
//!
//! Internationalized hostnames and addresses are checked for length and separators, not by the
//! tables of IDNA.

mod address;
mod time;
mod uri;

use super::pattern;

/// Returns whether a text has a format.
pub(super) fn matches(format: StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Date => time::is_date(text),
        StringFormat::Time => time::is_time(text),
        StringFormat::DateTime => time::is_date_time(text),
        StringFormat::Duration => time::is_duration(text),
        StringFormat::Email => address::is_email(text, false),
        StringFormat::IdnEmail => address::is_email(text, true),
        StringFormat::Hostname => address::is_hostname(text, false),
        StringFormat::IdnHostname => address::is_hostname(text, true),
        // The parser refuses leading zeros, which some systems read as octal (RFC 6943, section
        // 3.1.1).
        StringFormat::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
        StringFormat::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
        StringFormat::Uri => uri::is_uri(text, false),
        StringFormat::UriReference => uri::is_reference(text, false),
        StringFormat::Iri => uri::is_uri(text, true),
        StringFormat::IriReference => uri::is_reference(text, true),
        StringFormat::UriTemplate => uri::is_template(text),
        StringFormat::Uuid => is_uuid(text),
        StringFormat::JsonPointer => is_pointer(text),
        StringFormat::RelativeJsonPointer => is_relative_pointer(text),
        StringFormat::Regex => pattern::is_valid(text),
    }
}

/// A format that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringFormat {
    Date,
    Time,
    DateTime,
    Duration,
    Email,
    IdnEmail,
    Hostname,
    IdnHostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Iri,
    IriReference,
    UriTemplate,
    Uuid,
    JsonPointer,
    RelativeJsonPointer,
    Regex,
}

const NAMES: [(&str, StringFormat); 19] = [
    ("date", StringFormat::Date),
    ("time", StringFormat::Time),
    ("date-time", StringFormat::DateTime),
    ("duration", StringFormat::Duration),
    ("email", StringFormat::Email),
    ("idn-email", StringFormat::IdnEmail),
    ("hostname", StringFormat::Hostname),
    ("idn-hostname", StringFormat::IdnHostname),
    ("ipv4", StringFormat::Ipv4),
    ("ipv6", StringFormat::Ipv6),
    ("uri", StringFormat::Uri),
    ("uri-reference", StringFormat::UriReference),
    ("iri", StringFormat::Iri),
    ("iri-reference", StringFormat::IriReference),
    ("uri-template", StringFormat::UriTemplate),
    ("uuid", StringFormat::Uuid),
    ("json-pointer", StringFormat::JsonPointer),
    ("relative-json-pointer", StringFormat::RelativeJsonPointer),
    ("regex", StringFormat::Regex),
];

impl StringFormat {
    pub(super) fn parse(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, format)| *format)
    }

    pub(super) fn as_str(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, format)| *format == self)
            .map_or("", |(name, _)| name)
    }
}

/// RFC 9562, section 4.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// RFC 6901, section 3.
fn is_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text
            .match_indices('~')
            .all(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')))
}

/// A number without leading zeros, and `#` or a JSON pointer.
fn is_relative_pointer(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let is_number = !number.is_empty() && (number == "0" || !number.starts_with('0'));
    is_number && (rest == "#" || is_pointer(rest))
}
