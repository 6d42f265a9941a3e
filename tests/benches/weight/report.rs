//! The table of all servers.

use super::builds::BuildCosts;
use std::fmt;

/// A server in both forms. There is no command line with rmcp alone.
#[derive(Debug)]
pub(super) struct ServerRow {
    pub(super) name: &'static str,
    pub(super) ours: BuildCosts,
    pub(super) theirs: Option<BuildCosts>,
}

/// The table, one line for each server and side, and one for the ratios of both sides.
#[derive(Debug)]
pub(super) struct WeightTable<'a>(pub(super) &'a [ServerRow]);

const COLUMNS: [&str; 6] = [
    "crates",
    "debug CPU s",
    "release CPU s",
    "rebuild CPU s",
    "binary MB",
    "stripped MB",
];

fn figures(costs: &BuildCosts) -> [f64; COLUMNS.len()] {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let sizes = [megabytes(costs.unstripped), megabytes(costs.stripped)];
    [
        costs.crates as f64,
        costs.debug,
        costs.release,
        costs.rebuild,
        sizes[0],
        sizes[1],
    ]
}

fn line(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    cells: impl Iterator<Item = String>,
) -> fmt::Result {
    write!(f, "{title:<18}")?;
    cells
        .zip(COLUMNS)
        .try_for_each(|(cell, column)| write!(f, "  {cell:>width$}", width = column.len()))?;
    writeln!(f)
}

impl fmt::Display for WeightTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "", COLUMNS.map(str::to_owned).into_iter())?;
        for ServerRow { name, ours, theirs } in self.0 {
            let cells = |costs| {
                figures(costs)
                    .into_iter()
                    .enumerate()
                    .map(|(at, figure)| cell(at, figure))
            };
            line(f, &format!("{name}, pd-runtime"), cells(ours))?;
            let Some(theirs) = theirs else { continue };
            line(f, &format!("{name}, rmcp"), cells(theirs))?;
            let ratios = figures(ours)
                .into_iter()
                .zip(figures(theirs))
                .map(|(own, other)| own / other);
            line(f, "  ratio", ratios.map(|ratio| format!("{ratio:.2} ×")))?;
        }
        Ok(())
    }
}

/// Formats a figure of a column. The first column counts.
fn cell(column: usize, figure: f64) -> String {
    if column == 0 {
        format!("{figure:.0}")
    } else {
        format!("{figure:.1}")
    }
}
