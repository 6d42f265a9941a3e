//! The rules for the author's own files of one skill together. `SkillFile::check` has the rules for
//! each file alone.

use crate::registry::{
    problem::{Location, RegistryErrorKind},
    skill_file::{SKILL_BYTES_MAX, SKILL_FILES_MAX, SkillFile},
};
use std::collections::HashSet;

/// Checks the files of a group or bundle; `names` are the registry's tools.
pub(super) fn check_files(
    heading: &Location,
    files: &[SkillFile],
    names: &HashSet<&str>,
    report: &mut impl FnMut(RegistryErrorKind),
) {
    let bytes = files.iter().map(|file| file.contents().len()).sum();
    if files.len() > SKILL_FILES_MAX || bytes > SKILL_BYTES_MAX {
        // One error is enough: the rest would repeat itself for up to thousands of files.
        return report(RegistryErrorKind::LargeSkill {
            heading: heading.clone(),
            files: files.len(),
            bytes,
        });
    }
    let mut used_paths = HashSet::new();
    // Collected before the loop, because a file may come before the files in the directory with its
    // path.
    let directories: HashSet<String> = files
        .iter()
        .flat_map(|file| directories(file.path()))
        .collect();
    for file in files {
        // Skills are also exported to disks, and the file systems of macOS and Windows ignore case.
        let path = file.path().to_ascii_lowercase();
        let verdict = file.check().and_then(|()| match () {
            () if directories.contains(&path) => {
                Err("a directory has this path; rename one of them".to_owned())
            }
            () if !used_paths.insert(path.clone()) => Err(
                "another file has this path, or one that differs only in case; rename one of them"
                    .to_owned(),
            ),
            () => described_tool(&path, names).map_or(Ok(()), |tool| {
                Err(format!(
                    "the description of the tool `{tool}` has this path; rename the file"
                ))
            }),
        });
        if let Err(why) = verdict {
            report(RegistryErrorKind::BadSkillFile {
                heading: heading.clone(),
                path: file.path().into(),
                why: why.into(),
            });
        }
    }
}

/// Returns the directories above a file, in lower case.
fn directories(path: &str) -> impl Iterator<Item = String> {
    path.match_indices('/')
        .filter_map(|(at, _)| Some(path.get(..at)?.to_ascii_lowercase()))
}

/// Returns the tool with a description at this path. The path must be in lower case.
fn described_tool<'a>(path: &str, names: &HashSet<&'a str>) -> Option<&'a str> {
    let stem = path.strip_prefix("references/")?.strip_suffix(".json")?;
    names
        .iter()
        .copied()
        .find(|name| name.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::{Bundle, Group, IntoOutput, Registry, SkillFile, Tool, check::RegistryErrors};
    use futures::FutureExt;

    fn registry(files: &[(&str, &str)]) -> Result<Registry<()>, RegistryErrors> {
        let tool = Tool::new("log", "List commits", |(), _, _| {
            async { ().into_output() }.boxed()
        });
        let files = files.iter().map(|(path, text)| SkillFile::new(path, text));
        Registry::builder()
            .group(
                Group::new("history", "Read history")
                    .tool(tool)
                    .files(files),
            )
            .build()
    }

    fn problems(files: &[(&str, &str)]) -> String {
        registry(files).map_or_else(|found| found.to_string(), |_| String::new())
    }

    #[test]
    fn files_have_paths_of_their_own() {
        assert_eq!(
            problems(&[
                ("references/a.md", ""),
                ("references/log.md", ""),
                ("log.json", "")
            ]),
            ""
        );
        for (files, why) in [
            (
                &[("references/LOG.json", "")][..],
                "the description of the tool `log` has this path",
            ),
            (&[("a.md", ""), ("A.md", "")], "differs only in case"),
            (
                &[("scripts", ""), ("Scripts/run.sh", "")],
                "a directory has this path",
            ),
            (&[("../passwd", "")], "write the path without `.` and `..`"),
            (&[("SKILL.md", "")], "the server writes `SKILL.md`"),
            (
                &[("a\nb", "")],
                "group `history` has the file \"a\\nb\": its path has a control character",
            ),
        ] {
            assert!(problems(files).contains(why), "{}", problems(files));
        }
    }

    #[test]
    fn files_are_bounded_together() {
        let large = "x".repeat(1 << 20);
        let many: Vec<(String, &str)> = (0..101).map(|number| (format!("{number}"), "")).collect();
        let many: Vec<_> = many
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        assert!(
            problems(&many).contains("has 101 files with 0 bytes; a skill has at most 100 files"),
            "{}",
            problems(&many)
        );
        let nine: Vec<_> = many
            .iter()
            .take(9)
            .map(|(path, _)| (*path, large.as_str()))
            .collect();
        assert!(
            problems(&nine).contains("has 9 files with 9437184 bytes"),
            "{}",
            problems(&nine)
        );
    }

    #[test]
    fn a_literals_groups_and_bundles_get_files_afterwards() {
        let bundle = Bundle::new("who", "Find who").tool("log");
        let registry = registry(&[])
            .unwrap()
            .merge(Registry::builder().bundle(bundle).freeze())
            .unwrap();
        let registry = registry.with_files("history", [SkillFile::new("a.md", "A")]);
        let registry = registry.with_files("who", [SkillFile::new("b.md", "B")]);
        registry.check().unwrap();
        assert_eq!(
            registry
                .groups()
                .iter()
                .map(|group| group.files.len())
                .collect::<Vec<_>>(),
            [1]
        );
        assert_eq!(
            registry
                .bundles()
                .iter()
                .map(|bundle| bundle.files.len())
                .collect::<Vec<_>>(),
            [1]
        );
        let unknown = registry
            .with_files("histroy", [])
            .check()
            .unwrap_err()
            .to_string();
        assert!(
            unknown.contains("no such group or bundle: `histroy`; did you mean `history`?"),
            "{unknown}"
        );
    }
}
