//! The owned description of a tool, from the const facts of a declaration or set at run time.
//! `schema` builds its schemas.

use super::{
    app_role::{AppRole, UI, UI_URI, VIEW_SCHEME},
    problem::{RegistryError, RegistryErrorKind},
    schema::InputSchema,
    selective::columns::{ABSTRACT_DOMAINS, MODE, RowColumns},
    source_names::SourceNames,
    sparse_box::SparseBox,
    tool_parts::{CallRules, DeclaredFacts, DiscoveryTexts, HostFacts, UsageTexts},
};
#[cfg(feature = "code")]
use crate::code::CodeProgram;
use crate::{
    protocol::lossy::LossyValue,
    tool::{
        descriptor::{SUMMARY_MAX, ToolAnnotations},
        error::ErrorHelp,
        lint::Lint,
    },
};
use pd_schema::{CompiledSchema, nullable::rewrite_nullable};

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc, time::Duration};

/// Everything known about a tool except its handler.
///
/// A registry may have 100,000 tools, so the parts that most tools lack are in boxes.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The name of the tool.
    pub name: Cow<'static, str>,
    /// The name before the first prefix. Views call the tool by it.
    pub(crate) unprefixed: Option<Cow<'static, str>>,
    pub(crate) title: Option<Cow<'static, str>>,
    /// The summary.
    pub summary: Cow<'static, str>,
    pub(crate) summary_max: usize,
    pub(crate) description: Cow<'static, str>,
    /// How the tool is used.
    pub(crate) usage: SparseBox<UsageTexts>,
    /// By what callers find the tool, beside its name and its texts.
    pub(crate) discovery: SparseBox<DiscoveryTexts>,

    /// The schema of the arguments.
    pub input: InputSchema,
    /// The schema of the result, if there is one.
    pub output_schema: Option<Arc<JsonObject>>,
    /// The columns that callers select from, if the tool is selective.
    pub(crate) columns: Option<Box<RowColumns>>,
    /// `true` if its columns were read from results. Such columns do not belong to the contract, so
    /// that a result does not void what callers have read.
    pub has_observed_columns: bool,

    pub(crate) annotations: ToolAnnotations,
    /// What only hosts read.
    pub(crate) host: SparseBox<HostFacts>,
    pub(crate) eager: bool,
    /// Whether every list shows the tool, at least in outline.
    pub(crate) pinned: bool,

    /// Whether a call needs the description, also if the list shows all arguments.
    pub(crate) read_first: bool,
    /// Whether the user is asked before each call, where the client can ask.
    pub(crate) confirm: bool,
    /// Whether the user is asked before calls through meta-tools and programs, if the tool may destroy
    /// something.
    pub(crate) confirms_destructive: bool,
    pub(crate) blocking: bool,
    /// `true` if it is unavailable because a change of it waits for a person's approval.
    pub(crate) is_held: bool,
    /// The limit on a call's run time.
    pub(crate) timeout: Option<Duration>,
    /// Further conditions of calls.
    pub(crate) rules: SparseBox<CallRules>,
    /// The program that the tool runs instead of its handler.
    #[cfg(feature = "code")]
    pub(crate) program: Option<Arc<CodeProgram>>,

    /// The names that it has elsewhere.
    pub source: Option<Box<SourceNames>>,
    /// What rmcp's type lost of an upstream's definition.
    pub lossy: Option<Arc<LossyValue>>,
    /// What only a declaration in Rust has.
    pub(crate) declared: SparseBox<DeclaredFacts>,
    /// The source location or file, for messages.
    pub(crate) origin: Cow<'static, str>,
    /// The lints that the tool silences.
    pub(crate) allow: Vec<Lint>,
    /// Errors that were found while the tool was read. `Registry::check` reports them.
    pub(crate) problems: SparseBox<Vec<RegistryError>>,
}

impl ToolSpec {
    /// Returns whether another server defines the tool. Then nobody here can edit its definition.
    pub(crate) fn is_relayed(&self) -> bool {
        self.source.is_some()
    }

    /// Returns the compiled output schema, if the tool's results are checked against it.
    ///
    /// The schema of a typed result comes from its type, so a release build trusts the result.
    /// Results of other servers are not checked: a client that does not check them works with them.
    pub(crate) fn promised_result(&self) -> Option<CompiledSchema> {
        let is_checked =
            !self.is_relayed() && (self.declared.declaration.is_none() || cfg!(debug_assertions));
        let schema = self.output_schema.as_ref().filter(|_| is_checked)?;
        // A schema that cannot be compiled is reported by `check`, and costs the check of results
        // alone.
        let mut schema = (**schema).clone();
        rewrite_nullable(&mut schema);
        CompiledSchema::new(&Value::Object(schema)).ok()
    }

    /// Returns what the tool is for the extension MCP Apps.
    pub(crate) fn app_role(&self) -> AppRole {
        AppRole::of_meta(&self.host.meta)
    }

