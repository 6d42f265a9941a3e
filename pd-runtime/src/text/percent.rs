//! Percent-decoding (RFC 3986, section 2.1).

/// Decodes a text. Returns `None` if the result is not UTF-8. A percent sign that does not start an
/// escape stays.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped_byte = after.first_chunk().filter(|_| *first == b'%').and_then(byte);
        bytes.push(escaped_byte.unwrap_or(*first));
        rest = after.get(if escaped_byte.is_some() { 2 } else { 0 }..)?;
    }
    String::from_utf8(bytes).ok()
}

fn byte(digits: &[u8; 2]) -> Option<u8> {
    // `from_str_radix` would also accept a sign.
    let digits = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(digits, 16).ok()
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
