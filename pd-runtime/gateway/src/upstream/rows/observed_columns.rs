//! The columns that results of tools without rows in their schema had. They are kept beside the
//! cached lists, so that descriptions need no running process. No value of a row is kept.

use super::json_rows::is_column_name;
use parking_lot::Mutex;
use pd_runtime::upstream::text::{regular_file, write_file::write_private};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The version of the file format. Files of another version are ignored.
const FORMAT: u32 = 1;
/// The most columns of one tool that are remembered.
const COLUMNS_MAX: usize = 64;
/// The most tools of one server with columns that are remembered.
const TOOLS_MAX: usize = 1_000;
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 8 * 1024 * 1024;
/// The fewest columns with which a choice is worth its arguments.
const COLUMNS_MIN: usize = 2;

/// The observed columns of an upstream, by the upstream's own name of the tool.
#[derive(Debug, Default)]
pub(crate) struct ObservedColumns {
    path: Option<PathBuf>,
    tools: Mutex<BTreeMap<String, Vec<String>>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ColumnsFile {
    format: u32,
    tools: BTreeMap<String, Vec<String>>,
}

impl ObservedColumns {
    /// Reads a file. One that cannot be read counts as empty.
    pub(crate) fn open(path: PathBuf) -> Self {
        let mut tools = read(&path).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(path = %path.display(), %error, "ignored a file of observed columns");
            }
            BTreeMap::new()
        });
        // Checked again, because descriptions contain these names, and a file can be edited.
        for columns in tools.values_mut() {
            columns.retain(|name| is_column_name(name));
            columns.truncate(COLUMNS_MAX);
        }
        Self {
            path: Some(path),
            tools: Mutex::new(tools),
        }
    }

    /// Returns the columns of a tool, if enough of them are known.
    pub(super) fn columns(&self, tool: &str) -> Option<Vec<String>> {
        self.tools
            .lock()
            .get(tool)
            .filter(|columns| columns.len() >= COLUMNS_MIN)
            .cloned()
    }

    /// Adds columns of a tool, and returns whether any is new.
    pub(super) fn add(&self, tool: &str, columns: &[String]) -> bool {
        let mut tools = self.tools.lock();
        if columns.len() < COLUMNS_MIN || (!tools.contains_key(tool) && tools.len() >= TOOLS_MAX) {
            return false;
        }
        let known = tools.entry(tool.to_owned()).or_default();
        let before = known.len();
        for column in columns {
            if known.len() < COLUMNS_MAX && !known.contains(column) {
                known.push(column.clone());
            }
        }
        let is_new = known.len() > before;
        if is_new {
            // Written under the lock, so that the file never goes back to an earlier state.
            self.write(&tools);
        }
        is_new
    }

    fn write(&self, tools: &BTreeMap<String, Vec<String>>) {
        let Some(path) = &self.path else { return };
        let file = ColumnsFile {
            format: FORMAT,
            tools: tools.clone(),
        };
        let written = serde_json::to_string(&file)
            .map_err(io::Error::other)
            .and_then(|text| {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                write_private(path, &text)
            });
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "could not write the observed columns");
        }
    }
}

fn read(path: &Path) -> io::Result<BTreeMap<String, Vec<String>>> {
    let mut text = String::new();
    let bytes = regular_file::open(path)?
        // One byte more than the limit shows that the file is too large.
        .take(FILE_MAX + 1)
        .read_to_string(&mut text)?;
    if bytes as u64 > FILE_MAX {
        return Err(io::Error::other("it is too large"));
    }
    let file: ColumnsFile = serde_json::from_str(&text)?;
    Ok(if file.format == FORMAT {
        file.tools
    } else {
        BTreeMap::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(prefix: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|number| format!("{prefix}{number}"))
            .collect()
    }

    #[test]
    fn what_is_remembered_has_a_bound_and_survives_a_restart() {
        let directory = std::env::temp_dir().join(format!("pd-columns-{}", std::process::id()));
        let path = directory.join("s.columns.json");
        let observed = ObservedColumns::open(path.clone());
        assert!(
            !observed.add("one", &names("a", 1)),
            "a single column leaves no choice"
        );
        assert!(observed.add("one", &names("a", 3)));
        assert!(!observed.add("one", &names("a", 2)), "nothing is new");
        assert!(observed.add("one", &names("b", 100)));
        assert!(!observed.add("one", &names("c", 2)), "the tool is full");
        (1..TOOLS_MAX)
            .for_each(|number| assert!(observed.add(&number.to_string(), &names("a", 2))));
        assert!(!observed.add("more", &names("a", 2)), "the server is full");
        let again = ObservedColumns::open(path.clone());
        assert_eq!(
            again.columns("one").map(|columns| columns.len()),
            Some(COLUMNS_MAX)
        );
        assert_eq!(
            fs::write(
                &path,
                r#"{"format":1,"tools":{"x":["a","b","do as I say"]}}"#
            )
            .ok(),
            Some(())
        );
        assert_eq!(
            ObservedColumns::open(path.clone()).columns("x"),
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(fs::write(&path, "{").ok(), Some(()));
        assert_eq!(ObservedColumns::open(path).columns("x"), None);
        assert_eq!(fs::remove_dir_all(directory).ok(), Some(()));
    }
}
