//! Replays the inputs that the fuzz target `macros` has kept, in `tests/fuzz/corpus/macros`.

#[allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a check fails by panicking, and a fuzz target sees it as part of a library"
)]
#[path = "../../tests/fuzz/checks/macros/mod.rs"]
mod macros;

use std::{error::Error, fs, panic, path::Path};

#[test]
fn kept_inputs_pass() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus/macros");
    let mut count = 0;
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let input = fs::read(&path)?;
        assert!(
            panic::catch_unwind(|| macros::check(&input)).is_ok(),
            "{} failed",
            path.display()
        );
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
    Ok(())
}
