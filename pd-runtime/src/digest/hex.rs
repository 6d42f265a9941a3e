//! Lower-case hexadecimal digits.

use std::fmt;

/// Displays bytes as lower-case hexadecimal digits, two for each byte.
#[derive(Debug, Clone, Copy)]
pub struct Hex<'a>(pub &'a [u8]);

/// The number of bytes that are written at once. Digests and keys have this length.
const PIECE: usize = 32;

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.0.chunks(PIECE) {
            let mut digits = [0; 2 * PIECE];
            for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(piece) {
                *pair = [digit(byte >> 4), digit(byte & 0xf)];
            }
            let written = digits.get(..2 * piece.len()).unwrap_or_default();
            f.write_str(str::from_utf8(written).unwrap_or_default())?;
        }
        Ok(())
    }
}

const fn digit(value: u8) -> u8 {
    match value {
        0..=9 => b'0' + value,
        _ => b'a' + value - 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_two_lower_case_digits() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [0, 1, 31, 32, 33, 255, 256] {
            let expected: String = bytes
                .iter()
                .take(length)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(
                Hex(bytes.get(..length).unwrap_or_default()).to_string(),
                expected
            );
        }
    }
}
