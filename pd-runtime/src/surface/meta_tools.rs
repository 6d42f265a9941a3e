//! Tools about tools, for hosts that support nothing but tools: one file each. `policy::meta_tools`
//! decides which are offered, and under which names. Their answers are lines of text for a model.

pub(crate) mod arguments;
pub(crate) mod call;
mod describe;
mod find;
pub(crate) mod group_index;
mod list;
mod named_object;
pub(crate) mod notation;
pub(crate) mod path;
pub(crate) mod presets;
mod repeated_answer;
#[cfg(feature = "code")]
mod run_code;

use super::{call_forms, call_routes, unlisted_names::UnlistedNames};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{
        disclose::{DisclosureBatch, disclose_with},
        view::CallerView,
    },
    policy::{
        GateMode, ListingStep,
        meta_tool_purpose::MetaToolPurpose,
        meta_tools::{MetaToolRole, OfferedMetaTool},
        rate_limit::{ChargeKind, retry_after::TryLater},
    },
    protocol::keys::FOUND,
    registry::tool_spec::ToolSpec,
};
use arguments::MetaToolArguments;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
#[cfg(feature = "code")]
pub(crate) use run_code::Program;
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, LazyLock},
};

/// The answer of a meta-tool.
#[derive(Debug)]
pub(crate) enum MetaToolReply {
    /// The result of the meta-tool.
    Done(CallToolResult),
    /// A call of another tool, which the gate has yet to admit.
    Call {
        entry: Arc<CatalogEntry>,
        arguments: JsonObject,
        /// Whether arguments were read from texts.
        is_from_text: bool,
    },
    /// A program that calls tools.
    #[cfg(feature = "code")]
    Run(Program),
}

impl From<CallToolResult> for MetaToolReply {
    fn from(result: CallToolResult) -> Self {
        Self::Done(result)
    }
}

/// The meta-tools of one list.
#[derive(Debug, Default)]
pub(crate) struct ListedMetaTools {
    /// Those that name the tools that they call. They come before all tools, because a model takes
    /// the first one that seems to fit.
    pub(crate) first: Vec<Tool>,
    /// The others, after all tools.
    pub(crate) last: Vec<Tool>,
}

#[cfg(feature = "cli")]
impl ListedMetaTools {
    pub(crate) fn all(self) -> Vec<Tool> {
        [self.first, self.last].concat()
    }
}

/// Returns the meta-tools as this caller's list shows them. A gateway gets none, because it offers
/// meta-tools to its clients itself.
pub(crate) fn definitions(view: &CallerView<'_>) -> ListedMetaTools {
    if view.caller.terms.relays {
        return ListedMetaTools::default();
    }
    let names = UnlistedNames::for_caller(view);
    let (first, last): (Vec<_>, Vec<_>) = call_routes::listed(view).partition(|offer| {
        names
            .as_ref()
            .is_some_and(|names| names.describe(offer.role).is_some())
    });
    let define = |offers: Vec<_>| {
        offers
            .into_iter()
            .map(|offer| definition(offer, view))
            .collect()
    };
    ListedMetaTools {
        first: define(first),
        last: define(last),
    }
}

/// Returns the meta-tools among these names, by name.
pub(super) fn named_definitions(names: &[String], view: &CallerView<'_>) -> HashMap<String, Tool> {
    let offered = view.meta_tools();
    let offers = names.iter().filter_map(|name| offered.find_name(name));
    offers
        .map(|offer| (offer.name.to_string(), definition(offer, view)))
        .collect()
}

/// Discloses the tools and meta-tools of these names. Meta-tools are listed in full, but can be
/// described like other tools.
pub(super) async fn disclose_named<'a>(
    names: &'a [String],
    form: CostForm,
    view: &'a CallerView<'a>,
) -> DisclosureBatch<'a> {
    let offered = view.meta_tools();
    disclose_with(
        names,
        form,
        |name| {
            Some(ToolSpec::from_definition(definition(
                offered.find_name(name)?,
                view,
            )))
        },
        view,
    )
    .await
}

