//! A message put together while the author's crate compiles, where nothing can be allocated. Who says what in it is
//! not known here.

/// The longest message, in bytes; what follows is cut off.
const LIMIT: usize = 1_000;
const ELLIPSIS: &str = "…";

/// A text in a buffer of its own: `panic!("{}", message.as_str())`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    bytes: [u8; LIMIT + ELLIPSIS.len()],
    length: usize,
    is_cut: bool,
}

impl Message {
    /// An empty message.
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; LIMIT + ELLIPSIS.len()], length: 0, is_cut: false }
    }

    /// Adds `text`, or as much of it as fits and `…`.
    pub(crate) const fn text(self, text: &str) -> Self {
        let room = LIMIT.saturating_sub(self.length);
        if self.is_cut {
            self
        } else if text.len() <= room {
            self.push(text)
        } else {
            let cut = self.push(beginning(text, room)).push(ELLIPSIS);
            Self { is_cut: true, ..cut }
        }
    }

    /// Adds `number`, in digits.
    pub(crate) const fn number(self, number: i128) -> Self {
        let signed = if number < 0 { self.text("-") } else { self };
        signed.digits(number.unsigned_abs())
    }

    /// The message so far.
    pub(crate) const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => ELLIPSIS, // out of reach: whole characters are all that is ever pushed
        }
    }

    const fn digits(self, number: u128) -> Self {
        let before = if number > 9 { self.digits(number / 10) } else { self };
        let (digit, _) = "0123456789".split_at((number % 10) as usize).1.split_at(1);
        before.text(digit)
    }

    const fn push(mut self, text: &str) -> Self {
        let (_, free) = self.bytes.split_at_mut(self.length);
        free.split_at_mut(text.len()).0.copy_from_slice(text.as_bytes());
        self.length += text.len();
        self
    }
}

/// As many whole characters of `text` as `room` bytes hold.
const fn beginning(text: &str, mut room: usize) -> &str {
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
        const MESSAGE: Message = Message::new().text("`fetch`: ").number(-10).text(" is under ").number(0);
        assert_eq!(MESSAGE.as_str(), "`fetch`: -10 is under 0");
        assert_eq!(Message::new().number(i128::MIN).as_str(), i128::MIN.to_string());
        assert_eq!(Message::new().number(i128::MAX).as_str(), i128::MAX.to_string());
    }

    #[test]
    fn is_cut_at_a_whole_character() {
        for start in 0..3 {
            let text = "a".repeat(start) + &"ü".repeat(600);
            let message = Message::new().text(&text).text("never said");
            let kept = message.as_str().strip_suffix(ELLIPSIS).unwrap_or_default();
            assert!(text.starts_with(kept) && (LIMIT - 1..=LIMIT).contains(&kept.len()), "{}", kept.len());
        }
    }

    #[test]
    fn holds_all_that_fits_exactly() {
        let text = "a".repeat(LIMIT);
        assert_eq!(Message::new().text(&text).as_str(), text);
        assert_eq!(Message::new().text(&text).text("").as_str(), text);
        assert_eq!(Message::new().text(&text).text("b").as_str(), text + ELLIPSIS);
    }
}
