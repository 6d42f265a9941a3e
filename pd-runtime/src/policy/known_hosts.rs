//! The hosts that are known to treat long lists in some way, by the name that they send. The server
//! reads the name only if its owner asks for that: MCP 2026-07-28 says that a server should not
//! depend on `clientInfo`.

use super::ListingStep;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::time::SystemTime;

/// How long a sighting holds. Hosts change every week, and a row that nobody has confirmed for this
/// long counts no more.
const DAYS: i64 = 180;

/// What a host does with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListTreatment {
    /// It shows names to its model, and loads the definitions of those that the model asks for.
    LoadsLate,
    /// It is for people and scripts, which have no context to save.
    ShowsAll,
    /// It drops tools beyond a number, or serves models with small windows.
    TakesFew(usize),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownHost {
    /// The beginning of its name, in lower case.
    pub(crate) name: &'static str,
    pub(crate) treatment: ListTreatment,
    /// The day on which it was last seen to do so.
    pub(crate) seen: &'static str,
}

const fn host(name: &'static str, treatment: ListTreatment, seen: &'static str) -> KnownHost {
    KnownHost {
        name,
        treatment,
        seen,
    }
}

/// The table, which `docs/agent-frameworks.md` shows.
pub(crate) const KNOWN_HOSTS: &[KnownHost] = {
    use ListTreatment::{LoadsLate, ShowsAll, TakesFew};
    &[
        host("claude-code", LoadsLate, "2026-09-22"),
        host("codex-mcp-client", LoadsLate, "2026-09-08"),
        host("cursor-vscode", LoadsLate, "2026-08-22"),
        host("visual studio code", TakesFew(100), "2026-08-22"),
        host("code - oss", TakesFew(100), "2026-08-22"),
        host("github-copilot-developer", TakesFew(100), "2026-09-09"),
        host("copilot-cli", TakesFew(100), "2026-09-09"),
        host("windsurf", TakesFew(60), "2026-08-22"),
        host("lmstudio-mcp-bridge", TakesFew(20), "2026-08-22"),
        host("jan-streamable-client", TakesFew(20), "2026-08-22"),
        host("inspector", ShowsAll, "2026-11-25"),
        host("mcporter", ShowsAll, "2026-11-25"),
    ]
};

/// Returns the row of a client's name today.
pub(crate) fn find(name: &str) -> Option<&'static KnownHost> {
    find_on(name, DateTime::<Utc>::from(SystemTime::now()).date_naive())
}

fn find_on(name: &str, today: NaiveDate) -> Option<&'static KnownHost> {
    // `mcp-remote` appends itself: `claude-code (via mcp-remote 0.15.1)` begins with the name as
    // well.
    let mut hosts = KNOWN_HOSTS.iter();
    let named = hosts.find(|host| {
        name.as_bytes()
            .get(..host.name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(host.name.as_bytes()))
    });
    named.filter(|host| host.is_known_on(today))
}

impl KnownHost {
    fn is_known_on(&self, today: NaiveDate) -> bool {
        let seen = self.seen.parse::<NaiveDate>().ok();
        let last = seen.and_then(|seen| seen.checked_add_signed(TimeDelta::days(DAYS)));
        last.is_some_and(|last| today <= last)
    }

    /// Returns the step of this host. `by_cost` is the step of other hosts, and `leaves_out` is the
    /// step that leaves tools out.
    pub(crate) fn step(
        &self,
        by_cost: ListingStep,
        leaves_out: ListingStep,
        visible: impl FnOnce() -> usize,
    ) -> ListingStep {
        match self.treatment {
            // The first kind leaves definitions out itself, and the second has no context to save.
            ListTreatment::LoadsLate | ListTreatment::ShowsAll => ListingStep::Full,
            ListTreatment::TakesFew(max) if !by_cost.leaves_out() && visible() > max => leaves_out,
            ListTreatment::TakesFew(_) => by_cost,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )]

    use super::*;

    #[test]
    fn a_row_counts_for_half_a_year() {
        let on = |day: &str| find_on("Claude-Code", day.parse().unwrap()).map(|host| host.name);
        assert_eq!(on("2026-11-25"), Some("claude-code"));
        assert_eq!(on("2027-03-21"), Some("claude-code"));
        assert_eq!(on("2027-03-22"), None);
    }

    #[test]
    fn names_count_by_their_beginning() {
        let find = |name: &str| find_on(name, "2026-11-25".parse().unwrap()).map(|host| host.name);
        for (name, host) in [
            ("claude-code (via mcp-remote 0.15.1)", Some("claude-code")),
            ("Visual Studio Code - Insiders", Some("visual studio code")),
            ("inspector-cli", Some("inspector")),
            ("mcp", None),
            ("not claude-code", None),
            ("claude-cod\u{e9}", None),
            ("", None),
        ] {
            assert_eq!(find(name), host, "{name}");
        }
    }

    #[test]
    fn each_row_has_a_day_and_a_name_in_lower_case() {
        for host in KNOWN_HOSTS {
            assert!(host.seen.parse::<NaiveDate>().is_ok(), "{host:?}");
            assert_eq!(host.name, host.name.to_lowercase());
        }
    }

    #[test]
    fn the_page_has_the_rows() {
        let page = include_str!("../../docs/agent-frameworks.md");
        for KnownHost {
            name,
            treatment,
            seen,
        } in KNOWN_HOSTS
        {
            let list = match treatment {
                ListTreatment::LoadsLate | ListTreatment::ShowsAll => "full".to_owned(),
                ListTreatment::TakesFew(max) => format!("grouped above {max} tools"),
            };
            let row = format!("| `{name}` | {list} |");
            let line = page
                .lines()
                .find(|line| line.starts_with(&row))
                .unwrap_or_else(|| panic!("no row {row:?}"));
            assert!(line.ends_with(&format!("| {seen} |")), "{line}");
        }
    }
}
