//! A scanner for rows in JSON that arrives in pieces: an array of rows, or an object whose `body`
//! is one. The scanner reads the JSON around the rows byte by byte. serde parses each row.

/// The longest row, in bytes. It bounds the memory that another server can make this process use.
const ROW_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The longest name that is compared, in bytes. `body` and its closing quote are shorter, so a name
/// that is cut here never matches.
const NAME_BYTES_MAX: usize = 8;

/// Finds the rows in a body.
pub(super) struct RowScanner {
    at: ScanPosition,
    text: StringState,
    /// The number of open brackets inside of the current value.
    depth: usize,
    /// The last string outside of the rows, with its closing quote.
    name: Vec<u8>,
    /// The bytes of the current row.
    row: Vec<u8>,
    /// Whether the body is a bare array of rows.
    is_bare: bool,
    has_rows: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum ScanPosition {
    Start,
    /// In the object that contains the rows.
    OutsideRows,
    /// Between rows.
    Rows,
    Row,
    End,
}

/// Whether the scanner is inside of a string.
#[derive(Clone, Copy, PartialEq)]
enum StringState {
    Outside,
    Inside,
    Escaped,
}

impl Default for RowScanner {
    fn default() -> Self {
        Self {
            at: ScanPosition::Start,
            text: StringState::Outside,
            depth: 0,
            name: Vec::new(),
            row: Vec::new(),
            is_bare: false,
            has_rows: false,
        }
    }
}

impl RowScanner {
    /// Reads the next piece, and passes each row that ends in it to `row`.
    ///
    /// # Errors
    ///
    /// Returns an error if the body does not contain an array of objects, or if a row is too long.
    pub(super) fn read(
        &mut self,
        piece: &[u8],
        mut row: impl FnMut(Vec<u8>),
    ) -> Result<(), &'static str> {
        for byte in piece {
            self.step(*byte, &mut row)?;
        }
        Ok(())
    }

    /// Returns whether the body has ended and contained rows.
    pub(super) fn is_complete(&self) -> bool {
        self.at == ScanPosition::End && self.has_rows
    }

    fn step(&mut self, byte: u8, row: &mut impl FnMut(Vec<u8>)) -> Result<(), &'static str> {
        if byte.is_ascii_whitespace()
            && self.at != ScanPosition::Row
            && self.text == StringState::Outside
        {
            return Ok(());
        }
        match self.at {
            ScanPosition::Start => self.start(byte),
            ScanPosition::OutsideRows => {
                self.outside_rows(byte);
                Ok(())
            }
            ScanPosition::Rows => self.between_rows(byte),
            ScanPosition::Row => self.row(byte, row),
            ScanPosition::End => Err("it continues after its end"),
        }
    }

    fn start(&mut self, byte: u8) -> Result<(), &'static str> {
        self.is_bare = byte == b'[';
        self.has_rows = self.is_bare;
        self.at = match byte {
            b'[' => ScanPosition::Rows,
            b'{' => ScanPosition::OutsideRows,
            _ => return Err("it is not a JSON array of rows"),
        };
        Ok(())
    }

    fn outside_rows(&mut self, byte: u8) {
        let opens_text = self.text == StringState::Outside && byte == b'"';
        if self.is_text(byte) {
            if opens_text {
                self.name.clear();
            } else if self.name.len() < NAME_BYTES_MAX {
                self.name.push(byte);
            }
            return;
        }
        match byte {
            // A `[` that directly follows the string `body` is the value of that key: a string
            // value would be followed by a comma. Only the first `body` counts.
            b'[' if self.depth == 0 && !self.has_rows && self.name == b"body\"" => {
                (self.at, self.has_rows) = (ScanPosition::Rows, true);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' if self.depth == 0 => self.at = ScanPosition::End,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn between_rows(&mut self, byte: u8) -> Result<(), &'static str> {
        // Commas are not counted: a misplaced one cannot change a row.
        match byte {
            b',' => {}
            b'{' => {
                (self.at, self.depth) = (ScanPosition::Row, 1);
                self.row.push(byte);
            }
            b']' => {
                self.at = if self.is_bare {
                    ScanPosition::End
                } else {
                    ScanPosition::OutsideRows
                }
            }
            _ => return Err("one of its rows is not an object"),
        }
        // From here on `depth` counts inside of the outer object again.
        if self.at == ScanPosition::OutsideRows {
            self.depth = 0;
        }
        Ok(())
    }

    fn row(&mut self, byte: u8, row: &mut impl FnMut(Vec<u8>)) -> Result<(), &'static str> {
        if self.row.len() == ROW_BYTES_MAX {
            return Err("one of its rows is longer than 4 MiB");
        }
        self.row.push(byte);
        if !self.is_text(byte) {
            match byte {
                // Brackets are counted and not matched. serde refuses a row in which they do not
                // match.
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                row(std::mem::take(&mut self.row));
                self.at = ScanPosition::Rows;
            }
        }
        Ok(())
    }

    /// Returns whether the byte belongs to a string. The quotes belong to it.
    fn is_text(&mut self, byte: u8) -> bool {
        let before = self.text;
        self.text = match (before, byte) {
            (StringState::Outside, b'"') | (StringState::Escaped, _) => StringState::Inside,
            (StringState::Inside, b'"') => StringState::Outside,
            (StringState::Inside, b'\\') => StringState::Escaped,
            (other, _) => other,
        };
        before != StringState::Outside || self.text != StringState::Outside
    }
}
