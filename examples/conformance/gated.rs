//! Two tools as tools usually are: listed by their summary, and refused until their description was read.

use pd_runtime::prelude::*;

/// Counts what stands between spaces and line ends.
///
/// # Examples
///
/// ```json
/// { "text": "one two" }
/// ```
#[pd_tool(summary = "Count the words of a text", read_only)]
pub(crate) fn count_words(
    /// The text.
    text: String,
) -> String {
    text.split_whitespace().count().to_string()
}

/// From degrees Fahrenheit to degrees Celsius, to one decimal.
///
/// # Examples
///
/// ```json
/// { "fahrenheit": 98.6 }
/// ```
#[pd_tool(summary = "Convert a temperature to °C", read_only)]
pub(crate) fn convert_temperature(
    /// Degrees Fahrenheit.
    #[arg(minimum = -459.67)]
    fahrenheit: f64,
) -> String {
    format!("{:.1}", (fahrenheit - 32.0) / 1.8)
}
