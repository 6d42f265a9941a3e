//! Messages that are built while the author's crate compiles, where nothing can be allocated.

/// The longest message, in bytes. The rest of a longer message is cut off.
const LIMIT: usize = 1_000;
const ELLIPSIS: &str = "…";

/// A text in a buffer of fixed size: `panic!("{}", message.as_str())`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConstMessage {
    bytes: [u8; LIMIT + ELLIPSIS.len()],
    length: usize,
    is_cut: bool,
}

impl ConstMessage {
    /// Creates an empty message.
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; LIMIT + ELLIPSIS.len()],
            length: 0,
            is_cut: false,
        }
    }

    /// Appends `text`. If it does not fit, appends as much as fits and `…`.
    pub(crate) const fn text(self, text: &str) -> Self {
        // The buffer has room for `…` beyond `LIMIT`.
        let room = LIMIT.saturating_sub(self.length);
        // Nothing may follow the ellipsis, even if it would fit.
        if self.is_cut {
            self
        } else if text.len() <= room {
            self.push(text)
        } else {
            let cut = self.push(longest_prefix(text, room)).push(ELLIPSIS);
            Self {
                is_cut: true,
                ..cut
            }
        }
    }

    /// Appends `number` in decimal digits.
    pub(crate) const fn number(self, number: i128) -> Self {
        // `unsigned_abs` also covers `i128::MIN`, which an `i128` cannot negate.
        let signed = if number < 0 { self.text("-") } else { self };
        signed.digits(number.unsigned_abs())
    }

    /// Returns the message so far.
    pub(crate) const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            // Unreachable: only whole characters are pushed.
            Err(_) => ELLIPSIS,
        }
    }

    // Recursion yields the digits from left to right, without a second buffer.
    const fn digits(self, number: u128) -> Self {
        let before = if number > 9 {
            self.digits(number / 10)
        } else {
            self
        };
        let (digit, _) = "0123456789".split_at((number % 10) as usize).1.split_at(1);
        before.text(digit)
    }

    const fn push(mut self, text: &str) -> Self {
        let (_, free) = self.bytes.split_at_mut(self.length);
        // The callers have checked the room, beyond which `split_at_mut` panics.
        free.split_at_mut(text.len())
            .0
            .copy_from_slice(text.as_bytes());
        self.length += text.len();
        self
    }
}

/// Returns as many whole characters of `text` as `room` bytes can contain.
const fn longest_prefix(text: &str, mut room: usize) -> &str {
    // Index 0 is a boundary, so the loop ends.
    while !text.is_char_boundary(room) {
        room -= 1;
    }
    text.split_at(room).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_texts_and_numbers() {
        const MESSAGE: ConstMessage = ConstMessage::new()
            .text("`fetch`: ")
            .number(-10)
            .text(" is under ")
            .number(0);
        assert_eq!(MESSAGE.as_str(), "`fetch`: -10 is under 0");
        assert_eq!(
            ConstMessage::new().number(i128::MIN).as_str(),
            i128::MIN.to_string()
        );
        assert_eq!(
            ConstMessage::new().number(i128::MAX).as_str(),
            i128::MAX.to_string()
        );
    }

    #[test]
    fn is_cut_at_a_whole_character() {
        for start in 0..3 {
            let text = "a".repeat(start) + &"ü".repeat(600);
            let message = ConstMessage::new().text(&text).text("never said");
            let kept = message.as_str().strip_suffix(ELLIPSIS).unwrap_or_default();
            assert!(
                text.starts_with(kept) && (LIMIT - 1..=LIMIT).contains(&kept.len()),
                "{}",
                kept.len()
            );
        }
    }

    #[test]
    fn holds_all_that_fits_exactly() {
        let text = "a".repeat(LIMIT);
        assert_eq!(ConstMessage::new().text(&text).as_str(), text);
        assert_eq!(ConstMessage::new().text(&text).text("").as_str(), text);
        assert_eq!(
            ConstMessage::new().text(&text).text("b").as_str(),
            text + ELLIPSIS
        );
    }
}
