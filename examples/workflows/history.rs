//! Two workflows with the Git server: several steps over 200 commits, and one line of a file.

use super::{
    Failure,
    arm::Arm,
    conversation::{Call, Conversation},
    workflow::{NeededTool, Task, Workflow},
};
use git2::{DiffOptions, Repository, Sort};
use pd_examples::git::{Repo, registry};
use pd_runtime::{code::CodeMode, prelude::*};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The commits that the workflow is about.
const COMMITS: usize = 200;
/// The most files that one page of `churn` has.
const PAGE: usize = 500;

const LOG: NeededTool = NeededTool {
    words: "list commits",
    name: "log",
};
const FILES: NeededTool = NeededTool {
    words: "rank files by how often they change",
    name: "churn",
};
const PEOPLE: NeededTool = NeededTool {
    words: "count commits by author",
    name: "contributors",
};

static CHURN: Task = Task {
    name: "git churn",
    request: "Of the last 200 commits: how many did each author make, and how many lines were added and removed in \
              each top-level directory? Files outside of directories count for the directory `.`.",
    tools: &[LOG, FILES],
    program: r#"
const authors = {}, directories = {};
for (const { author } of (await tools.log({ limit: 200 })).items) {
  authors[author] = (authors[author] ?? 0) + 1;
}
for (let skip = 0; skip !== undefined; ) {
  const page = await tools.churn({ commits: 200, limit: 500, skip });
  for (const { path, added, removed } of page.items) {
    const directory = path.includes("/") ? path.split("/")[0] : ".";
    directories[directory] = (directories[directory] ?? 0) + added + removed;
  }
  skip = page.next_skip;
}
return { authors, directories };
"#,
    has_steps: true,
};

static LINE: Task = Task {
    name: "one line of a file",
    request: "What does line 10 of README.md say?",
    tools: &[NeededTool {
        words: "read lines of a file",
        name: "cat",
    }],
    program: r#"
const text = await tools.cat({ path: "README.md", first_line: 10, limit: 1 });
return { line: text.split("\n")[0] };
"#,
    has_steps: false,
};

/// Counts commits by author and changed lines by directory.
#[derive(Debug)]
pub(crate) struct GitChurn {
    repository: PathBuf,
}

/// Reads one line.
#[derive(Debug)]
pub(crate) struct GitLine {
    repository: PathBuf,
}

impl GitChurn {
    /// Creates the workflow. Reports it and returns `None` where the clone has too few commits.
    ///
    /// # Errors
    ///
    /// There is no repository.
    pub(crate) fn new(repository: &Path) -> Result<Option<Self>, Failure> {
        let count = commits(&Repository::discover(repository)?)?.len();
        // A parent that a shallow clone does not have cannot be compared with.
        if count > COMMITS {
            return Ok(Some(Self {
                repository: repository.to_owned(),
            }));
        }
        let name = CHURN.name;
        eprintln!(
            "skipped `{name}`: the clone has {count} commits, and the workflow needs more than {COMMITS}"
        );
        Ok(None)
    }
}

impl GitLine {
    pub(crate) fn new(repository: &Path) -> Self {
        Self {
            repository: repository.to_owned(),
        }
    }
}

impl Workflow for GitChurn {
    type State = Repo;

