//! The table, and what is promised.

use super::{measure::Figures, options::Size, wave::READ};
use std::fmt;

/// What a session of ours may hold that one of rmcp's does not: bytes, and bytes for each description that it was given.
const SESSION: f64 = 300.0;
const DISCLOSURE: f64 = 24.0;
/// How far the second wave's peak may lie above the first's.
const RISE: f64 = 1.1;

/// Both sides' figures.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) size: Size,
    pub(crate) ours: Figures,
    pub(crate) plain: Figures,
}

impl Report {
    /// Whether every target is met.
    pub(crate) fn all_pass(&self) -> bool {
        self.share() <= most() && self.rise() <= RISE
    }

    /// What a session of ours holds beyond rmcp's, in bytes.
    fn share(&self) -> f64 {
        let [ours, plain] = self.each(|figures| figures.opened);
        ours - plain
    }

    fn rise(&self) -> f64 {
        let [first, second] = self.ours.peaks;
        second as f64 / first as f64
    }

    /// Bytes a session on both sides, ours first.
    fn each(&self, of: impl Fn(&Figures) -> usize) -> [f64; 2] {
        [&self.ours, &self.plain]
            .map(|side| (of(side) as f64 - side.before as f64) / self.size.sessions as f64)
    }
}

fn most() -> f64 {
    SESSION + DISCLOSURE * READ.len() as f64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size {
            sessions,
            connections,
        } = self.size;
        writeln!(
            f,
            "{sessions} sessions over {connections} connections, {} descriptions each, no error",
            READ.len()
        )?;
        writeln!(
            f,
            "{:<40}{:>12}{:>12}{:>12}",
            "live heap a session, in bytes", "ours", "plain", "difference"
        )?;
        self.row(f, "open, descriptions read", |figures| figures.opened)?;
        self.row(f, "closed", |figures| figures.closed)?;
        writeln!(
            f,
            "{:<40}{:>12}{:>12}",
            "peak of the live heap, in KiB", "first wave", "second"
        )?;
        for (name, [first, second]) in [("ours", self.ours.peaks), ("plain", self.plain.peaks)] {
            writeln!(f, "  {name:<38}{:>12}{:>12}", first / 1024, second / 1024)?;
        }
        writeln!(f)?;
        verdict(
            f,
            &format!("our share of a session ≤ {} bytes", most()),
            self.share(),
            most(),
        )?;
        verdict(
            f,
            &format!("second peak / first ≤ {RISE}"),
            self.rise(),
            RISE,
        )
    }
}

impl Report {
    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        head: &str,
        of: impl Fn(&Figures) -> usize,
    ) -> fmt::Result {
        let [ours, plain] = self.each(of);
        writeln!(
            f,
            "  {head:<38}{ours:>12.0}{plain:>12.0}{:>12.0}",
            ours - plain
        )
    }
}

fn verdict(f: &mut fmt::Formatter<'_>, target: &str, figure: f64, most: f64) -> fmt::Result {
    writeln!(
        f,
        "{target:<52}{figure:>12.3}{:>8}",
        if figure <= most { "PASS" } else { "FAIL" }
    )
}
