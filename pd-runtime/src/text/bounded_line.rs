//! Lines of a process's output, of bounded length.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The outcome of reading a line.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// A line without its end.
    Complete(Vec<u8>),
    /// The line was longer than the limit. It has been skipped.
    TooLong,
}

/// Reads the next line, without its end. Returns `None` at the end of the stream.
///
/// The memory for a line never exceeds `max` bytes: a longer line is skipped while it arrives.
pub async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    max: usize,
) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            // The last line of a stream may lack its end.
            let has_text = !line.is_empty() || is_too_long;
            return Ok(has_text.then_some(if is_too_long {
                Line::TooLong
            } else {
                Line::Complete(line)
            }));
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = available
            .get(..end.unwrap_or(available.len()))
            .unwrap_or_default();
        // A new vector instead of an emptied one, so that its memory is freed at once.
        if line.len() + part.len() > max {
            (line, is_too_long) = (Vec::new(), true);
        } else if !is_too_long {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        // The line break is consumed with its line, so the next call starts after it.
        reader.consume(taken);
        if end.is_some() {
            // Programs on Windows end lines with `\r\n`.
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            return Ok(Some(if is_too_long {
                Line::TooLong
            } else {
                Line::Complete(line)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use tokio::io::BufReader;

    async fn lines(text: &[u8], buffer: usize) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(buffer, text);
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut reader, 5).await.unwrap() {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn long_lines_are_skipped_and_the_next_line_is_read() {
        for buffer in [1, 2, 3, 64] {
            let complete = |text: &str| Line::Complete(text.as_bytes().to_vec());
            let read = lines(b"one\r\n12345\n123456\n\ntwo", buffer).await;
            assert_eq!(
                read,
                [
                    complete("one"),
                    complete("12345"),
                    Line::TooLong,
                    complete(""),
                    complete("two")
                ]
            );
            assert_eq!(lines(b"1234567", buffer).await, [Line::TooLong]);
        }
    }
}
