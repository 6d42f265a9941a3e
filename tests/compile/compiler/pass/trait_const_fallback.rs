//! A local trait's constant loses against an inherent one of the same name, and serves where there is none, or one that
//! is private.
//!
//! `registry!` so says "no tool of this name on this type" where rustc would show a hidden constant's name.

mod tools {
    pub struct Repo;

    impl Repo {
        pub const TOOL_LOG: &'static str = "log";
        const TOOL_SHOW: &'static str = "show";

        pub fn show() -> &'static str {
            Self::TOOL_SHOW
        }
    }
}

trait Missing {
    const TOOL_LOG: &'static str = "missing";
    const TOOL_SHOW: &'static str = "missing";
    const TOOL_BLAME: &'static str = "missing";
}

impl<T> Missing for T {}

fn main() {
    use tools::Repo;
    assert_eq!(Repo::TOOL_LOG, "log");
    assert_eq!(Repo::TOOL_SHOW, "missing");
    assert_eq!(Repo::TOOL_BLAME, "missing");
    assert_eq!(Repo::show(), "show");
}
