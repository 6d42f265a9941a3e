//! The comparison of `Mcp-Param-*` headers with a call's arguments (SEP-2243).
//!
//! rmcp's transport compares them before the caller is known, so its error would distinguish a
//! hidden tool from an unknown one. Therefore `get_tool` returns no tool to rmcp, and each call is
//! compared here, once it is known that the tool exists for its caller. The errors are rmcp's own,
//! word for word.

use crate::{
    catalog::header_arguments::HeaderArgument,
    protocol::headers::{self, PARAM_PREFIX, VERSION},
};
use http::HeaderMap;
use rmcp::{
    ErrorData, RoleServer,
    model::{JsonObject, ProtocolVersion},
    service::RequestContext,
};

/// Compares a call's headers with the arguments that the tool's schema marks. A call that did not
/// come over HTTP, or that uses a protocol version before 2026-07-28, has no such headers.
///
/// # Errors
///
/// Returns error -32020 if a header is missing, superfluous or duplicated, or differs from its
/// argument.
pub(super) fn check(
    marked: &[HeaderArgument],
    arguments: Option<&JsonObject>,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    // Few tools mark arguments, so most calls end here without a look at the headers.
    if marked.is_empty() {
        return Ok(());
    }
    let headers = context
        .extensions
        .get::<http::request::Parts>()
        .map(|parts| &parts.headers);
    let Some(headers) = headers.filter(|headers| is_comparable(headers)) else {
        return Ok(());
    };
    let compared = marked
        .iter()
        .try_for_each(|argument| compare(headers, argument, arguments));
    compared.map_err(|reason| ErrorData::header_mismatch(reason, None))
}

fn is_comparable(headers: &HeaderMap) -> bool {
    let version = headers
        .get(VERSION)
        .and_then(|version| version.to_str().ok());
    // Protocol versions are ISO dates, so they compare as text.
    version.is_some_and(|version| version >= ProtocolVersion::STANDARD_HEADERS.as_str())
}

fn compare(
    headers: &HeaderMap,
    argument: &HeaderArgument,
    arguments: Option<&JsonObject>,
) -> Result<(), String> {
    let name = format!("{PARAM_PREFIX}{}", argument.header);
    let property = || argument.path.join(".");
    match (only_value(headers, &name)?, argument.text(arguments)) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(format!(
            "unexpected {name} header for absent or null `{}`",
            property()
        )),
        (None, Some(_)) => Err(format!("missing {name} header for `{}`", property())),
        (Some(value), Some(expected)) => {
            let decoded = headers::decode(value)
                .ok_or_else(|| format!("{name} header is not valid Base64"))?;
            if decoded == expected {
                Ok(())
            } else {
                Err(format!(
                    "{name} header `{decoded}` does not match body value `{expected}`"
                ))
            }
        }
    }
}

/// Returns the only value of a header. Two values are an error, because an intermediary may have
/// read the other one.
fn only_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(format!("duplicate {name} header"));
    }
    value
        .to_str()
        .map(Some)
        .map_err(|_| format!("{name} header contains invalid characters"))
}
