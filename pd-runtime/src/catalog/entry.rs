//! One tool, made ready to serve: everything about it that does not depend on the caller, built once.

use super::{
    definition::{self, Mark},
    description::{self, Description},
    header_arguments::{HeaderArgument, header_arguments},
    rendered::Forms,
    token_cost::{Costs, Form, Shown},
    tree::Tree,
};
use crate::{
    catalog::signature::Signature,
    digest::Digest,
    policy::{Policy, disclosure_store::disclosure_record::Disclosed, rate_limit::concurrency::Slots},
    registry::{
        problem::{Fault, Problem},
        tool::Tool,
        tool_spec::About,
        validate::Validator,
    },
};

use std::sync::{Arc, OnceLock};

/// A tool as it is served.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Bound to its state.
    pub(crate) tool: Arc<Tool<()>>,
    /// Where it stands in the catalogue.
    pub(crate) place: usize,
    /// Whether it stands at the top level, whatever groups it stands in besides.
    pub(crate) is_top: bool,
    pub(crate) digest: Digest,
    /// How sessions remember that its description was given.
    pub(crate) disclosed: Disclosed,
    /// `sha256:…`, as wires carry it.
    pub(crate) digest_text: Box<str>,
    pub(crate) validator: Arc<Validator>,
    /// The arguments that HTTP clients must copy into headers.
    pub(crate) header_arguments: Box<[HeaderArgument]>,
    /// For its calls, where not any number may run at once.
    pub(crate) slots: Option<Slots>,
    /// Made when it is first asked for: most are only where somebody prefers signatures.
    signature: OnceLock<Signature>,
    costs: Costs,
    /// The entry of a minimal list.
    pub(crate) minimal: rmcp::model::Tool,
    /// The entry of a list for clients that want it brief.
    pub(crate) brief: rmcp::model::Tool,
    pub(crate) modern: Forms,
    /// Where structured results are no objects, clients before 2026-07-28 see them wrapped.
    pub(crate) legacy: Option<Forms>,
}

impl Entry {
    /// # Errors
    ///
    /// The tool's schema does not compile, or its contract cannot be written as JSON.
    pub(crate) fn new(
        tool: Arc<Tool<()>>,
        place: usize,
        is_top: bool,
        tree: &Tree,
        policy: &Policy,
    ) -> Result<Self, Problem> {
        let validator = Validator::new(&tool.about.input).map_err(|why| unusable(&tool.about, why))?;
        let slots = tool.about.concurrency.map(Slots::new);
        Self::of(tool, place, is_top, Arc::new(validator), slots, tree, policy)
    }

    /// The same tool with other texts: what they do not change is shared, and so are the calls under way.
    ///
    /// # Errors
    ///
    /// The tool's contract cannot be written as JSON.
    pub(crate) fn retold(&self, about: About, tree: &Tree, policy: &Policy) -> Result<Self, Problem> {
        let tool = Arc::new(Tool::from_parts(about, self.tool.handler.clone()));
        Self::of(tool, self.place, self.is_top, self.validator.clone(), self.slots.clone(), tree, policy)
    }

    fn of(
        tool: Arc<Tool<()>>,
        place: usize,
        is_top: bool,
        validator: Arc<Validator>,
        slots: Option<Slots>,
        tree: &Tree,
        policy: &Policy,
    ) -> Result<Self, Problem> {
        let about = &tool.about;
        let digest = description::digest(about).map_err(|error| unusable(about, error.to_string()))?;
        let groups = (!tree.nodes().is_empty()).then(|| tree.names_with(place));
        let mark = Mark::of(about, groups.as_deref()).filter(|_| policy.manifests);
        let wrapped = about.output_schema.as_deref().and_then(description::wrapped);
        let minimal = definition::minimal(about, policy.minimal_schema);
        let brief = definition::brief(about.name.clone(), &about.summary);
        Ok(Self {
            digest,
            disclosed: Disclosed::new(&about.name, &digest),
            digest_text: digest.to_string().into(),
            validator,
            header_arguments: header_arguments(&about.input.schema),
            slots,
            costs: Costs::default(),
            signature: OnceLock::new(),
            minimal,
            brief,
            modern: Forms::new(about, about.output_schema.clone(), mark),
            legacy: wrapped.map(|output| Forms::new(about, Some(Arc::new(output)), mark)),
            place,
            is_top,
            tool,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.tool.about.name
    }

    /// Whether callers are told the same of it, on every wire.
    pub(crate) fn tells_the_same(&self, other: &Self) -> bool {
        let (own, others) = (&self.tool.about, &other.tool.about);
        self.digest == other.digest && own.summary == others.summary && own.related == others.related
    }

    /// About how many tokens so much of it costs a model.
    pub(crate) fn cost(&self, form: Form) -> u32 {
        let (minimal, brief, full) = (&self.minimal, &self.brief, &self.modern.full.tool);
        let (description, signature) = (|| self.description(true), || self.signature());
        self.costs.of(form, &Shown { minimal, brief, full, description: &description, signature: &signature })
    }

    /// The full description, as this generation of the protocol is told it.
    pub(crate) fn description(&self, modern: bool) -> &Description {
        self.forms(modern).description(&self.tool.about)
    }

    pub(crate) fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| Signature::new(&self.tool.about))
    }

    pub(crate) fn forms(&self, modern: bool) -> &Forms {
        self.legacy.as_ref().filter(|_| !modern).unwrap_or(&self.modern)
    }
}

fn unusable(about: &About, why: String) -> Problem {
    let fault = Fault::BadSchema { which: "input", why };
    Problem { tool: about.name.to_string(), origin: about.origin.to_string(), fault }
}
