//! Rows of another tool that a model has chosen: the argument of a tool that consumes rows
//! (MCP-SD).

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
    argument::{Argument, ArgumentSchema},
    context::CallContext,
    error::ToolError,
};
use arguments::RestLocation;
use futures::Stream;
use join::JoinRules;
use rmcp::model::JsonObject;
use row::RawRow;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use std::{fmt, marker::PhantomData};

pub(crate) use crate::protocol::keys::{ABSTRACT_DATA, BODY_DATA, COLUMN_MAPPING, RESOURCE_URL};

/// Rows of another tool. A model has seen some of the columns and has chosen some of the rows. The
/// other columns come from where that tool keeps them and never enter the model's context (MCP-SD).
///
/// A `Selected` represents four arguments of the tool, which are strings with JSON in them:
///
/// - `abstract_data`: the chosen rows as the model saw them;
/// - `resource_url` or `body_data`: the location of the other columns, or these columns themselves;
/// - `column_mapping`: new names for columns that the other tool names differently.
///
/// A tool takes one `Selected`. `T` is a row, a struct or a map, and the docs of its columns
/// describe them to the model. `T` also receives columns that it does not declare. A row has at
/// most 4 MiB. A column that both the abstract and the body contain is taken from the abstract. The
/// row's number is passed to `T` only if its schema has a column `_row_id`, so neither a map nor a
/// strict struct receives one, and such rows may be returned by a [`selective`](crate::selective)
/// tool.
///
/// ```
/// use pd_runtime::{Selected, prelude::*};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Alert {
///     /// The event that the alert warns of
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
/// Nothing is fetched unless the server allows it: `ServerBuilder::fetch`, of the feature `fetch`,
/// sets the allowed origins.
pub struct Selected<T> {
    chosen: Vec<RawRow>,
    rest: RestLocation,
    joint: JoinRules,
    row: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Selected<T> {
    /// Returns the number of chosen rows.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Returns whether no row was chosen.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// Returns the chosen rows with all their columns, in the order in which the model sent them.
    ///
    /// # Errors
    ///
    /// Returns `INVALID_ARGUMENTS` if a row does not fit `T`. If the other columns are fetched, it
    /// returns `RESOURCE_REFUSED` if this server does not fetch from that origin, `RESOURCE_GONE`
    /// if the rows were taken or have expired, `RESOURCE_BUSY` if another request reads them, and
    /// `RESOURCE_FAILED` for all other failures. Each message contains what to do.
    pub async fn rows(self, call: &CallContext) -> Result<Vec<T>, ToolError> {
        rows::all(self, call).await
    }

    /// Returns the chosen rows one by one, as their other columns arrive, so that little more than
    /// one row is in memory at a time. The rows come in the order of the body. The stream ends
    /// after an error.
    ///
    /// # Errors
    ///
    /// Yields one of the errors of [`rows`](Self::rows) as its last item.
    pub fn stream(
        self,
        call: &CallContext,
    ) -> impl Stream<Item = Result<T, ToolError>> + Send + use<T> {
        rows::stream(self, call.clone())
    }
}

/// A row type that [`Selected`] can contain.
///
/// Implemented for every type that is `Deserialize + JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take `Selected<{Self}>`",
    label = "`{Self}` cannot be read from JSON with a schema",
    note = "`{Self}`, or what is in it, needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "a type of another crate needs its feature `serde` and one of schemars, such as `uuid1`, `url2`, `jiff02` or `chrono04`"
)]
pub trait SelectableRow: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> SelectableRow for T {}

/// Shows only the number of rows, because their content is user data.
impl<T> fmt::Debug for Selected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selected")
            .field("rows", &self.chosen.len())
            .finish_non_exhaustive()
    }
}

impl<T: DeserializeOwned + JsonSchema> Argument for Selected<T> {
    fn place(generator: &mut SchemaGenerator) -> ArgumentSchema {
        // The row's schema keeps its own `$defs`. The tool's schema mentions only the row's
        // columns.
        ArgumentSchema::Rows(
            generator
                .settings()
                .clone()
                .into_generator()
                .into_root_schema_for::<T>(),
        )
    }

    fn take(arguments: &mut JsonObject, _: &str) -> Result<Self, ToolError> {
        let (chosen, rest, mapping) = arguments::take(arguments)?;
        let fields = fields::fields::<T>();
        mapping
            .check(fields)
            .map_err(|problem| ToolError::invalid_argument(COLUMN_MAPPING, &problem))?;
        let joint = JoinRules {
            mapping,
            is_numbered: fields::is_numbered::<T>(fields),
        };
        Ok(Self {
            chosen,
            rest,
            joint,
            row: PhantomData,
        })
    }
}

#[cfg(test)]
mod tests;
