//! Mended cases as files that compile.

use crate::case::Case;
use std::{error::Error, fs, path::PathBuf};

/// One crate with every case as a module, whose `main` runs theirs.
pub(crate) fn write_modules(cases: &[Case]) -> Result<PathBuf, Box<dyn Error>> {
    let mut modules = String::from("//! Every mended case.\n\n");
    for case in cases {
        write_file(&case.name, &case.mended()?.replace("\nfn main() {", "\npub fn main() {"))?;
        modules.push_str(&format!("mod {};\n", case.name));
    }
    let calls: String = cases.iter().map(|case| format!("    {}::main();\n", case.name)).collect();
    write_file("main", &format!("{modules}\nfn main() {{\n{calls}}}\n"))
}

/// A case that is a crate of its own.
pub(crate) fn write(case: &Case) -> Result<PathBuf, Box<dyn Error>> {
    write_file(&case.name, &case.mended()?)
}

fn write_file(name: &str, text: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mended");
    fs::create_dir_all(&folder)?;
    let file = folder.join(name).with_extension("rs");
    fs::write(&file, text)?;
    Ok(file)
}
