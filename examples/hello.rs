//! The smallest complete server: three tools over one state.
//!
//! What to notice:
//!
//! - A tool is a method. What its caller sends comes by value, what the server lends by reference.
//! - `summary` is all that a model sees at first. The doc comment is what it gets when it asks.
//! - `registry!` names every tool once; the test checks all of them.
//!
//! ```sh
//! cargo run --example hello -- tour
//! cargo run --example hello -- serve
//! ```

use pd_runtime::prelude::*;
use std::{
    process::ExitCode,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The server's state: notes, kept until it stops.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    /// Keeps the text until the server stops.
    ///
    /// # Examples
    ///
    /// Something to remember:
    ///
    /// ```json
    /// { "text": "Water the plants" }
    /// ```
    #[pd_tool(summary = "Write down a note", related(Notes::list))]
    fn add(
        &self,
        /// What to remember.
        #[arg(min_length = 1)]
        text: String,
    ) -> String {
        let mut notes = self.notes();
        notes.push(text);
        format!("That is note {}.", notes.len())
    }

    /// Returns the latest notes, the newest first.
    ///
    /// # Examples
    ///
    /// The last one:
    ///
    /// ```json
    /// { "limit": 1 }
    /// ```
    #[pd_tool(summary = "List the latest notes", related(Notes::search), read_only)]
    fn list(
        &self,
        /// How many notes to return.
        #[arg(default = 10, minimum = 1)]
        limit: usize,
    ) -> Json<Vec<String>> {
        Json(self.notes().iter().rev().take(limit).cloned().collect())
    }

    /// Upper and lower case are the same.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "word": "plants" }
    /// ```
    #[pd_tool(
        summary = "Find notes that contain a word",
        related(Notes::list),
        read_only
    )]
    fn search(
        &self,
        /// The word, or a part of it.
        word: String,
    ) -> Json<Vec<String>> {
        let word = word.to_lowercase();
        Json(
            self.notes()
                .iter()
                .filter(|note| note.to_lowercase().contains(&word))
                .cloned()
                .collect(),
        )
    }

    fn notes(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn registry() -> Registry<Notes> {
    pd_runtime::registry! {
        //! Notes that last as long as the server runs.
        Notes::{add, list, search},
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(PdServer::builder(registry(), Notes::default())).await
}

#[test]
fn the_registry_keeps_its_promises() -> Result<(), pd_runtime::check::RegistryErrors> {
    registry().check().map(drop)
}

#[test]
fn a_reviewer_has_nothing_to_remark() {
    assert_eq!(registry().lint(), []);
}
