//! Percent-decoding (RFC 3986, section 2.1).

use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Decodes a text. Returns `None` if the result is not UTF-8. A percent sign that does not start an
/// escape stays.
pub fn decode(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_read_and_nothing_else() {
        for (encoded, plain) in [
            ("", ""),
            ("plain", "plain"),
            ("Node%20of", "Node of"),
            ("%24defs", "$defs"),
            ("%c3%A9", "é"),
            ("1%", "1%"),
            ("%2", "%2"),
            ("%zz%+1", "%zz%+1"),
            ("%%20", "% "),
            ("%2525", "%25"),
        ] {
            assert_eq!(decode(encoded).as_deref(), Some(plain), "{encoded}");
        }
        assert_eq!(decode("%ff"), None);
    }
}
