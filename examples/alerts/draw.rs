//! Points as a drawing.

use crate::charts::Point;
use base64::{DecodeError, Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use pd_runtime::{ToolArg, ToolError};
use plotters::{coord::Shift, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const SIZE: (u32, u32) = (900, 520);
/// How deep the deepest earthquakes are, in km.
const DEEPEST: f64 = 700.0;

/// What the drawing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ToolArg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum View {
    /// Where
    Map,
    /// When and how strong
    Time,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The drawing as SVG. Circles grow with the magnitude and darken with the depth.
pub(crate) fn svg(points: &[Point], view: View) -> Result<String, ToolError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawn = match view {
            View::Map => map(&area, points),
            View::Time => time(&area, points),
        };
        drawn.map_err(|fault| ToolError::new("NOT_DRAWN", fault.to_string()))?;
    }
    Ok(text)
}

fn map(area: &Area<'_>, points: &[Point]) -> Result<(), Fault> {
    let across = around(points.iter().map(|point| point.longitude), 5.0);
    let up = around(points.iter().map(|point| point.latitude), 5.0);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(across, up)?;
    chart
        .configure_mesh()
        .x_desc("longitude, degrees")
        .y_desc("latitude, degrees")
        .draw()?;
    chart.draw_series(
        points
            .iter()
            .map(|point| circle((point.longitude, point.latitude), point)),
    )?;
    area.present()?;
    Ok(())
}

fn time(area: &Area<'_>, points: &[Point]) -> Result<(), Fault> {
    let across = around(points.iter().map(|point| point.time as f64), 3.6e6);
    let up = around(points.iter().map(|point| point.mag), 0.2);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(across, up)?;
    chart
        .configure_mesh()
        .x_label_formatter(&|ms| day(*ms))
        .x_desc("UTC")
        .y_desc("magnitude")
        .draw()?;
    chart.draw_series(
        points
            .iter()
            .map(|point| circle((point.time as f64, point.mag), point)),
    )?;
    area.present()?;
    Ok(())
}

fn circle(at: (f64, f64), point: &Point) -> Circle<(f64, f64), i32> {
    let radius = (point.mag * 2.0).clamp(2.0, 20.0) as i32;
    let depth = (point.depth / DEEPEST).clamp(0.0, 1.0);
    Circle::new(
        at,
        radius,
        HSLColor(0.62, 0.75, 0.62 - 0.45 * depth).mix(0.6).filled(),
    )
}

/// From the least to the greatest, with room around them.
fn around(values: impl Iterator<Item = f64> + Clone, room: f64) -> Range<f64> {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let greatest = values.fold(f64::NEG_INFINITY, f64::max);
    least - room..greatest + room
}

fn day(ms: f64) -> String {
    Timestamp::from_millisecond(ms as i64)
        .map(|at| at.strftime("%b %d %H:%M").to_string())
        .unwrap_or_default()
}

/// The text as MCP carries images.
pub(crate) fn to_base64(text: &str) -> String {
    STANDARD.encode(text)
}

pub(crate) fn from_base64(text: &str) -> Result<Vec<u8>, DecodeError> {
    STANDARD.decode(text)
}
