//! What is known of one earthquake: 29 columns, of which a request seldom needs more than three.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A row of the feed. What the columns mean is told in the survey's glossary.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Quake {
    /// Magnitude
    pub(crate) mag: f64,
    /// Where, in words
    place: String,
    /// When it began, in ms since 1970
    pub(crate) time: i64,
    /// When the entry last changed, in ms since 1970
    updated: i64,
    /// The place's offset from UTC, in minutes
    tz: i64,
    /// Its page
    url: String,
    /// Its data
    detail: String,
    /// How many people reported it
    felt: Option<u32>,
    /// Highest reported intensity, 0 to 10
    cdi: Option<f64>,
    /// Highest estimated intensity, 0 to 10
    mmi: Option<f64>,
    /// PAGER alert: green, yellow, orange or red
    alert: Option<String>,
    /// automatic or reviewed
    status: String,
    /// 1 where the sea may be affected
    tsunami: u8,
    /// Significance, 0 to 1000
    sig: u32,
    /// The reporting network
    net: String,
    /// Its number in that network
    code: String,
    /// All its numbers
    ids: String,
    /// The networks that contributed
    sources: String,
    /// What else is known of it
    types: String,
    /// How many stations located it
    nst: Option<u32>,
    /// Degrees to the nearest station
    dmin: Option<f64>,
    /// Travel time residual, in s
    rms: Option<f64>,
    /// Largest gap between stations, in degrees
    gap: Option<f64>,
    /// How the magnitude was measured
    #[serde(rename = "magType")]
    mag_type: String,
    /// earthquake, quarry blast or explosion
    #[serde(rename = "type")]
    kind: String,
    /// Magnitude and place in one line
    pub(crate) title: String,
    /// In degrees, east positive
    longitude: f64,
    /// In degrees, north positive
    latitude: f64,
    /// In km
    depth: f64,
}

/// Earthquakes of magnitude 2.5 and more in the week before 2018-02-07, the latest first: the feed of the United States
/// Geological Survey (<https://earthquake.usgs.gov/earthquakes/feed/>), whose data are in the public domain, as the npm package
/// vega-datasets 3.2.1 has it, each with its coordinates as three more columns.
#[allow(clippy::expect_used, reason = "a test reads the file as well")]
pub(crate) static WEEK: LazyLock<Vec<Quake>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("quakes.json")).expect("it is the feed's own form")
});
