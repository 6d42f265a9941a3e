//! Reads a file up to a limit of bytes.

use pd_runtime::upstream::text::regular_file;
use std::{
    io::{self, Read},
    path::Path,
};

/// The limit on the size of a configuration file.
pub(super) const FILE_BYTES_MAX: u64 = 1 << 20;

/// The limit on the size of `~/.claude.json`. Claude Code keeps the history of all projects there.
const CLAUDE_STATE_BYTES_MAX: u64 = 32 << 20;

/// Returns the limit on the size of a configuration file.
pub(super) fn bytes_max(path: &Path) -> u64 {
    let is_claude_state = path.file_name().is_some_and(|name| name == ".claude.json");
    if is_claude_state {
        CLAUDE_STATE_BYTES_MAX
    } else {
        FILE_BYTES_MAX
    }
}

/// Reads a regular file. Returns `None` if it has more than `max` bytes.
///
/// # Errors
///
/// Returns an error if the path does not lead to a regular file, or the system refuses access.
pub(super) fn read_bounded(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more than the limit shows that the file is too large, even if it grows meanwhile.
    regular_file::open(path)?
        .take(max + 1)
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max).then_some(bytes))
}
