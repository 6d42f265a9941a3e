//! The table, and what is promised.

use super::contestant::Contestant::{self, *};
use std::fmt;

/// Everyone's figures.
#[derive(Debug)]
pub(crate) struct Report(Vec<Samples>);

/// What one contestant achieves: one figure a batch.
#[derive(Debug)]
pub(crate) struct Samples {
    contestant: Contestant,
    /// Calls by the clock's second.
    pub(crate) wall: Vec<f64>,
    /// Calls by the CPU's second.
    pub(crate) core: Vec<f64>,
}

/// A promise about one contestant's throughput in terms of another's.
#[derive(Debug)]
struct Target {
    who: Contestant,
    against: Contestant,
    by: By,
    at_least: f64,
}

/// Which second counts.
#[derive(Debug, Clone, Copy)]
enum By {
    Clock,
    Core,
}

const TARGETS: [Target; 6] = [
    Target {
        who: Ours,
        against: Plain,
        by: By::Clock,
        at_least: 0.97,
    },
    Target {
        who: Ours,
        against: Plain,
        by: By::Core,
        at_least: 0.97,
    },
    Target {
        who: OursInline,
        against: PlainInline,
        by: By::Clock,
        at_least: 0.97,
    },
    Target {
        who: OursInline,
        against: PlainInline,
        by: By::Core,
        at_least: 0.97,
    },
    Target {
        who: Ours,
        against: TwoStage,
        by: By::Clock,
        at_least: 3.0,
    },
    Target {
        who: Ours,
        against: TypeScript,
        by: By::Core,
        at_least: 1.0,
    },
];

impl Samples {
    /// None yet.
    pub(crate) fn of(contestant: Contestant) -> Self {
        Self {
            contestant,
            wall: Vec::new(),
            core: Vec::new(),
        }
    }
}

impl Report {
    /// A report of these figures.
    pub(crate) fn new(samples: Vec<Samples>) -> Self {
        Self(samples)
    }

    /// Whether every target is met.
    pub(crate) fn all_pass(&self) -> bool {
        self.targets()
            .all(|target| self.ratio(target) >= target.at_least)
    }

    /// Those of who took part.
    fn targets(&self) -> impl Iterator<Item = &Target> {
        let took_part = |who: Contestant| self.0.iter().any(|samples| samples.contestant == who);
        TARGETS
            .iter()
            .filter(move |target| took_part(target.who) && took_part(target.against))
    }

    fn figures(&self, contestant: Contestant, by: By) -> &[f64] {
        let samples = self
            .0
            .iter()
            .find(|samples| samples.contestant == contestant);
        samples.map_or(&[], |samples| match by {
            By::Clock => &samples.wall,
            By::Core => &samples.core,
        })
    }

    /// The median of the ratios of batches that ran side by side.
    fn ratio(&self, target: &Target) -> f64 {
        let figures = |contestant| self.figures(contestant, target.by).iter();
        median(
            figures(target.who)
                .zip(figures(target.against))
                .map(|(who, against)| who / against)
                .collect(),
        )
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<44}{:>12}{:>16}", "calls", "a second", "a CPU second")?;
        for contestant in self.0.iter().map(|samples| samples.contestant) {
            let [wall, core] =
                [By::Clock, By::Core].map(|by| median(self.figures(contestant, by).to_vec()));
            writeln!(f, "{:<44}{wall:>12.0}{core:>16.0}", contestant.name())?;
        }
        writeln!(f)?;
        for target in self.targets() {
            let ratio = self.ratio(target);
            let verdict = if ratio >= target.at_least {
                "PASS"
            } else {
                "FAIL"
            };
            writeln!(f, "{:<44}{ratio:>12.3}{verdict:>8}", target.to_string())?;
        }
        Ok(())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            By::Clock => "",
            By::Core => ", a CPU second",
        };
        write!(
            f,
            "{} / {} ≥ {}{by}",
            self.who.name(),
            self.against.name(),
            self.at_least
        )
    }
}
