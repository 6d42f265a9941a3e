//! The table, and what is promised.

use super::contestant::Contestant::{self, *};
use std::fmt;

/// The figures at every size.
#[derive(Debug)]
pub(crate) struct Report {
    unit: &'static str,
    figures: Vec<Figures>,
}

/// The figures at one size.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) tools: usize,
    pub(crate) samples: Vec<Samples>,
}

/// What one contestant's requests cost: one figure a batch.
#[derive(Debug)]
pub(crate) struct Samples {
    pub(crate) contestant: Contestant,
    pub(crate) costs: Vec<f64>,
}

/// A promise about one contestant's cost in terms of another's.
#[derive(Debug)]
struct Target {
    who: Contestant,
    against: Contestant,
    ratio: Ratio,
    /// The only size at which it is promised; at every size otherwise.
    only_at: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Ratio {
    AtMost(f64),
    AtLeast(f64),
}

const TARGETS: [Target; 5] = [
    Target {
        who: Session,
        against: Kept,
        ratio: Ratio::AtMost(1.05),
        only_at: None,
    },
    Target {
        who: Ticket,
        against: KeptInline,
        ratio: Ratio::AtMost(1.15),
        only_at: None,
    },
    Target {
        who: Rebuilt,
        against: Session,
        ratio: Ratio::AtLeast(4.0),
        only_at: Some(30),
    },
    Target {
        who: Describe,
        against: Constant,
        ratio: Ratio::AtMost(1.2),
        only_at: None,
    },
    Target {
        who: DescribeInline,
        against: ConstantInline,
        ratio: Ratio::AtMost(1.2),
        only_at: None,
    },
];

impl Samples {
    /// None yet.
    pub(crate) fn of(contestant: Contestant) -> Self {
        Self {
            contestant,
            costs: Vec::new(),
        }
    }
}

impl Figures {
    fn costs(&self, contestant: Contestant) -> &[f64] {
        self.samples
            .iter()
            .find(|samples| samples.contestant == contestant)
            .map_or(&[], |samples| &samples.costs)
    }

    /// The median of the ratios of batches that ran side by side.
    fn ratio(&self, who: Contestant, against: Contestant) -> f64 {
        median(
            self.costs(who)
                .iter()
                .zip(self.costs(against))
                .map(|(who, against)| who / against)
                .collect(),
        )
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Target {
    /// Whether it is kept at this size; `None` where it is not promised.
    fn verdict(&self, figures: &Figures) -> Option<bool> {
        let ratio = figures.ratio(self.who, self.against);
        let promised = self.only_at.is_none_or(|tools| tools == figures.tools);
        promised.then_some(match self.ratio {
            Ratio::AtMost(most) => ratio <= most,
            Ratio::AtLeast(least) => ratio >= least,
        })
    }
}

impl Report {
    /// A report of figures in this unit.
    pub(crate) fn new(unit: &'static str, figures: Vec<Figures>) -> Self {
        Self { unit, figures }
    }

    /// Whether every target is met.
    pub(crate) fn all_pass(&self) -> bool {
        self.figures.iter().all(|figures| {
            TARGETS
                .iter()
                .all(|target| target.verdict(figures) != Some(false))
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row(f, &format!("{} a request", self.unit), |figures| {
            format!("{} tools", figures.tools)
        })?;
        for contestant in Contestant::ALL {
            let cost =
                |figures: &Figures| format!("{:.1}", median(figures.costs(contestant).to_vec()));
            self.row(f, contestant.name(), cost)?;
        }
        writeln!(f)?;
        for target in &TARGETS {
            let verdict = |figures: &Figures| match target.verdict(figures) {
                Some(true) => "PASS",
                Some(false) => "FAIL",
                None => "    ",
            };
            let ratio = |figures: &Figures| figures.ratio(target.who, target.against);
            self.row(f, &target.to_string(), |figures| {
                format!("{:.3} {}", ratio(figures), verdict(figures))
            })?;
        }
        Ok(())
    }
}

impl Report {
    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        head: &str,
        cell: impl Fn(&Figures) -> String,
    ) -> fmt::Result {
        let cells: String = self
            .figures
            .iter()
            .map(|figures| format!("{:>14}", cell(figures)))
            .collect();
        writeln!(f, "{head:<36}{cells}")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, bound) = match self.ratio {
            Ratio::AtMost(most) => ('≤', most),
            Ratio::AtLeast(least) => ('≥', least),
        };
        write!(
            f,
            "{} / {} {sign} {bound}",
            self.who.name(),
            self.against.name()
        )
    }
}
