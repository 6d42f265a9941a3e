//! The tables, and what is promised.

use super::Failure;
use std::fmt;

/// All that was measured.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) tables: [Table; 2],
}

/// Rows of figures about the same two sides.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    /// What the two sides are called; the first is the one that is bounded.
    pub(crate) sides: [&'static str; 2],
    pub(crate) rows: Vec<Row>,
}

/// Figures of both sides, a pair a round.
#[derive(Debug)]
pub(crate) struct Row {
    what: &'static str,
    unit: Unit,
    bound: Bound,
    pairs: Vec<[f64; 2]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    /// CPU seconds.
    Seconds,
    Megabytes,
    Lines,
}

/// What is promised of the first side, in terms of the second.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    /// It is at most this part of it.
    Ratio(f64),
    /// It is at most so much more.
    Difference(f64),
    /// Nothing.
    None,
}

impl Row {
    /// No figures yet.
    pub(crate) fn new(what: &'static str, unit: Unit, bound: Bound) -> Self {
        Self {
            what,
            unit,
            bound,
            pairs: Vec::new(),
        }
    }

    /// With the figures of so many rounds, in which both sides take turns.
    pub(crate) fn raced(
        mut self,
        rounds: usize,
        first: impl Fn() -> Result<f64, Failure>,
        second: impl Fn() -> Result<f64, Failure>,
    ) -> Result<Self, Failure> {
        for _ in 0..rounds {
            self.pairs.push([first()?, second()?]);
        }
        Ok(self)
    }

    /// The median of this over all rounds.
    fn median(&self, figure: impl Fn(&[f64; 2]) -> f64) -> f64 {
        let mut values: Vec<_> = self.pairs.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// What the bound is about: the ratio, or the difference.
    fn compared(&self) -> f64 {
        match self.bound {
            Bound::Ratio(_) | Bound::None => self.median(|[first, second]| first / second),
            Bound::Difference(_) => self.median(|[first, second]| first - second),
        }
    }

    /// Whether the bound is kept; `None` where there is none.
    fn verdict(&self) -> Option<bool> {
        match self.bound {
            Bound::Ratio(most) | Bound::Difference(most) => Some(self.compared() <= most),
            Bound::None => None,
        }
    }
}

impl Report {
    /// Whether every bound is kept.
    pub(crate) fn all_pass(&self) -> bool {
        self.tables
            .iter()
            .flat_map(|table| &table.rows)
            .all(|row| row.verdict() != Some(false))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tools, registry] = &self.tables;
        writeln!(f, "{tools}\n{registry}")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.sides;
        writeln!(
            f,
            "{:<40}{first:>12}{second:>12}{:>12}{:>8}",
            self.title, "compared", "bound"
        )?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = format!("{}, {}", self.what, self.unit);
        let first = self.unit.format(self.median(|[first, _]| *first));
        let second = self.unit.format(self.median(|[_, second]| *second));
        let compared = match self.bound {
            Bound::Ratio(_) | Bound::None => format!("{:.3} ×", self.compared()),
            Bound::Difference(_) => format!("{:+.3}", self.compared()),
        };
        let verdict = self
            .verdict()
            .map_or("", |kept| if kept { "PASS" } else { "FAIL" });
        write!(
            f,
            "{head:<40}{first:>12}{second:>12}{compared:>12}{:>8} {verdict}",
            self.bound
        )
    }
}

impl Unit {
    fn format(self, figure: f64) -> String {
        match self {
            Self::Seconds | Self::Megabytes => format!("{figure:.2}"),
            Self::Lines => format!("{figure}"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seconds => "CPU s",
            Self::Megabytes => "MB",
            Self::Lines => "count",
        })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio(most) | Self::Difference(most) => f.pad(&format!("≤ {most}")),
            Self::None => f.pad(""),
        }
    }
}