    fn task(&self) -> &'static Task {
        &CHURN
    }

    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<Repo>, Failure> {
        serve(&self.repository, arm, mode)
    }

    fn tools(&self, arm: Arm) -> &'static [NeededTool] {
        if arm == Arm::FindAndSelect {
            &[LOG, PEOPLE, FILES]
        } else {
            CHURN.tools
        }
    }

    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure> {
        let page = |skip: usize| {
            Call::new(
                "churn",
                json!({ "commits": COMMITS, "limit": PAGE, "skip": skip }),
            )
        };
        let log = || Call::new("log", json!({ "limit": COMMITS }));
        let first = match conversation.arm {
            // A repository with one author needs no log.
            Arm::FindAndSelect => Call::new("contributors", json!({ "limit": 2 })),
            _ => log(),
        };
        let [people, mut churn] =
            <[Value; 2]>::try_from(conversation.call_all(vec![first, page(0)]).await?)
                .map_err(|_| "the server answers two calls with two results")?;
        let mut directories = BTreeMap::new();
        loop {
            add_lines(&churn, &mut directories);
            let Some(skip) = churn.get("next_skip").and_then(Value::as_u64) else {
                break;
            };
            churn = conversation
                .call_all(vec![page(skip as usize)])
                .await?
                .pop()
                .unwrap_or_default();
        }
        let authors = match (conversation.arm, items(&people)) {
            (Arm::FindAndSelect, [only]) => json!({ text(only, "name"): COMMITS }),
            (Arm::FindAndSelect, _) => count_authors(&conversation.call_all(vec![log()]).await?),
            _ => count_authors(&[people]),
        };
        Ok(json!({ "authors": authors, "directories": directories }))
    }

    fn right_answer(&self) -> Result<Value, Failure> {
        let repository = Repository::discover(&self.repository)?;
        let (mut authors, mut directories) = (BTreeMap::new(), BTreeMap::new());
        for id in commits(&repository)?.into_iter().take(COMMITS) {
            let commit = repository.find_commit(id)?;
            let author = String::from_utf8_lossy(commit.author().name_bytes()).into_owned();
            *authors.entry(author).or_insert(0) += 1;
            if commit.parent_count() > 1 {
                continue;
            }
            let parent = commit
                .parents()
                .next()
                .map(|parent| parent.tree())
                .transpose()?;
            let mut options = DiffOptions::new();
            let diff = repository.diff_tree_to_tree(
                parent.as_ref(),
                Some(&commit.tree()?),
                Some(&mut options),
            )?;
            // A file without changed lines, such as an image, counts for its directory, too.
            for delta in diff.deltas() {
                directories.entry(directory_of(&delta)).or_insert(0);
            }
            let mut count = |delta: git2::DiffDelta<'_>,
                             _: Option<git2::DiffHunk<'_>>,
                             line: git2::DiffLine<'_>| {
                if matches!(line.origin(), '+' | '-') {
                    *directories.entry(directory_of(&delta)).or_insert(0) += 1;
                }
                true
            };
            diff.foreach(&mut |_, _| true, None, None, Some(&mut count))?;
        }
        Ok(json!({ "authors": authors, "directories": directories }))
    }
}

impl Workflow for GitLine {
    type State = Repo;

    fn task(&self) -> &'static Task {
        &LINE
    }

    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<Repo>, Failure> {
        serve(&self.repository, arm, mode)
    }

    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure> {
        let text = conversation
            .call(
                "cat",
                json!({ "path": "README.md", "first_line": 10, "limit": 1 }),
            )
            .await?;
        Ok(json!({ "line": text.as_str().and_then(|text| text.lines().next()) }))
    }

    fn right_answer(&self) -> Result<Value, Failure> {
        let repository = Repository::discover(&self.repository)?;
        let file = repository
            .head()?
            .peel_to_tree()?
            .get_path(Path::new("README.md"))?
            .to_object(&repository)?;
        let text = file.peel_to_blob()?.content().to_owned();
        Ok(json!({ "line": String::from_utf8(text)?.lines().nth(9) }))
    }
}

fn serve(repository: &Path, arm: Arm, mode: &CodeMode) -> Result<PdServer<Repo>, Failure> {
    Ok(arm
        .apply(
            PdServer::builder(registry(), Repo::discover(repository)?),
            mode,
        )
        .build()?)
}

/// Returns the ids of all commits, the newest first.
fn commits(repository: &Repository) -> Result<Vec<git2::Oid>, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TIME)?;
    walk.push_head()?;
    walk.collect()
}

fn count_authors(logs: &[Value]) -> Value {
    let mut authors = BTreeMap::new();
    for commit in logs.iter().flat_map(items) {
        *authors.entry(text(commit, "author")).or_insert(0) += 1;
    }
    json!(authors)
}

fn add_lines(churn: &Value, directories: &mut BTreeMap<String, u64>) {
    for file in items(churn) {
        *directories
            .entry(top_level(text(file, "path")))
            .or_insert(0) += lines(file, "added") + lines(file, "removed");
    }
}

fn directory_of(delta: &git2::DiffDelta<'_>) -> String {
    let file = delta.new_file().path().or_else(|| delta.old_file().path());
    top_level(&file.unwrap_or(Path::new("")).to_string_lossy())
}

fn top_level(path: &str) -> String {
    path.split_once('/')
        .map_or(".", |(directory, _)| directory)
        .to_owned()
}

fn items(page: &Value) -> &[Value] {
    page.get("items")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn text<'a>(item: &'a Value, column: &str) -> &'a str {
    item.get(column).and_then(Value::as_str).unwrap_or_default()
}

fn lines(item: &Value, column: &str) -> u64 {
    item.get(column).and_then(Value::as_u64).unwrap_or_default()
}
