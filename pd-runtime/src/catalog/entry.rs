//! One tool prepared for serving: all parts that do not depend on the caller, built once.

use super::{
    definition::{self, GroupsMark},
    description,
    description_text::ToolDescription,
    header_arguments::{HeaderArgument, header_arguments},
    outline::{ListedNames, SchemaOutline},
    rendered_tool::RenderedTool,
    token_cost::{CostForm, CostInputs, TokenCosts},
    tree::GroupTree,
};
use crate::{
    catalog::signature::ToolSignature,
    digest::Digest,
    policy::{
        ListingStep, Policy, disclosure_store::disclosure_record::DisclosureRecord,
        rate_limit::concurrency::PermitPool,
    },
    registry::{
        problem::{RegistryError, RegistryErrorKind},
        tool::Tool,
        tool_spec::ToolSpec,
        validate::ArgumentValidator,
    },
};
use pd_schema::{CompiledSchema, provider_fit::provider_fit};

use std::sync::{Arc, OnceLock};

/// The entry of a tool in a list in outline.
#[derive(Debug)]
struct OutlineEntry {
    tool: rmcp::model::Tool,
    names: ListedNames,
}

/// A tool as the server serves it.
#[derive(Debug)]
pub struct CatalogEntry {
    /// The tool, bound to its state.
    pub tool: Arc<Tool<()>>,
    /// The index of the tool in the catalog.
    pub(crate) place: usize,
    /// Whether the tool is at the top level. It may be in groups as well.
    pub(crate) is_top: bool,
    pub(crate) digest: Digest,
    /// The record that sessions store when they disclose the description.
    pub(crate) disclosed: DisclosureRecord,
    /// The digest as `sha256:…`, as surfaces send it.
    pub(crate) digest_text: Box<str>,
    pub(crate) validator: Arc<ArgumentValidator>,
    /// The arguments that HTTP clients must copy into headers (SEP-2243).
    pub(crate) header_arguments: Box<[HeaderArgument]>,
    /// The permits for concurrent calls, or `None` if the tool sets no limit.
    pub(crate) slots: Option<PermitPool>,
    /// Rendered on first use. Most signatures never are: only hosts that prefer signatures request
    /// them.
    signature: OnceLock<ToolSignature>,
    costs: TokenCosts,
    /// The entry in a minimal list.
    pub(crate) minimal: rmcp::model::Tool,
    /// The entry in a list in outline. Built on first use: a server that lists all tools in full
    /// needs none.
    outline: OnceLock<OutlineEntry>,
    fits_providers: OnceLock<bool>,
    /// The output schema, if results are checked against it. Compiled on first use.
    promised_result: OnceLock<Option<CompiledSchema>>,
    /// The entry in a list for clients that request brief lists.
    pub(crate) brief: rmcp::model::Tool,
    pub(crate) modern: RenderedTool,
    /// The rendering for clients before 2026-07-28, if structured results are not objects and have
    /// to be wrapped for them.
    pub(crate) legacy: Option<RenderedTool>,
}

impl CatalogEntry {
    /// Prepares a tool for serving.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool's schema does not compile, or if its contract cannot be written
    /// as canonical JSON.
    pub(crate) fn new(
        tool: Arc<Tool<()>>,
        place: usize,
        is_top: bool,
        tree: &GroupTree,
        policy: &Policy,
    ) -> Result<Self, RegistryError> {
        let validator = tool
            .about
            .input
            .validator()
            .map_err(|why| unusable(&tool.about, why))?;
        // A new pool: `Catalog::take_over` replaces it by the pool of the catalog before, with its
        // running calls.
        let slots = tool.about.concurrency.map(PermitPool::new);
        Self::build(tool, place, is_top, validator, slots, tree, policy)
    }

    /// Builds an entry for the same tool with other texts. The handler, the validator and the
    /// permits of running calls are shared with this entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool's contract cannot be written as canonical JSON.
    #[cfg(feature = "overlay")]
    pub(crate) fn with_texts(
        &self,
        about: ToolSpec,
        tree: &GroupTree,
        policy: &Policy,
    ) -> Result<Self, RegistryError> {
        let tool = Arc::new(Tool::from_parts(about, self.tool.handler.clone()));
        Self::build(
            tool,
            self.place,
            self.is_top,
            self.validator.clone(),
            self.slots.clone(),
            tree,
            policy,
        )
    }

