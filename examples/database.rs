//! State with a database pool: tasks in a SQLite file, and several connections to it.
//! `pd-runtime/docs/database.md` explains this file.
//!
//! ```sh
//! cargo run --example database -- call add_task '{"title": "Water the plants"}'
//! cargo run --example database -- call list_tasks
//! TASKS_FILE=/var/lib/tasks.db cargo run --example database -- serve
//! ```

use deadpool_sqlite::{
    Config, Hook, HookError, InteractError, Pool, PoolError, Runtime,
    rusqlite::{self, Connection, ErrorCode, TransactionBehavior},
};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::{error::Error, path::PathBuf, process::ExitCode, time::Duration};

/// The server's state. Each call borrows a connection from the pool.
#[derive(Debug)]
struct Tasks {
    pool: Pool,
}

/// A task.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Task {
    /// The number that other tools take.
    id: i64,
    /// What to do.
    title: String,
    /// Whether it is done.
    done: bool,
}

/// The number of connections. SQLite has one writer at a time; the others read meanwhile.
const CONNECTIONS: usize = 4;

/// The longest time that a call waits for a connection, and a writer for another writer.
const WAIT_MAX: Duration = Duration::from_secs(5);

impl Tasks {
    /// Opens the file, creates it if it does not exist, and brings its tables up to date.
    async fn open(path: impl Into<PathBuf>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let pool = Config::new(path)
            .builder(Runtime::Tokio1)?
            .max_size(CONNECTIONS)
            .wait_timeout(Some(WAIT_MAX))
            .post_create(Hook::async_fn(|connection, _| {
                Box::pin(async {
                    let configured = connection.interact(configure).await;
                    configured
                        .map_err(|error| HookError::message(error.to_string()))?
                        .map_err(HookError::Backend)
                })
            }))
            .build()?;
        let tasks = Self { pool };
        tasks.query(migrate).await?;
        Ok(tasks)
    }

    /// Runs a query on a thread for blocking work, so that the runtime's threads stay free.
    async fn query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, TaskError> {
        let connection = self.pool.get().await?;
        Ok(connection.interact(query).await??)
    }
}

/// Configures a new connection. With a write-ahead log, readers do not wait for the writer.
fn configure(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(WAIT_MAX)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;",
    )
}

/// One step for each version of the tables. Released steps never change; add steps at the end.
const MIGRATIONS: [&str; 2] = [
    "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;",
    "ALTER TABLE task ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
     CREATE UNIQUE INDEX open_title ON task (title) WHERE NOT done;",
];

/// Runs the steps that the file does not have yet.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Of two processes that start at once, the second waits here and then has nothing to do.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (step, next) in MIGRATIONS.iter().zip(1u32..).skip(version as usize) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", next)?;
    }
    transaction.commit()
}

/// The reason why a call failed. Each variant is a code, and its comment is the advice to the model.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum TaskError {
    /// Call `list_tasks` for the numbers that exist.
    #[error("no task has the number {0}")]
    NotFound(i64),
    /// Finish the open task first, or choose another title.
    #[error("an open task has this title already")]
    Duplicate,
    /// Send the same call again.
    #[error("the database is busy")]
    Busy,
    /// Report this to the user. The same call will fail again.
    #[error("the database failed")]
    Database,
}

impl From<rusqlite::Error> for TaskError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => Self::Duplicate,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::logged(&error),
        }
    }
}

impl From<PoolError> for TaskError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(_) => Self::Busy,
            PoolError::Backend(error) => error.into(),
            other => Self::logged(&other),
        }
    }
}

impl From<InteractError> for TaskError {
    fn from(error: InteractError) -> Self {
        Self::logged(&error)
    }
}

impl TaskError {
    /// Logs the cause. Its text may contain SQL and paths, which are not for the model.
    fn logged(error: &(dyn Error + 'static)) -> Self {
        tracing::error!(error, "a query failed");
        Self::Database
    }
}

impl Tasks {
    /// Open tasks have different titles.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "title": "Water the plants" }
    /// ```
    #[pd_tool(summary = "Add a task", related(Tasks::list_tasks))]
    async fn add_task(
        &self,
        /// What to do.
        #[arg(min_length = 1, max_length = 200)]
        title: String,
    ) -> Result<Json<Task>, TaskError> {
        self.query(|connection| {
            connection.execute("INSERT INTO task (title) VALUES (?1)", [&title])?;
            Ok(Json(Task {
                id: connection.last_insert_rowid(),
                title,
                done: false,
            }))
        })
        .await
    }

