//! One tool prepared for serving: all parts that do not depend on the caller, built once.

use super::{
    definition::{self, GroupsMark},
    description,
    description_text::ToolDescription,
    entry_cache::{EntryCache, OutlineEntry},
    header_arguments::{HeaderArgument, header_arguments},
    outline::{ListedNames, SchemaOutline},
    rendered_tool::RenderedTool,
    token_cost::{CostForm, CostInputs},
    tree::GroupTree,
};
use crate::{
    catalog::signature::ToolSignature,
    digest::Digest,
    policy::{
        ListingStep, MinimalSchema, Policy, disclosure_store::disclosure_record::DisclosureRecord,
        rate_limit::concurrency::PermitPool,
    },
    registry::{
        app_role::AppRole,
        problem::{RegistryError, RegistryErrorKind},
        tool::Tool,
        tool_spec::ToolSpec,
        validate::ArgumentValidator,
    },
};
use pd_schema::{CompiledSchema, provider_fit::provider_fit};
use rmcp::model::JsonObject;

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

/// A tool as the server serves it.
///
/// A registry may have 100,000 tools, so what only few of them need is in the cache.
#[derive(Debug)]
pub struct CatalogEntry {
    /// The tool, bound to its state.
    pub tool: Arc<Tool<()>>,
    /// The tool whose schema checks the arguments: this one, or the one before an overlay changed
    /// the texts. Its validator is compiled for the first call.
    checked_by: Arc<Tool<()>>,
    /// The index of the tool in the catalog.
    pub(crate) place: usize,
    /// Whether the tool is at the top level. It may be in groups as well.
    pub(crate) is_top: bool,
    /// What the tool is for the extension MCP Apps.
    pub(crate) app: AppRole,
    /// Whether lists that leave tools out keep this one for its view.
    pub(crate) is_listed_for_view: bool,
    minimal_schema: MinimalSchema,
    has_mark: bool,
    /// The names of the groups that contain the tool, if definitions have a mark for them.
    groups: Option<Box<[Box<str>]>>,
    pub(crate) digest: Digest,
    /// The record that sessions store when they disclose the description.
    pub(crate) disclosed: DisclosureRecord,
    /// The arguments that HTTP clients must copy into headers (SEP-2243).
    pub(crate) header_arguments: Box<[HeaderArgument]>,
    /// The permits for concurrent calls, or `None` if the tool sets no limit.
    pub(crate) slots: Option<PermitPool>,
    cache: OnceLock<Box<EntryCache>>,
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
        tool.about
            .input
            .check()
            .map_err(|why| unusable(&tool.about, why))?;
        // A new pool: `Catalog::take_over` replaces it by the pool of the catalog before, with its
        // running calls.
        let slots = tool.about.rules.concurrency.map(PermitPool::new);
        let checked_by = tool.clone();
        Self::build(tool, place, is_top, checked_by, slots, tree, policy)
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
        let entry = Self::build(
            tool,
            self.place,
            self.is_top,
            self.checked_by.clone(),
            self.slots.clone(),
            tree,
            policy,
        )?;
        Ok(Self {
            is_listed_for_view: self.is_listed_for_view,
            ..entry
        })
    }

    fn build(
        tool: Arc<Tool<()>>,
        place: usize,
        is_top: bool,
        checked_by: Arc<Tool<()>>,
        slots: Option<PermitPool>,
        tree: &GroupTree,
        policy: &Policy,
    ) -> Result<Self, RegistryError> {
        let about = &tool.about;
        let digest =
            description::digest(about).map_err(|error| unusable(about, error.to_string()))?;
        // `None` without any group in the registry, so that its tools carry no empty mark.
        let groups = (policy.manifests && !tree.nodes().is_empty()).then(|| {
            let names = tree.names_with(place);
            names.into_iter().map(Box::from).collect()
        });
        Ok(Self {
            app: about.app_role(),
            is_listed_for_view: false,
            digest,
            disclosed: DisclosureRecord::new(&about.name, &digest),
            checked_by,
            header_arguments: header_arguments(&about.input.schema),
            slots,
            minimal_schema: policy.minimal_schema,
            groups,
            has_mark: policy.manifests,
            cache: OnceLock::new(),
            place,
            is_top,
            tool,
        })
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        &self.tool.about.name
    }

    /// Returns the digest as `sha256:…`, as surfaces send it.
    pub(crate) fn digest_text(&self) -> &str {
        self.cache()
            .digest_text
            .get_or_init(|| self.digest.to_string().into())
    }

    fn cache(&self) -> &EntryCache {
        self.cache.get_or_init(Box::default)
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
            && own.discovery.related == others.discovery.related
            && own.discovery.aliases == others.discovery.aliases
    }

    /// Returns the estimated number of tokens that this form of the tool costs a model.
    pub(crate) fn cost(&self, form: CostForm) -> u32 {
        // Closures, because a caller that needs one form must not cause others to be rendered.
        let minimal = || self.minimal();
        let brief = || self.brief();
        let full = || &self.forms(true).full.tool;
        let outline = || self.outline();
        let description = || self.description(true);
        let signature = || self.signature();
        let inputs = CostInputs {
            minimal: &minimal,
            outline: &outline,
            brief: &brief,
            full: &full,
            description: &description,
            signature: &signature,
        };
        self.cache().costs.get(form, &inputs)
    }

    /// Returns the validator of the arguments.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema does not compile. Such a tool is not served.
    pub(crate) fn validator(&self) -> Result<&Arc<ArgumentValidator>, String> {
        self.checked_by.about.input.validator()
    }

    /// Returns the entry in a minimal list.
    pub(crate) fn minimal(&self) -> &rmcp::model::Tool {
        self.cache()
            .minimal
            .get_or_init(|| Box::new(definition::minimal(&self.tool.about, self.minimal_schema)))
    }

    /// Returns the entry in a minimal list, and does not keep it.
    pub(crate) fn transient_minimal(&self) -> Cow<'_, rmcp::model::Tool> {
        match self.cache.get().and_then(|cache| cache.minimal.get()) {
            Some(minimal) => Cow::Borrowed(minimal),
            None => Cow::Owned(definition::minimal(&self.tool.about, self.minimal_schema)),
        }
    }

    /// Returns the entry in a list for clients that request brief lists.
    pub(crate) fn brief(&self) -> &rmcp::model::Tool {
        self.cache().brief.get_or_init(|| {
            let about = &self.tool.about;
            Box::new(definition::brief(about.name.clone(), &about.summary))
        })
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
        self.cache().outline.get_or_init(|| {
            let SchemaOutline { schema, names } = SchemaOutline::new(&self.tool.about.input.schema);
            Box::new(OutlineEntry {
                tool: definition::outline(&self.tool.about, schema),
                names,
            })
        })
    }

    /// Returns whether all known model providers accept the full input schema.
    pub(crate) fn fits_providers(&self) -> bool {
        *self
            .cache()
            .fits_providers
            .get_or_init(|| provider_fit(&self.tool.about.input.schema).is_empty())
    }

    /// Returns the output schema, if results are checked against it.
    pub(crate) fn promised_result(&self) -> Option<&CompiledSchema> {
        self.cache()
            .promised_result
            .get_or_init(|| self.tool.about.promised_result())
            .as_ref()
    }

    /// Returns whether a list that leaves tools out keeps this one.
    pub(crate) fn stays_listed(&self, step: ListingStep) -> bool {
        // A host renders views for listed tools only.
        let about = &self.tool.about;
        let is_pinned = || about.eager || about.pinned || self.is_listed_for_view;
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
                && (!about.usage.notes.is_empty() || !about.usage.guidance.is_empty()))
    }

    /// Returns the full description for a protocol generation: `modern` means 2026-07-28 or later.
    pub(crate) fn description(&self, modern: bool) -> &ToolDescription {
        self.forms(modern).description(&self.tool.about)
    }

    pub(crate) fn signature(&self) -> &ToolSignature {
        self.cache()
            .signature
            .get_or_init(|| ToolSignature::new(&self.tool.about))
    }

    pub(crate) fn forms(&self, modern: bool) -> &RenderedTool {
        if let Some(older) = (!modern).then(|| self.older_forms()).flatten() {
            return older;
        }
        self.cache()
            .modern
            .get_or_init(|| self.rendered(self.tool.about.output_schema.clone()))
    }

    /// Returns whether structured results are wrapped in an object for clients before 2026-07-28.
    pub(crate) fn is_wrapped_for_older(&self) -> bool {
        self.older_forms().is_some()
    }

    fn older_forms(&self) -> Option<&RenderedTool> {
        let older = self.cache().legacy.get_or_init(|| {
            let output = self.tool.about.output_schema.as_deref();
            let wrapped = description::wrap_output_schema(output?)?;
            Some(self.rendered(Some(Arc::new(wrapped))))
        });
        older.as_deref()
    }

    fn rendered(&self, output: Option<Arc<JsonObject>>) -> Box<RenderedTool> {
        let about = &self.tool.about;
        let groups: Option<Vec<&str>> = self
            .groups
            .as_ref()
            .map(|groups| groups.iter().map(|name| &**name).collect());
        let mark = GroupsMark::new(about, groups.as_deref()).filter(|_| self.has_mark);
        Box::new(RenderedTool::new(about, output, mark))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_little_until_its_tool_is_used() {
        // Every tool of a catalog has one. Parts that are built on first use go into the cache.
        assert!(
            size_of::<CatalogEntry>() <= 200,
            "{}",
            size_of::<CatalogEntry>()
        );
    }
}
