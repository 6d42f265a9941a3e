//! A server with every kind of test. The tests are in `tests.rs`.
//!
//! ```sh
//! cargo test -p pd-examples --example testing
//! cargo run --example testing -- check --lock examples/testing/expected/tools.lock
//! ```
//!
//! Notice: a tool stays a function, so most tests need neither a server nor JSON.

#[cfg(test)]
mod tests;

use pd_runtime::prelude::*;
use std::{
    collections::BTreeSet,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

const NAMES: [&str; 2] = ["Ada", "Grace"];

/// The booked rooms, each with its day.
#[derive(Debug, Default)]
struct Rooms(Mutex<BTreeSet<(String, String)>>);

#[derive(Debug, PartialEq, Eq, thiserror::Error, ToolErrors)]
enum BookingError {
    /// Ask `free` for the rooms of that day.
    #[error("`{room}` is not free on {day}")]
    NotFree { room: String, day: String },
}

impl Rooms {
    /// Names the rooms that nobody has booked.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "day": "2026-08-03" }
    /// ```
    #[pd_tool(
        summary = "List the free rooms of a day",
        related(Rooms::book),
        aliases("available"),
        read_only
    )]
    fn free(
        &self,
        /// The day, such as 2026-08-03.
        #[arg(format = "date")]
        day: String,
    ) -> Json<Vec<&'static str>> {
        let is_free = |name: &&str| !self.is_booked(name, &day);
        Json(NAMES.into_iter().filter(is_free).collect())
    }

    /// Books a room for a whole day.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "room": "Ada", "day": "2026-08-03" }
    /// ```
    #[pd_tool(
        summary = "Book a room for a meeting",
        related(Rooms::free),
        scopes("rooms:write")
    )]
    async fn book(
        &self,
        /// A room's name.
        room: String,
        /// The day, such as 2026-08-03.
        #[arg(format = "date")]
        day: String,
        call: &CallContext,
    ) -> Result<String, BookingError> {
        if !NAMES.contains(&room.as_str()) || self.is_booked(&room, &day) {
            return Err(BookingError::NotFree { room, day });
        }
        call.progress(1.0, Some(1.0), "booked").await;
        let text = format!("{room} is yours on {day}.");
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((room, day));
        Ok(text)
    }

    fn is_booked(&self, room: &str, day: &str) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&(room.to_owned(), day.to_owned()))
    }
}

fn registry() -> Registry<Rooms> {
    pd_runtime::registry! {
        //! Meeting rooms and who has them.
        Rooms::{free, book},
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(PdServer::builder(registry(), Rooms::default())).await
}
