//! The author's source files. The compiler knows where a token is written; rust-analyzer may not.

extern crate proc_macro;

pub(crate) mod block;

use self::block::SourceBlock;
use proc_macro2::Span;
use std::{
    cell::{OnceCell, RefCell},
    fs,
    path::PathBuf,
    time::SystemTime,
};

/// Returns the file that contains the token, if the compiler knows it.
pub(crate) fn file_of(span: Span) -> Option<PathBuf> {
    // Outside of a macro call, as in tests, a span cannot be unwrapped.
    if proc_macro::is_available() {
        span.unwrap().local_file()
    } else {
        None
    }
}

/// A file that was read. All tools of a file follow one another, so one is enough.
struct ScannedFile {
    path: PathBuf,
    modified: SystemTime,
    may_borrow: bool,
    text: String,
    blocks: OnceCell<Vec<SourceBlock>>,
}

thread_local! {
    static LAST: RefCell<Option<ScannedFile>> = const { RefCell::new(None) };
}

/// Which blocks matter. Finding the blocks of a file takes longer than reading it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BlockSearch {
    All,
    /// Only an impl of a type that borrows.
    Borrowing,
}

/// Returns the innermost block of braces around the token, as the file has it.
pub(crate) fn block_around(span: Span, search: BlockSearch) -> Option<SourceBlock> {
    // A test of documentation has the place of its text, in a page or in a comment.
    let path =
        file_of(span).filter(|path| path.extension().is_some_and(|extension| extension == "rs"))?;
    let place = span.unwrap();
    let place = (place.line(), place.column());
    // rust-analyzer keeps this process while the file changes.
    let modified = fs::metadata(&path).ok()?.modified().ok()?;
    LAST.with_borrow_mut(|last| {
        if !last
            .as_ref()
            .is_some_and(|file| file.path == path && file.modified == modified)
        {
            let text = fs::read_to_string(&path).ok()?;
            *last = Some(ScannedFile {
                path,
                modified,
                may_borrow: block::may_borrow(&text),
                text,
                blocks: OnceCell::new(),
            });
        }
        let file = last.as_ref()?;
        if search == BlockSearch::Borrowing && !file.may_borrow {
            return None;
        }
        let line = file.text.lines().nth(place.0.checked_sub(1)?)?;
        if line.trim_start().starts_with("//") {
            return None;
        }
        let blocks = file.blocks.get_or_init(|| block::find_all(&file.text));
        block::innermost(blocks, place).cloned()
    })
}
