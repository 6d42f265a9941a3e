//! Every form of entry that `registry!` knows.

use pd_runtime::{Registry, prelude::*};

pub struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    pub fn status(&self) {}

    #[pd_tool(summary = "Search the files' text")]
    pub fn search(&self) {}

    #[pd_tool(summary = "List commits, newest first")]
    pub fn log(&self) {}
}

pub struct Users;

impl Users {
    #[pd_tool(summary = "Find a user by number")]
    pub fn find(&self) {}
}

mod clock {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Tell the server's time")]
    pub fn now() {}
}

#[pd_tool(summary = "Say nothing, politely")]
fn silence() {}

#[derive(State)]
pub struct App {
    repo: Repo,
    users: Users,
}

pub fn registry() -> Registry<App> {
    pd_runtime::registry! {
        //! Read-only access to one Git repository.
        //!
        //! Ask before you search.
        #![budget = 900]
        #![name = "repo"]
        #![version = "1.2.3"]
        Repo::{status, search},
        silence,
        self::clock::now,
        /// Read history: commits, authors.
        ///
        /// Begin with `log`.
        history: Repo::log,
        /// People and their caches.
        people_and_more: {
            Users::find,
            /// What is remembered of people.
            cache: { silence },
        },
    }
}

pub fn empty() -> Registry<()> {
    pd_runtime::registry! {}
}

fn main() {}
