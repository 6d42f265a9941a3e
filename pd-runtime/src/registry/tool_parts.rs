//! The parts of a [`ToolSpec`](super::tool_spec::ToolSpec) that most tools lack, by what they are
//! for.

use super::{problem::RegistryError, sparse_box::static_default, view::View};
use crate::{
    large_results::ResultBound,
    tool::{
        descriptor::{ArgumentFacts, ResultKey},
        error::ErrorHelp,
        view::Visibility,
    },
};

use rmcp::model::{Icon, JsonObject};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc};

/// How a tool is used.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsageTexts {
    pub(crate) examples: Vec<ToolExample>,
    pub(crate) guidance: Vec<Cow<'static, str>>,
    pub(crate) notes: Vec<Cow<'static, str>>,
    /// The errors that the description documents.
    pub(crate) errors: Vec<ErrorHelp>,
    pub(crate) deprecated: Option<Cow<'static, str>>,
}

/// A worked example of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolExample {
    pub(crate) description: Cow<'static, str>,
    pub(crate) input: Value,
    pub(crate) explanation: Cow<'static, str>,
    /// `true` if the compiler checked every value of it.
    pub(crate) is_proven: bool,
}

/// By what callers find a tool, beside its name and its texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiscoveryTexts {
    pub(crate) related: Vec<Cow<'static, str>>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    /// Requests that must find the tool. Only checks read them: an index over them would find each
    /// request by itself.
    pub(crate) found_by: Vec<Cow<'static, str>>,
}

/// What only hosts read.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostFacts {
    /// Icons that hosts display.
    pub(crate) icons: Option<Vec<Icon>>,
    /// The title in MCP's `annotations`, which only an imported definition has.
    pub(crate) annotations_title: Option<String>,
    /// The page that hosts render for the tool's calls.
    pub(crate) view: Option<Arc<View>>,
    /// Who calls the tool, if it is not for both models and views.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) meta: JsonObject,
}

/// Conditions of a tool's calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallRules {
    /// The scopes that the principal needs.
    pub(crate) scopes: Vec<Cow<'static, str>>,
    /// The limit on concurrent calls.
    pub(crate) concurrency: Option<usize>,
    /// The tokens of the largest result that a model is shown whole, if the tool has its own limit.
    pub(crate) result_bound: Option<ResultBound>,
    /// The reason why calls are refused. The tool is still listed and described.
    pub(crate) unavailable: Option<Cow<'static, str>>,
}

/// What only a declaration in Rust has.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeclaredFacts {
    /// The source location and the types that the declaration is instantiated with. Two tools with
    /// the same value are the same tool.
    pub(crate) declaration: Option<(&'static str, &'static str)>,
    /// The types of the arguments. Texts from an overlay are checked against them, too.
    pub(crate) arguments: &'static [ArgumentFacts],
    /// The keys of maps in the return type that `check` judges.
    pub(crate) result_keys: &'static [ResultKey],
    /// All errors of the tool's error type, to look up help when a call fails.
    pub(crate) error_type: &'static [ErrorHelp],
}

static_default!(
    UsageTexts,
    DiscoveryTexts,
    HostFacts,
    CallRules,
    DeclaredFacts,
    Vec<RegistryError>,
);

impl HostFacts {
    /// Returns whether a tool has none of these facts.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            icons,
            annotations_title,
            view,
            visibility,
            meta,
        } = self;
        icons.is_none()
            && annotations_title.is_none()
            && view.is_none()
            && visibility.is_none()
            && meta.is_empty()
    }
}