    fn build(
        tool: Arc<Tool<()>>,
        place: usize,
        is_top: bool,
        validator: Arc<ArgumentValidator>,
        slots: Option<PermitPool>,
        tree: &GroupTree,
        policy: &Policy,
    ) -> Result<Self, RegistryError> {
        let about = &tool.about;
        let digest =
            description::digest(about).map_err(|error| unusable(about, error.to_string()))?;
        // `None` without any group in the registry, so that its tools carry no empty mark.
        let groups = (!tree.nodes().is_empty()).then(|| tree.names_with(place));
        let mark = GroupsMark::new(about, groups.as_deref()).filter(|_| policy.manifests);
        let wrapped = about
            .output_schema
            .as_deref()
            .and_then(description::wrap_output_schema);
        let minimal = definition::minimal(about, policy.minimal_schema);
        let brief = definition::brief(about.name.clone(), &about.summary);
        Ok(Self {
            digest,
            disclosed: DisclosureRecord::new(&about.name, &digest),
            digest_text: digest.to_string().into(),
            validator,
            header_arguments: header_arguments(&about.input.schema),
            slots,
            costs: TokenCosts::default(),
            signature: OnceLock::new(),
            minimal,
            outline: OnceLock::new(),
            fits_providers: OnceLock::new(),
            promised_result: OnceLock::new(),
            brief,
            modern: RenderedTool::new(about, about.output_schema.clone(), mark),
            // Rendered only where the wrapped schema differs, so most tools have one rendering.
            legacy: wrapped.map(|output| RenderedTool::new(about, Some(Arc::new(output)), mark)),
            place,
            is_top,
            tool,
        })
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        &self.tool.about.name
    }

    /// Returns whether the author declares that the tool changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.tool.about.is_read_only()
    }

    /// Returns whether both entries look the same to callers on every surface.
    #[cfg(feature = "overlay")]
    pub(crate) fn has_same_texts(&self, other: &Self) -> bool {
        // The digest covers the description. The summary, the related tools and the aliases, which
        // lists and search use, are the only other texts that an overlay can change.
        let own = &self.tool.about;
        let others = &other.tool.about;
        self.digest == other.digest
            && own.summary == others.summary
            && own.related == others.related
            && own.aliases == others.aliases
    }

    /// Returns the estimated number of tokens that this form of the tool costs a model.
    pub(crate) fn cost(&self, form: CostForm) -> u32 {
        // The description and the signature are closures: a caller that needs another form must not
        // cause them to be rendered.
        let minimal = &self.minimal;
        let brief = &self.brief;
        let full = &self.modern.full.tool;
        let outline = || self.outline();
        let description = || self.description(true);
        let signature = || self.signature();
        let inputs = CostInputs {
            minimal,
            outline: &outline,
            brief,
            full,
            description: &description,
            signature: &signature,
        };
        self.costs.get(form, &inputs)
    }

    /// Returns the entry in a list in outline.
    pub(crate) fn outline(&self) -> &rmcp::model::Tool {
        &self.outline_entry().tool
    }

    /// Returns the arguments that a list in outline shows under other names.
    pub(crate) fn listed_names(&self) -> &ListedNames {
        &self.outline_entry().names
    }

    fn outline_entry(&self) -> &OutlineEntry {
        self.outline.get_or_init(|| {
            let SchemaOutline { schema, names } = SchemaOutline::new(&self.tool.about.input.schema);
            OutlineEntry {
                tool: definition::outline(&self.tool.about, schema),
                names,
            }
        })
    }

    /// Returns whether all known model providers accept the full input schema.
    pub(crate) fn fits_providers(&self) -> bool {
        *self
            .fits_providers
            .get_or_init(|| provider_fit(&self.tool.about.input.schema).is_empty())
    }

    /// Returns the output schema, if results are checked against it.
    pub(crate) fn promised_result(&self) -> Option<&CompiledSchema> {
        self.promised_result
            .get_or_init(|| self.tool.about.promised_result())
            .as_ref()
    }

    /// Returns whether a list that leaves tools out keeps this one.
    pub(crate) fn stays_listed(&self, step: ListingStep) -> bool {
        // A host renders an app for listed tools only.
        let about = &self.tool.about;
        let is_pinned = || about.eager || about.pinned || definition::has_app(about);
        match step {
            ListingStep::Grouped => self.is_top || is_pinned(),
            ListingStep::Eager => is_pinned(),
            // These steps shorten the entries of tools, and leave none out.
            ListingStep::Full | ListingStep::Outline | ListingStep::Minimal => true,
        }
    }

    /// Returns whether a call needs the description although the list shows all arguments: the
    /// author asks for it, or the tool destroys something and the description has more to say than
    /// the arguments.
    pub(crate) fn is_read_first(&self) -> bool {
        let about = &self.tool.about;
        about.read_first
            || (about.annotations.destructive == Some(true)
                && (!about.notes.is_empty() || !about.guidance.is_empty()))
    }

    /// Returns the full description for a protocol generation: `modern` means 2026-07-28 or later.
    pub(crate) fn description(&self, modern: bool) -> &ToolDescription {
        self.forms(modern).description(&self.tool.about)
    }

    pub(crate) fn signature(&self) -> &ToolSignature {
        self.signature
            .get_or_init(|| ToolSignature::new(&self.tool.about))
    }

    pub(crate) fn forms(&self, modern: bool) -> &RenderedTool {
        self.legacy
            .as_ref()
            .filter(|_| !modern)
            .unwrap_or(&self.modern)
    }
}

fn unusable(about: &ToolSpec, why: String) -> RegistryError {
    let fault = RegistryErrorKind::BadSchema {
        which: "input",
        why,
    };
    RegistryError {
        tool: about.name.to_string(),
        origin: about.origin.to_string(),
        kind: fault,
    }
}
