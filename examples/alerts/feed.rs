//! The server that has the data. `selective` is all that its tool does for it.

use crate::quake::{Quake, WEEK};
use pd_runtime::prelude::*;

/// The feed's server: one wide table.
#[derive(Debug, Default)]
pub(crate) struct Feed;

impl Feed {
    /// Earthquakes of the week before 2018-02-07, the latest first.
    ///
    /// # Examples
    ///
    /// The strongest, to look at where and how strong they were; everything else goes to another tool by `resource_url`:
    ///
    /// ```json
    /// { "min_magnitude": 5, "abstract_domains": "mag,place" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To have them counted or drawn, hand `resource_url` on with the rows of `abstract` that matter. It is good for one call:
    ///   list them again for another.
    #[pd_tool(summary = "List the week's earthquakes", selective, read_only)]
    async fn quakes(
        &self,
        /// Only those at least so strong.
        #[arg(default = 2.5, minimum = 0)]
        min_magnitude: f64,
        /// At most so many.
        #[arg(default = 100, minimum = 1)]
        limit: usize,
    ) -> Json<Vec<Quake>> {
        let strong = WEEK.iter().filter(|quake| quake.mag >= min_magnitude);
        Json(strong.take(limit).cloned().collect())
    }
}

pub(crate) fn registry() -> Registry<Feed> {
    pd_runtime::registry! {
        //! Earthquakes around the world.
        Feed::quakes,
    }
}
