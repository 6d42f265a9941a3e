//! The server that knows nothing of earthquakes: it counts and draws the rows that it is handed.

use crate::draw::{self, View};
use pd_runtime::{
    Selected,
    prelude::*,
    rmcp::model::{Annotations, ContentBlock, ImageContent, Role},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The statistics server.
#[derive(Debug, Default)]
pub(crate) struct Charts;

/// What it needs to know of a place where something was measured.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Point {
    /// How strong
    pub(crate) mag: f64,
    /// In degrees, east positive
    pub(crate) longitude: f64,
    /// In degrees, north positive
    pub(crate) latitude: f64,
    /// In km
    pub(crate) depth: f64,
    /// In ms since 1970
    pub(crate) time: i64,
}

/// Points in figures.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Figures {
    count: usize,
    mean_magnitude: f64,
    largest: f64,
    median_depth_km: f64,
    /// Share of them less than 70 km deep.
    shallow: f64,
}

impl Charts {
    /// How many, how strong, how deep.
    ///
    /// # Examples
    ///
    /// Rows that another tool listed:
    ///
    /// ```json
    /// { "abstract_data": "[{\"_row_id\": 0}, {\"_row_id\": 3}]", "resource_url": "https://feed.example/s2sp/data/TOKEN" }
    /// ```
    #[pd_tool(summary = "Count points by strength and depth", read_only)]
    async fn count(
        &self,
        /// What to count.
        points: Selected<Point>,
        call: &CallContext,
    ) -> Result<Json<Figures>, ToolError> {
        let points = points.rows(call).await?;
        Ok(Json(Figures::of(&points).ok_or_else(nothing)?))
    }

    /// Draws an SVG, which the user sees.
    ///
    /// # Examples
    ///
    /// Rows that another tool listed, on a map:
    ///
    /// ```json
    /// { "abstract_data": "[{\"_row_id\": 0}]", "resource_url": "https://feed.example/s2sp/data/TOKEN", "view": "map" }
    /// ```
    #[pd_tool(summary = "Draw points on a map or over time", read_only)]
    async fn draw(
        &self,
        /// What to draw.
        points: Selected<Point>,
        /// Where they were, or when.
        #[arg(default = "map")]
        view: View,
        call: &CallContext,
    ) -> Result<Vec<ContentBlock>, ToolError> {
        let points = points.rows(call).await?;
        if points.is_empty() {
            return Err(nothing());
        }
        let image = ImageContent::new(draw::to_base64(&draw::svg(&points, view)?), "image/svg+xml");
        let image = image.with_annotations(Annotations::default().with_audience(vec![Role::User]));
        Ok(vec![
            ContentBlock::text(format!("{} points drawn.", points.len())),
            ContentBlock::Image(image),
        ])
    }
}

fn nothing() -> ToolError {
    ToolError::new(
        "NO_POINTS",
        "there is no row to look at; name some in `abstract_data`",
    )
}

impl Figures {
    fn of(points: &[Point]) -> Option<Self> {
        let count = points.len();
        let share = |how_many: f64| how_many / count as f64;
        let mut depths: Vec<f64> = points.iter().map(|point| point.depth).collect();
        depths.sort_by(f64::total_cmp);
        Some(Self {
            count,
            mean_magnitude: share(points.iter().map(|point| point.mag).sum()),
            largest: points
                .iter()
                .map(|point| point.mag)
                .max_by(f64::total_cmp)?,
            median_depth_km: *depths.get(count / 2)?,
            shallow: share(depths.iter().filter(|depth| **depth < 70.0).count() as f64),
        })
    }
}

pub(crate) fn registry() -> Registry<Charts> {
    pd_runtime::registry! {
        //! Statistics of points on Earth.
        Charts::{count, draw},
    }
}
