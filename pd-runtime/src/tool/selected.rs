//! Rows that another tool gave and a model chose from: what a consumer takes (MCP-SD).

mod arguments;
mod body;
mod fields;
mod join;
mod mapping;
mod row;
mod rows;
mod source;
mod unfit;

use super::{
    argument::{Argument, Place},
    context::CallContext,
    error::ToolError,
};
use arguments::Rest;
use futures::Stream;
use join::Joint;
use rmcp::model::JsonObject;
use row::Row;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use std::{fmt, marker::PhantomData};

pub(crate) use crate::protocol::keys::{ABSTRACT_DATA, BODY_DATA, COLUMN_MAPPING, RESOURCE_URL};

/// Rows of another tool, of which a model has seen some columns and chosen some rows: the rest comes from where that tool keeps
/// it, and never enters the model's context (MCP-SD).
///
/// It stands for four arguments of the tool, texts with JSON in them: `abstract_data`, the chosen rows as the model saw them;
/// `resource_url` or `body_data`, where the rest is, or the rest itself; and `column_mapping`, where the other tool calls columns
/// otherwise. A tool takes one `Selected`. `T` is a row, a struct or a map, and its columns' docs tell the model what is what. It
/// is given columns that it does not have, and a row has 4 MiB at most. What stands in both the abstract and the rest is taken from
/// the abstract. The row's number is written to it where its schema has a column `_row_id`, so neither a map nor a strict struct
/// meets one, and such rows may be returned by a [`selective`](crate::selective) tool.
///
/// ```
/// use pd_runtime::{Selected, prelude::*};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Alert {
///     /// What is warned of
///     event: String,
///     /// From 0 to 4
///     severity: u8,
/// }
///
/// /// Count alerts by what they warn of
/// ///
/// /// # Examples
/// ///
/// /// ```json
/// /// { "abstract_data": "[{\"_row_id\": 3, \"event\": \"Gale\"}]", "body_data": "[{\"_row_id\": 3, \"severity\": 2}]" }
/// /// ```
/// #[pd_tool]
/// async fn count(alerts: Selected<Alert>, call: &CallContext) -> Result<String, ToolError> {
///     let alerts = alerts.rows(call).await?;
///     Ok(format!("{} severe", alerts.iter().filter(|alert| alert.severity > 1).count()))
/// }
/// # let registry: Registry<()> = pd_runtime::registry! { count };
/// # registry.check().unwrap();
/// ```
///
/// Nothing is fetched unless the server allows it: `ServerBuilder::fetch`, of the feature `fetch`, says from where.
pub struct Selected<T> {
    chosen: Vec<Row>,
    rest: Rest,
    joint: Joint,
    row: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Selected<T> {
    /// How many rows were chosen.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The chosen rows with all their columns, in the order in which the model sent them.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENTS` where a row does not fit `T`; where the rest is fetched, `RESOURCE_REFUSED` where this server does not
    /// fetch from there, `RESOURCE_GONE` where it was taken or has expired, `RESOURCE_BUSY` where another reads it, and
    /// `RESOURCE_FAILED` for all else. Each says what to do.
    pub async fn rows(self, call: &CallContext) -> Result<Vec<T>, ToolError> {
        rows::all(self, call).await
    }

    /// The chosen rows one by one, as they arrive, so that of the rest hardly more than one is held at a time. They come in the
    /// order of the rest; after an error there are none.
    ///
    /// # Errors
    ///
    /// Those of [`rows`](Self::rows).
    pub fn stream(self, call: &CallContext) -> impl Stream<Item = Result<T, ToolError>> + Send + use<T> {
        rows::stream(self, call.clone())
    }
}

/// A row that [`Selected`] may hold.
///
/// Anything that is `Deserialize + JsonSchema` is.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take `Selected<{Self}>`",
    label = "`{Self}` cannot be read from JSON with a schema",
    note = "`{Self}`, or what is in it, needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "a type of another crate needs its feature `serde` and one of schemars, such as `uuid1`, `url2`, `jiff02` or `chrono04`"
)]
pub trait Selectable: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Selectable for T {}

/// How many there are; the rows are somebody's data.
impl<T> fmt::Debug for Selected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selected").field("rows", &self.chosen.len()).finish_non_exhaustive()
    }
}

impl<T: DeserializeOwned + JsonSchema> Argument for Selected<T> {
    fn place(generator: &mut SchemaGenerator) -> Place {
        // Its definitions are not the tool's: of a row only its columns are told.
        Place::Rows(generator.settings().clone().into_generator().into_root_schema_for::<T>())
    }

    fn take(arguments: &mut JsonObject, _: &str) -> Result<Self, ToolError> {
        let (chosen, rest, mapping) = arguments::take(arguments)?;
        let fields = fields::fields::<T>();
        mapping.check(fields).map_err(|problem| ToolError::invalid_argument(COLUMN_MAPPING, &problem))?;
        let joint = Joint { mapping, is_numbered: fields::is_numbered::<T>(fields) };
        Ok(Self { chosen, rest, joint, row: PhantomData })
    }
}

#[cfg(test)]
mod tests;
