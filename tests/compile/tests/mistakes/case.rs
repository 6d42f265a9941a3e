//! A UI case as it stands in `ui/fail`: its title, its source, what the compiler says, and its mend.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

/// One case.
pub(crate) struct Case {
    /// The file's name without `.rs`.
    pub(crate) name: String,
    /// Its first line, which says what is wrong.
    pub(crate) title: String,
    /// The source without the mend.
    source: String,
    /// What the compiler says.
    pub(crate) stderr: String,
    pub(crate) mend: Vec<Hunk>,
}

/// One change.
pub(crate) struct Hunk {
    /// As it was written, a mark before each line.
    pub(crate) diff: String,
    before: String,
    after: String,
}

const OPENING: &str = "\n/* mend\n";

/// Every case in order of names. Panics with all that is wrong with them.
pub(crate) fn read_all() -> Result<Vec<Case>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/fail");
    let files = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sources: Vec<_> = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .collect();
    sources.sort();
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for path in sources {
        match read(&path) {
            Ok(case) => cases.push(case),
            Err(fault) => faults.push(format!("\n{}: {fault}", path.display())),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(cases)
}

fn read(path: &PathBuf) -> Result<Case, Box<dyn Error>> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = fs::read_to_string(path)?;
    let title = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//! "));
    let title = title
        .ok_or("the first line says what is wrong: `//! …`")?
        .trim_end_matches('.')
        .to_owned();
    let stderr = fs::read_to_string(path.with_extension("stderr"))?;
    let (source, mend) = text.split_once(OPENING).ok_or(
        "it has no mend; below `fn main() {}` write `/* mend`, a line `-…` for what to remove, a line `+…` for what to \
         write instead, and `*/`",
    )?;
    let mend = mend
        .strip_suffix("*/\n")
        .ok_or("the mend is the last of the file and ends with `*/`")?;
    let mend = mend
        .split("\n\n")
        .map(parse_hunk)
        .collect::<Result<Vec<_>, _>>()?;
    let case = Case {
        name,
        title,
        source: format!("{source}\n"),
        stderr,
        mend,
    };
    case.mended()?;
    Ok(case)
}

fn parse_hunk(diff: &str) -> Result<Hunk, String> {
    let mut hunk = Hunk {
        diff: diff.trim_end().to_owned(),
        before: String::new(),
        after: String::new(),
    };
    for line in hunk.diff.lines() {
        let (mark, text) = line.split_at_checked(1).unwrap_or((line, ""));
        let kept = match mark {
            "-" => [true, false],
            "+" => [false, true],
            " " => [true, true],
            _ => {
                return Err(format!(
                    "a line of the mend begins with `-`, `+` or a space, and this does not: {line}"
                ));
            }
        };
        for (side, _) in [&mut hunk.before, &mut hunk.after]
            .into_iter()
            .zip(kept)
            .filter(|(_, kept)| *kept)
        {
            side.push_str(text);
            side.push('\n');
        }
    }
    if hunk.before.is_empty() {
        Err(format!("a mend says where it adds; keep a line:\n{diff}"))
    } else {
        Ok(hunk)
    }
}

impl Case {
    /// The source with the mend applied.
    pub(crate) fn mended(&self) -> Result<String, String> {
        let mut text = format!("\n{}", self.source);
        for Hunk { before, after, .. } in &self.mend {
            let place = format!("\n{before}");
            if text.matches(&place).count() != 1 {
                return Err(format!(
                    "these lines of the mend do not stand in the case exactly once:\n{before}"
                ));
            }
            text = text.replacen(&place, &format!("\n{after}"), 1);
        }
        Ok(text.trim_start().to_owned())
    }
}
