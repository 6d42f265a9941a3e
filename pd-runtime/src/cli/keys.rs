//! The file with the ticket keys.

use super::CliError;
use crate::{disclosure::gate::ticket::parse_key, text::regular_file};
use std::{io::ErrorKind, path::Path};

/// The current key, and the previous keys that are still accepted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TicketKeys {
    pub(super) current: [u8; 32],
    pub(super) previous: Vec<[u8; 32]>,
}

/// Reads the keys in a file. Errors never contain the file's content, which is secret.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if it contains neither 32 bytes nor lines of 64
/// hexadecimal digits.
pub(super) fn read(file: &Path) -> Result<TicketKeys, CliError> {
    let bytes = regular_file::read(file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => unusable(
            file,
            &format_args!("{error}; make one with `openssl rand -hex 32`"),
        ),
        _ => unusable(file, &error),
    })?;
    Ok(parse(&bytes).map_err(|error| unusable(file, &error))?)
}

fn unusable(file: &Path, error: &dyn std::fmt::Display) -> String {
    format!("no ticket key in {}: {error}", file.display())
}

fn parse(bytes: &[u8]) -> Result<TicketKeys, String> {
    // A file of exactly 32 bytes is a binary key. Text has at least 64 bytes, so the two forms
    // cannot be confused.
    if let Ok(current) = bytes.try_into() {
        return Ok(TicketKeys {
            current,
            previous: Vec::new(),
        });
    }
    let make_one =
        "write 32 random bytes, or 64 hexadecimal digits, as `openssl rand -hex 32` does";
    let text = std::str::from_utf8(bytes).map_err(|_| make_one.to_owned())?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let keys = lines.map(|(number, line)| {
        parse_key(line.trim()).ok_or(format!("line {} is not a key; {make_one}", number + 1))
    });
    let mut keys = keys.collect::<Result<Vec<_>, _>>()?.into_iter();
    let current = keys.next().ok_or(make_one)?;
    Ok(TicketKeys {
        current,
        previous: keys.collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_key_is_bytes_or_digits_and_older_ones_follow() {
        assert_eq!(
            parse(&[7; 32]).unwrap(),
            TicketKeys {
                current: [7; 32],
                previous: vec![]
            }
        );
        let one = "ab".repeat(32);
        let other = "0C".repeat(32);
        assert_eq!(
            parse(one.as_bytes()).unwrap(),
            TicketKeys {
                current: [0xab; 32],
                previous: vec![]
            }
        );
        let both = parse(format!("{one}\r\n\n{other}\n").as_bytes()).unwrap();
        assert_eq!(
            both,
            TicketKeys {
                current: [0xab; 32],
                previous: vec![[0x0c; 32]]
            }
        );
    }

    #[test]
    fn what_is_no_key_is_told_and_not_shown() {
        let good = "ab".repeat(32);
        for (bad, line) in [
            ("secret", 1),
            (&good[1..], 1),
            (&"xy".repeat(32), 1),
            (&format!("{good}\nsecret"), 2),
        ] {
            let report = parse(bad.as_bytes()).unwrap_err();
            assert!(
                report.starts_with(&format!("line {line} is not a key"))
                    && !report.contains("secret"),
                "{report}"
            );
        }
        for empty in [&b""[..], b"\n\n", &[0xff; 33], &[0xff; 31]] {
            assert!(
                parse(empty)
                    .unwrap_err()
                    .starts_with("write 32 random bytes")
            );
        }
    }
}
