//! Replays what was kept of the fuzz targets' runs: seeds that reach far, and what once failed, by name.

use crate::checks;
use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The checks count what ran on servers that they share: one target at a time, as when it is fuzzed.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a check on every file of its corpus.
fn replay(target: &str, check: fn(&[u8])) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut count = 0;
    for file in files {
        let path = file.expect("a file").path();
        let data = fs::read(&path).expect("readable");
        let checked = std::panic::catch_unwind(|| check(&data));
        assert!(checked.is_ok(), "{} failed", path.display());
        count += 1;
    }
    assert!(count > 0, "{} is empty", folder.display());
}

macro_rules! replayed {
    ($($target:ident)*) => {$(
        #[test]
        fn $target() {
            replay(stringify!($target), checks::$target::check);
        }
    )*};
}

replayed! { arguments frames resource rows ticket }