    /// Writes what the tool is for MCP Apps into its `_meta`. Called again when the name changes,
    /// because the URI of the view has the name: two tools have two views.
    pub(super) fn write_app_meta(&mut self) {
        let mut ui = JsonObject::new();
        if self.host.view.is_some() {
            let uri = format!("{VIEW_SCHEME}{}/view.html", self.name);
            ui.insert("resourceUri".to_owned(), json!(uri));
            // Hosts of the first drafts read this key alone.
            self.host.meta.insert(UI_URI.to_owned(), json!(uri));
        }
        if let Some(visibility) = self.host.visibility {
            ui.insert("visibility".to_owned(), json!([visibility.audience()]));
        }
        if !ui.is_empty() {
            self.host.meta.insert(UI.to_owned(), Value::Object(ui));
        }
    }

    /// Returns whether the author declares that the tool changes nothing.
    pub(crate) fn is_read_only(&self) -> bool {
        self.annotations.read_only == Some(true)
    }

    pub(super) fn new(name: Cow<'static, str>, summary: Cow<'static, str>) -> Self {
        Self {
            name: exact(name),
            unprefixed: None,
            title: None,
            summary: exact(summary),
            summary_max: SUMMARY_MAX,
            description: Cow::Borrowed(""),
            usage: SparseBox::default(),
            discovery: SparseBox::default(),
            input: InputSchema::anything(),
            output_schema: None,
            columns: None,
            has_observed_columns: false,
            annotations: ToolAnnotations::NONE,
            host: SparseBox::default(),
            eager: false,
            pinned: false,
            read_first: false,
            confirm: false,
            confirms_destructive: false,
            blocking: false,
            is_held: false,
            timeout: None,
            rules: SparseBox::default(),
            #[cfg(feature = "code")]
            program: None,
            source: None,
            lossy: None,
            declared: SparseBox::default(),
            origin: Cow::Borrowed(""),
            allow: Vec::new(),
            problems: SparseBox::default(),
        }
    }

    /// Sets what only hosts read. Most tools have nothing for them.
    pub(super) fn set_host_facts(&mut self, host: HostFacts) {
        if !host.is_empty() {
            self.host = host.into();
        }
    }

    pub(super) fn report(&mut self, fault: RegistryErrorKind) {
        self.problems.push(RegistryError {
            tool: self.name.to_string(),
            origin: self.origin.to_string(),
            kind: fault,
        });
    }

    /// Returns the input schema as the contract has it: without the arguments for columns that were
    /// seen in results.
    pub(crate) fn contract_input(&self) -> Cow<'_, JsonObject> {
        if !self.has_observed_columns {
            return Cow::Borrowed(&self.input.schema);
        }
        Cow::Owned(self.without_column_arguments((*self.input.schema).clone()))
    }

    /// Removes the arguments that select columns from an input schema of a selective tool.
    pub(crate) fn without_column_arguments(&self, mut schema: JsonObject) -> JsonObject {
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| {
                self.columns.is_none() || (name != ABSTRACT_DOMAINS && name != MODE)
            });
            // A tool without own arguments may have had no `properties`.
            if properties.is_empty() {
                schema.shift_remove("properties");
            }
        }
        schema
    }

    /// Adds the arguments that select columns to an input schema, as this tool has them.
    #[cfg(feature = "overlay")]
    pub(crate) fn with_column_arguments(&self, mut schema: JsonObject) -> JsonObject {
        let own = pd_schema::reader::SchemaRef::document(&*self.input.schema);
        if self.columns.is_some()
            && own.has_properties()
            && let Value::Object(properties) = schema
                .entry("properties")
                .or_insert_with(|| Value::Object(JsonObject::new()))
        {
            let arguments = [ABSTRACT_DOMAINS, MODE].into_iter();
            properties.extend(arguments.filter_map(|name| {
                let argument = own.property(name)?.value()?;
                Some((name.to_owned(), argument.clone()))
            }));
        }
        schema
    }

    /// Returns the help for an error code: the tool's own text first, then the one of its error
    /// type.
    pub(crate) fn help(&self, code: &str) -> Option<&ErrorHelp> {
        self.usage
            .errors
            .iter()
            .chain(self.declared.error_type)
            .find(|help| help.code == code)
    }

    /// Returns the text of the full description: the doc comment, or the summary where there is
    /// none.
    pub(crate) fn text(&self) -> &str {
        if self.description.is_empty() {
            &self.summary
        } else {
            &self.description
        }
    }
}

/// Returns a text without spare room. Names and summaries are often formatted, which leaves some.
fn exact(text: Cow<'static, str>) -> Cow<'static, str> {
    match text {
        Cow::Owned(mut text) => {
            text.shrink_to_fit();
            Cow::Owned(text)
        }
        Cow::Borrowed(text) => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_takes_little_beside_its_texts_and_schemas() {
        // Every tool of a registry has one. Parts that most tools lack go into a `SparseBox`.
        assert!(size_of::<ToolSpec>() <= 400, "{}", size_of::<ToolSpec>());
    }
}