fn definition(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Tool {
    match offer.role {
        MetaToolRole::Find => find::definition(offer, view),
        MetaToolRole::List => list::definition(offer),
        MetaToolRole::Describe => describe::definition(offer, is_required(view), view),
        MetaToolRole::Call => call::definition(offer, view),
        MetaToolRole::CallReadOnly => call::read_only_definition(offer, view),
        MetaToolRole::Preset(role) => presets::definition(offer, role, view),
        #[cfg(feature = "code")]
        MetaToolRole::RunCode => run_code::definition(offer, view),
    }
}

/// Returns whether this caller's calls are refused without a description, and no finding meta-tool
/// provides one: a tool that was found does not need to be described again.
fn is_required(view: &CallerView<'_>) -> bool {
    let is_refused = view.gate() == GateMode::Enforce
        && !matches!(view.step(), ListingStep::Full | ListingStep::Outline);
    is_refused && view.meta_tools().name_of(MetaToolPurpose::Find).is_none()
}

/// Calls a meta-tool.
pub(crate) async fn call(
    offer: &OfferedMetaTool,
    arguments: Option<JsonObject>,
    view: &CallerView<'_>,
) -> MetaToolReply {
    // Charged before the arguments are read, so that malformed requests cost something, too.
    if let Err(later) = charge(offer, view) {
        return later.into_result().into();
    }
    let mut arguments = MetaToolArguments::new(arguments.map(|sent| own_arguments(offer, sent)));
    let mut offer = offer;
    if let Some(inner) = call::called_meta_tool(offer, &mut arguments, view) {
        if let Err(later) = charge(inner, view) {
            return later.into_result().into();
        }
        offer = inner;
    }
    let reply = match offer.role {
        MetaToolRole::Find => {
            Ok(repeated_answer::advise(find::call(&arguments, view).await, &[], view).into())
        }
        MetaToolRole::List => {
            Ok(repeated_answer::advise(list::call(&arguments, view).await, &[], view).into())
        }
        MetaToolRole::Describe => {
            let names = arguments.tool_names();
            let described = describe::call(&arguments, view).await;
            Ok(repeated_answer::advise(described, &names, view).into())
        }
        MetaToolRole::Call | MetaToolRole::CallReadOnly => call::call(offer, arguments, view).await,
        MetaToolRole::Preset(role) => presets::call(offer, role, arguments, view).await,
        #[cfg(feature = "code")]
        MetaToolRole::RunCode => run_code::call(&arguments, view),
    };
    // A result and not a protocol error, which most hosts hide from their model.
    reply.unwrap_or_else(|why| error_result(why).into())
}

/// Returns the arguments of a meta-tool without a call of itself around them. A meta-tool that
/// calls takes such a call as the one to make.
fn own_arguments(offer: &OfferedMetaTool, sent: JsonObject) -> JsonObject {
    if offer.role.calls() || matches!(offer.role, MetaToolRole::Preset(_)) {
        return sent;
    }
    call_forms::own_arguments(&sent, &|name| name == offer.name, &|_| false).unwrap_or(sent)
}

/// Charges for a call of a meta-tool. A describing one charges for itself, by the number of names.
fn charge(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Result<(), TryLater> {
    let kind = match offer.role.purpose() {
        MetaToolPurpose::Find | MetaToolPurpose::List => ChargeKind::Find,
        MetaToolPurpose::Call | MetaToolPurpose::CallReadOnly => ChargeKind::Call,
        MetaToolPurpose::Describe => return Ok(()),
        #[cfg(feature = "code")]
        MetaToolPurpose::RunCode => ChargeKind::Call,
    };
    view.charge(kind, 1)
}

/// Returns the disclosed tools in the form of other systems: name, description and input schema.
#[cfg(feature = "presets")]
pub(crate) fn schemas(disclosure: &DisclosureBatch<'_>) -> Vec<Value> {
    let mut descriptions = disclosure.descriptions();
    let schemas = disclosure.names().map(|name| {
        let mut description = descriptions
            .get_mut(name)
            .map(Value::take)
            .unwrap_or_default();
        // Taken out of the document rather than cloned: schemas may be large.
        let keys = ["name", "description", "inputSchema"];
        let kept = keys.map(|key| {
            (
                key.to_owned(),
                description
                    .get_mut(key)
                    .map(Value::take)
                    .unwrap_or_default(),
            )
        });
        Value::Object(kept.into_iter().collect())
    });
    schemas.collect()
}

/// An input schema that is the same for every caller.
pub(crate) type StaticSchema = LazyLock<Arc<JsonObject>>;

pub(crate) fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Builds the list entry of a read-only meta-tool. Every client reads it in every list, so the text
/// contains only what a model cannot guess; errors explain the rest.
pub(crate) fn read_only_tool(
    offer: &OfferedMetaTool,
    text: impl Into<Cow<'static, str>>,
    schema: &StaticSchema,
) -> Tool {
    Tool::new(offer.name.clone(), text, Arc::clone(schema))
        .with_annotations(ToolAnnotations::default().read_only(true))
}

/// Builds a successful result of one text.
pub(crate) fn text_result(text: impl Into<String>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // An absent `isError` means false, and costs no tokens.
    result.is_error = None;
    result
}

/// Adds the names of the tools that a search shows to the metadata of its result, for clients of this
/// crate's extension. Other clients may show a model the whole result, which would cost tokens.
pub(crate) fn with_found<'a>(
    mut result: CallToolResult,
    names: impl Iterator<Item = &'a str>,
    view: &CallerView<'_>,
) -> CallToolResult {
    let reads_names = view.caller.terms.keeps_tickets;
    let names: Vec<Value> = names.filter(|_| reads_names).map(Value::from).collect();
    if !names.is_empty() {
        let meta = result.meta.get_or_insert_default();
        meta.insert(FOUND.to_owned(), Value::Array(names));
    }
    result
}

/// Builds a failed result of one text.
pub(crate) fn error_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
