//! Writes every case that must compile as a module with a test that runs it, for `tests/accepted.rs`.
//!
//! One crate of many modules compiles and links in seconds; a crate for each case took minutes.

#[path = "tests/mistakes/case.rs"]
#[expect(dead_code, reason = "the test `mistakes` reads the rest")]
mod case;

use std::{
    env,
    error::Error,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

/// The folders whose files must compile, by the name of their module.
const FOLDERS: [(&str, &str); 4] = [
    ("hygiene", "hygiene"),
    ("ui_pass", "ui/pass"),
    ("expand", "expand"),
    ("compiler_pass", "compiler/pass"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=ui/fail");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let mut all = String::new();
    for (module, folder) in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        write_module(&out, module, &read_folder(Path::new(folder))?, &mut all)?;
    }
    let mended = case::read_all()?
        .into_iter()
        .map(|case| Ok((case.name.clone(), case.mended()?)));
    write_module(
        &out,
        "mended",
        &mended.collect::<Result<Vec<_>, String>>()?,
        &mut all,
    )?;
    fs::write(out.join("accepted.rs"), all)?;
    Ok(())
}

/// The names and texts of a folder's cases, without the expansions of the goldens.
fn read_folder(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match name.strip_suffix(".rs") {
            Some(name) if !name.ends_with(".expanded") => {
                cases.push((name.to_owned(), fs::read_to_string(&path)?))
            }
            _ => {}
        }
    }
    cases.sort();
    Ok(cases)
}

fn write_module(
    out: &Path,
    module: &str,
    cases: &[(String, String)],
    all: &mut String,
) -> Result<(), Box<dyn Error>> {
    let folder = out.join(module);
    fs::create_dir_all(&folder)?;
    writeln!(all, "mod {module} {{")?;
    for (name, text) in cases {
        let file = folder.join(name).with_extension("rs");
        fs::write(&file, as_module(text, &format!("{module}::{name}")))?;
        writeln!(all, "    #[path = {file:?}]\n    mod {name};")?;
    }
    writeln!(all, "}}")?;
    Ok(())
}

/// The text of a case as a module of the crate, with a test that runs its `main`.
fn as_module(text: &str, module: &str) -> String {
    // A path from the root of the case is a path from its module.
    let moved = |part: &str| part.replace("crate::", &format!("crate::{module}::"));
    let text = text
        .split("$crate::")
        .map(moved)
        .collect::<Vec<_>>()
        .join("$crate::");
    let test = if text.contains("no_implicit_prelude") {
        "::core::prelude::v1::test"
    } else {
        "test"
    };
    format!("{text}\n#[{test}]\nfn it_runs() {{\n    main()\n}}\n")
}