    /// The newest tasks come first.
    ///
    /// # Examples
    ///
    /// What is left to do:
    ///
    /// ```json
    /// { "limit": 20 }
    /// ```
    #[pd_tool(summary = "List what is left to do", read_only)]
    async fn list_tasks(
        &self,
        /// Whether to list tasks that are done, too.
        #[arg(default = false)]
        done: bool,
        /// How many tasks to return.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
    ) -> Result<Json<Vec<Task>>, TaskError> {
        self.query(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, title, done FROM task WHERE ?1 OR NOT done ORDER BY id DESC LIMIT ?2",
            )?;
            let rows = statement.query_map((done, limit), |row| {
                Ok(Task {
                    id: row.get("id")?,
                    title: row.get("title")?,
                    done: row.get("done")?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>().map(Json)
        })
        .await
    }

    /// A task that is done stays in the file.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "id": 1 }
    /// ```
    #[pd_tool(
        summary = "Mark a task as done",
        idempotent,
        related(Tasks::list_tasks)
    )]
    async fn finish_task(
        &self,
        /// The task's number.
        id: i64,
    ) -> Result<String, TaskError> {
        let changed = self
            .query(move |c| c.execute("UPDATE task SET done = 1 WHERE id = ?1", [id]))
            .await?;
        if changed == 0 {
            Err(TaskError::NotFound(id))
        } else {
            Ok(format!("Task {id} is done."))
        }
    }
}

fn registry() -> Registry<Tasks> {
    pd_runtime::registry! {
        //! Tasks that outlive the server.
        Tasks::{add_task, list_tasks, finish_task},
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let file = std::env::var_os("TASKS_FILE").unwrap_or_else(|| "tasks.db".into());
    match Tasks::open(file).await {
        Ok(tasks) => pd_runtime::cli::main(PdServer::builder(registry(), tasks)).await,
        Err(error) => pd_runtime::cli::fail(&error),
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::{CONNECTIONS, MIGRATIONS, Task, Tasks, registry};
    use pd_runtime::ToolError;
    use serde_json::{Value, json};

    #[test]
    fn the_registry_keeps_its_promises() {
        registry().check().unwrap();
        assert_eq!(registry().lint(), []);
    }

    /// A file of its own for each test.
    async fn open() -> (tempfile::TempDir, Tasks) {
        let directory = tempfile::tempdir().unwrap();
        let tasks = Tasks::open(directory.path().join("tasks.db"))
            .await
            .unwrap();
        (directory, tasks)
    }

    async fn call(tasks: &Tasks, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        Ok(registry()
            .call(tasks, tool, arguments)
            .await?
            .structured_content
            .unwrap_or_default())
    }

    #[tokio::test]
    async fn tasks_outlive_the_server() {
        let (directory, tasks) = open().await;
        call(&tasks, "add_task", json!({ "title": "Water the plants" }))
            .await
            .unwrap();
        drop(tasks);
        let reopened = Tasks::open(directory.path().join("tasks.db"))
            .await
            .unwrap();
        let listed = reopened.list_tasks(false, 50).await.unwrap().0;
        assert_eq!(
            listed,
            [Task {
                id: 1,
                title: "Water the plants".into(),
                done: false
            }]
        );
    }

    #[tokio::test]
    async fn errors_have_codes_that_a_model_can_act_on() {
        let (_directory, tasks) = open().await;
        let water = || call(&tasks, "add_task", json!({ "title": "Water the plants" }));
        water().await.unwrap();
        assert_eq!(water().await.unwrap_err().code, "DUPLICATE");
        assert_eq!(
            call(&tasks, "finish_task", json!({ "id": 7 }))
                .await
                .unwrap_err()
                .code,
            "NOT_FOUND"
        );
        call(&tasks, "finish_task", json!({ "id": 1 }))
            .await
            .unwrap();
        water().await.unwrap();
        tasks
            .query(|c| c.execute_batch("DROP TABLE task"))
            .await
            .unwrap();
        let failed = water().await.unwrap_err();
        assert_eq!(
            (&*failed.code, failed.message.contains("no such table")),
            ("DATABASE", false)
        );
    }

    /// Ten times as many calls as connections, each of which writes and reads.
    #[tokio::test(flavor = "multi_thread")]
    async fn calls_run_beside_one_another() {
        let (_directory, tasks) = open().await;
        let count = 10 * CONNECTIONS;
        let calls = (0..count).map(|n| {
            let tasks = &tasks;
            async move {
                let added =
                    call(tasks, "add_task", json!({ "title": format!("Task {n}") })).await?;
                call(tasks, "list_tasks", json!({ "limit": 1 })).await?;
                call(tasks, "finish_task", json!({ "id": added["id"] })).await
            }
        });
        futures::future::try_join_all(calls).await.unwrap();
        let all = tasks.list_tasks(true, 500).await.unwrap().0;
        assert_eq!((all.len(), all.iter().all(|task| task.done)), (count, true));
        assert!(tasks.pool.status().size <= CONNECTIONS);
    }

    /// A file that an older version wrote gets the steps that it lacks, once.
    #[tokio::test]
    async fn an_old_file_is_migrated() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tasks.db");
        let old = deadpool_sqlite::rusqlite::Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        old.execute_batch("PRAGMA user_version = 1; INSERT INTO task (title) VALUES ('Old');")
            .unwrap();
        drop(old);
        for _ in 0..2 {
            let tasks = Tasks::open(&path).await.unwrap();
            assert_eq!(tasks.list_tasks(false, 50).await.unwrap().0[0].title, "Old");
        }
    }
}
