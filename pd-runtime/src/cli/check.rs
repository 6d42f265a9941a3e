//! `check`: what an author's test does, from the command line.

use super::{Failure, style};
use crate::Registry;

pub(super) fn check<S: 'static>(registry: &Registry<S>) -> Result<(), Failure> {
    let checked = registry.check()?;
    let style = style::Style::of_stdout();
    style::print(format_args!(
        "{} {} tools, {} examples that fit their schemas, a minimal listing of about {} tokens\n",
        style.green("ok"),
        checked.tools,
        checked.examples,
        style::thousands(checked.listing_tokens),
    ))?;
    Ok(())
}
