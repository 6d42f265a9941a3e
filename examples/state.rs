//! A server of several parts: state by type, one generic declaration served twice, progress.
//!
//! What to notice:
//!
//! - `#[derive(State)]` lends each field of `App`, so a tool asks only for the parts it uses: `import` borrows a shelf
//!   and the clock.
//! - `Shelf<T>` declares its tools once. `with_prefix` serves them as `book_find` and `film_find`.
//! - An argument's type documents it: `Title` says everywhere what a title is.
//! - A long call reports its progress and ends when its client cancels it.

use pd_runtime::{check::RegistryErrors, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    process::ExitCode,
    sync::{PoisonError, RwLock, RwLockReadGuard},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// All of the server's state.
#[derive(Debug, Default, State)]
struct App {
    books: Shelf<Book>,
    films: Shelf<Film>,
    clock: Clock,
}

/// What time it is, and for how long the server has run.
#[derive(Debug)]
struct Clock {
    started: Instant,
}

/// Things of one kind.
#[derive(Debug)]
struct Shelf<T>(RwLock<Vec<Kept<T>>>);

/// A thing, and since when it has been here.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Kept<T> {
    /// The thing itself.
    #[serde(flatten)]
    thing: T,
    /// When it was imported, in seconds since 1970.
    since: u64,
}

/// A title as it stands on the cover; a part of it will do, in any case.
#[derive(Debug, Clone, Deserialize, JsonSchema, ToolArg)]
#[serde(transparent)]
struct Title(String);

/// A book.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Book {
    /// Its title.
    title: String,
    /// Who wrote it.
    author: String,
}

/// A film.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Film {
    /// Its title.
    title: String,
    /// How many minutes it takes.
    minutes: u32,
}

/// What can stand on a shelf.
trait Titled: Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    fn title(&self) -> &str;
}

impl Titled for Book {
    fn title(&self) -> &str {
        &self.title
    }
}

impl Titled for Film {
    fn title(&self) -> &str {
        &self.title
    }
}

/// Why a shelf did not do what it was asked.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum ShelfError {
    /// Search for a shorter part of the title.
    #[error("nothing here is called `{0}`")]
    NotFound(String),
    /// What was imported before stays: import the rest.
    #[error("the call was cancelled after {0} things")]
    Cancelled(usize),
}

impl<T: Titled> Shelf<T> {
    /// Compares the titles of everything on the shelf.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "title": "emma" }
    /// ```
    #[pd_tool(
        summary = "Find a thing by its title",
        related(Self::import),
        read_only
    )]
    fn find(&self, title: Title) -> Result<Json<Vec<Kept<T>>>, ShelfError> {
        let wanted = title.0.to_lowercase();
        let is_wanted = |kept: &&Kept<T>| kept.thing.title().to_lowercase().contains(&wanted);
        let found: Vec<_> = self.kept().iter().filter(is_wanted).cloned().collect();
        if found.is_empty() {
            Err(ShelfError::NotFound(title.0))
        } else {
            Ok(Json(found))
        }
    }

    /// Puts things on the shelf one by one and reports after each how far it is.
    ///
    /// # Guidance
    ///
    /// - Send many at once rather than one a call; a cancelled import keeps what came before.
    #[pd_tool(summary = "Put things on the shelf", related(Self::find))]
    async fn import(
        &self,
        clock: &Clock,
        /// What to put there, in this order.
        #[arg(min_items = 1)]
        things: Vec<T>,
        call: &CallContext,
    ) -> Result<String, ShelfError> {
        let total = things.len();
        for (done, thing) in things.into_iter().enumerate() {
            if call.is_cancelled() {
                return Err(ShelfError::Cancelled(done));
            }
            let title = thing.title().to_owned();
            self.0
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .push(Kept {
                    thing,
                    since: clock.now(),
                });
            call.progress(done as f64 + 1.0, Some(total as f64), title)
                .await;
        }
        Ok(format!("{total} more, {} in all.", self.kept().len()))
    }

    fn kept(&self) -> RwLockReadGuard<'_, Vec<Kept<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl Clock {
    /// Counts from the moment the server began to serve.
    #[pd_tool(summary = "Tell how long the server has been running", read_only)]
    fn uptime(&self) -> String {
        format!("{} seconds", self.started.elapsed().as_secs())
    }

    fn now(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

fn registry() -> Result<Registry<App>, RegistryErrors> {
    let app: Registry<App> = pd_runtime::registry! {
        //! A library of books and films. Both shelves have the same tools.
        Clock::uptime,
    };
    app.merge(shelf::<Book>().with_prefix("book_"))?
        .merge(shelf::<Film>().with_prefix("film_"))
}

fn shelf<T: Titled>() -> Registry<App>
where
    App: Provide<Shelf<T>>,
{
    pd_runtime::registry! { Shelf::<T>::{find, import} }
}

#[tokio::main]
async fn main() -> ExitCode {
    match registry() {
        Ok(registry) => pd_runtime::cli::main(PdServer::builder(registry, App::default())).await,
        Err(problems) => pd_runtime::cli::fail(&problems),
    }
}

#[test]
fn the_registry_keeps_its_promises() -> Result<(), RegistryErrors> {
    registry()?.check().map(drop)
}

#[test]
fn a_reviewer_has_nothing_to_remark() -> Result<(), RegistryErrors> {
    assert_eq!(registry()?.lint(), []);
    Ok(())
}

#[tokio::test]
async fn an_import_reports_its_progress() -> Result<(), ToolError> {
    let (app, call) = (App::default(), CallContext::recording());
    let things = serde_json::json!({ "things": [{ "title": "Emma", "author": "Austen" }] });
    registry()?
        .call_with(&app, "book_import", things, &call)
        .await?;
    assert_eq!(call.recorded().len(), 1);
    assert_eq!(app.books.kept().len(), 1);
    Ok(())
}
