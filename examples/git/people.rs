//! Who works on the repository, and when.

use super::{
    commits::{Walk, timestamp, touches},
    errors::GitError,
    history::day,
    page::{Page, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::RepoPath,
};
use git2::Commit;
use jiff::{Timestamp, ToSpan, civil::Date};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Someone who wrote commits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Contributor {
    /// Name, as the repository's `.mailmap` spells it.
    pub name: String,
    /// Mail address, likewise.
    pub email: String,
    /// How many commits.
    pub commits: usize,
    /// The first of them, in UTC.
    pub first: Timestamp,
    /// The last of them, in UTC.
    pub latest: Timestamp,
}

/// One week's work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Week {
    /// Its Monday.
    pub week: Date,
    /// How many commits.
    pub commits: usize,
    /// By how many people.
    pub authors: usize,
}

impl Repo {
    /// Counts commits by author, the most active first. Merges count as commits of those who merged.
    ///
    /// # Examples
    ///
    /// The ten most active people:
    ///
    /// ```json
    /// { "limit": 10 }
    /// ```
    ///
    /// Who works here lately:
    ///
    /// ```json
    /// { "since": "2025-01-01", "path": "." }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To see who knows one file, `owners` counts the lines that survive.
    ///
    /// # Notes
    ///
    /// - People with several addresses are one person if the repository's `.mailmap` says so.
    /// - With a `path` every commit's trees are read, which takes a while in a long history: give a `since`.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Count commits by author",
        related(Repo::owners, Repo::activity, Repo::log),
        aliases("shortlog", "authors"),
        found_by("who are the main developers", "who works on this project"),
        read_only,
        blocking
    )]
    pub fn contributors(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// Only commits that changed something at or below this path.
        path: Option<RepoPath>,
        /// Only commits of this day or later, in UTC.
        since: Option<Date>,
        #[arg(default = 0)] skip: Skip,
        /// How many people to return.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<Contributor>>, GitError> {
        let repository = self.open()?;
        let mailmap = repository.mailmap()?;
        let path = path.filter(|path| !path.is_root());
        let mut people = HashMap::new();
        for commit in Walk::from(&repository, revision.commit(&repository)?.id(), call)? {
            let commit = commit?;
            if since.is_some_and(|since| day(&commit) < since) {
                break;
            }
            if path
                .as_ref()
                .map_or(Ok(true), |path| touches(&commit, path.as_path()))?
            {
                let author = commit.author_with_mailmap(&mailmap)?;
                count(
                    &mut people,
                    author.name_bytes(),
                    author.email_bytes(),
                    timestamp(commit.time()),
                );
            }
        }
        let mut people: Vec<Contributor> = people.into_values().collect();
        people.sort_by(|a, b| {
            b.commits
                .cmp(&a.commits)
                .then_with(|| a.email.cmp(&b.email))
        });
        Ok(Json(Page::of(people, skip, limit)))
    }

    /// Counts commits and authors for each of the last weeks up to a revision, the latest week first. Weeks without a
    /// commit are listed too: they tell when the project was busy, and whether it is still alive.
    ///
    /// # Examples
    ///
    /// The last quarter:
    ///
    /// ```json
    /// { "weeks": 13 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For the commits of a week, use `log` with `since` and `until`.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Count commits per week",
        related(Repo::contributors, Repo::churn, Repo::log),
        found_by("is this project still alive", "how busy were we this summer"),
        read_only,
        blocking
    )]
    pub fn activity(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// How many weeks, the one of the revision's own commit included.
        #[arg(default = 12, minimum = 1, maximum = 260)]
        weeks: u32,
        call: &CallContext,
    ) -> Result<Json<Vec<Week>>, GitError> {
        let repository = self.open()?;
        let start = revision.commit(&repository)?;
        let last = monday(&start);
        let mut by_week: BTreeMap<Date, (usize, HashSet<Vec<u8>>)> = (0..i64::from(weeks))
            .map(|ago| (last.saturating_sub(ago.weeks()), Default::default()))
            .collect();
        for commit in Walk::from(&repository, start.id(), call)? {
            let commit = commit?;
            // Clocks differ, so a commit may be younger than its child: only one that is too old ends the count.
            match by_week.get_mut(&monday(&commit)) {
                Some((commits, authors)) => {
                    *commits += 1;
                    authors.insert(commit.author().email_bytes().to_owned());
                }
                None if monday(&commit) < last => break,
                None => {}
            }
        }
        let weeks = by_week.into_iter().rev();
        Ok(Json(
            weeks
                .map(|(week, (commits, authors))| Week {
                    week,
                    commits,
                    authors: authors.len(),
                })
                .collect(),
        ))
    }
}

fn count(people: &mut HashMap<Vec<u8>, Contributor>, name: &[u8], email: &[u8], when: Timestamp) {
    let person = people
        .entry(email.to_ascii_lowercase())
        .or_insert_with(|| Contributor {
            name: String::from_utf8_lossy(name).into_owned(),
            email: String::from_utf8_lossy(email).into_owned(),
            commits: 0,
            first: when,
            latest: when,
        });
    person.commits += 1;
    person.first = person.first.min(when);
    person.latest = person.latest.max(when);
}

fn monday(commit: &Commit<'_>) -> Date {
    let day = day(commit);
    day.saturating_sub(i64::from(day.weekday().to_monday_zero_offset()).days())
}
