//! Measuring: both sides take turns.

use super::{
    Failure,
    cargo::{clean_cost_of, cost_of, expanded_lines, prepare, size_of},
    package::Package,
    report::{Bound, Report, Row, Table, Unit},
};

/// How many tools are compared.
const TOOLS: usize = 200;
/// How many tools the checks of a registry are measured with.
const MANY: usize = 1000;

/// What is timed of both, and at most which part of theirs ours may take.
const TIMED: [(&str, &[&str], f64); 3] = [
    ("cargo check", &["check"], 0.4),
    ("debug build", &["build"], 0.4),
    ("release build", &["build", "--release"], 0.4),
];

/// Binaries: debug with debug information, as cargo leaves it; release, as generated here, without symbols.
const BINARIES: [(&str, &str); 2] = [
    ("debug binary", "debug"),
    ("release binary, stripped", "release"),
];

/// Measures everything, in this many rounds where it varies.
pub(crate) fn run(rounds: usize) -> Result<Report, Failure> {
    let (ours, theirs) = (Package::ours(TOOLS)?, Package::theirs(TOOLS)?);
    let mut rows = timed(rounds, &ours, &theirs)?;
    rows.push(expansion(&ours, &theirs)?);
    rows.extend(sizes(&ours, &theirs)?);
    rows.push(macros(rounds, &ours, &theirs)?);
    let tools = Table {
        title: format!("{TOOLS} tools of 4 arguments"),
        sides: ["ours", "rmcp's"],
        rows,
    };
    let rows = vec![checks(rounds)?];
    let registry = Table {
        title: format!("a registry of {MANY} tools"),
        sides: ["literal", "by hand"],
        rows,
    };
    Ok(Report {
        tables: [tools, registry],
    })
}

fn timed(rounds: usize, ours: &Package, theirs: &Package) -> Result<Vec<Row>, Failure> {
    let row = |(what, arguments, most): (&'static str, &[&str], f64)| {
        prepare(ours, arguments)?;
        prepare(theirs, arguments)?;
        let row = Row::new(what, Unit::Seconds, Bound::Ratio(most));
        row.raced(
            rounds,
            || cost_of(ours, arguments),
            || cost_of(theirs, arguments),
        )
    };
    TIMED.into_iter().map(row).collect()
}

/// Counted once: it does not vary.
fn expansion(ours: &Package, theirs: &Package) -> Result<Row, Failure> {
    let lines = |package| expanded_lines(package).map(|lines| lines as f64);
    Row::new("expanded lines", Unit::Lines, Bound::Ratio(0.3)).raced(
        1,
        || lines(ours),
        || lines(theirs),
    )
}

/// The binaries, and what all tools but the first add to them.
fn sizes(ours: &Package, theirs: &Package) -> Result<Vec<Row>, Failure> {
    let (our_one, their_one) = (Package::ours(1)?, Package::theirs(1)?);
    for package in [&our_one, &their_one] {
        prepare(package, &["build"])?;
        prepare(package, &["build", "--release"])?;
    }
    let mut rows = Vec::new();
    for (what, profile) in BINARIES {
        let size = |package| size_of(package, profile).map(|bytes| bytes as f64 / 1e6);
        let added = |many, one| Ok(size(many)? - size(one)?);
        let whole = Row::new(what, Unit::Megabytes, Bound::None);
        rows.push(whole.raced(1, || size(ours), || size(theirs))?);
        let share = Row::new(
            "  of it, 199 of the tools",
            Unit::Megabytes,
            Bound::Ratio(0.6),
        );
        rows.push(share.raced(1, || added(ours, &our_one), || added(theirs, &their_one))?);
    }
    Ok(rows)
}

/// The macro crates, with all that they depend on.
fn macros(rounds: usize, ours: &Package, theirs: &Package) -> Result<Row, Failure> {
    let row = Row::new("macro crate, clean build", Unit::Seconds, Bound::Ratio(1.2));
    row.raced(
        rounds,
        || clean_cost_of(ours, "pd-macros"),
        || clean_cost_of(theirs, "rmcp-macros"),
    )
}

/// What `registry!` checks, as the difference to a registry put together by hand from the same declarations.
///
/// A check that takes rustc too long fails the build: `long_running_const_eval` is denied by default.
fn checks(rounds: usize) -> Result<Row, Failure> {
    let (literal, by_hand) = (Package::ours(MANY)?, Package::ours_by_hand(MANY)?);
    prepare(&literal, &["build"])?;
    prepare(&by_hand, &["check"])?;
    let row = Row::new("cargo check", Unit::Seconds, Bound::Difference(0.5));
    row.raced(
        rounds,
        || cost_of(&literal, &["check"]),
        || cost_of(&by_hand, &["check"]),
    )
}
