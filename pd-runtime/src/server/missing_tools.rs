//! Waits for tools that a request names and that are not known yet, before the request gets its
//! view of the catalog.

use super::PdHandler;
use crate::{
    disclosure::{caller::authority, view::missing_tools},
    policy::{meta_tool_purpose::MetaToolPurpose, meta_tools::OfferedMetaTool},
    registry::tool_source::MissingTools,
    surface::{call_forms, coerce_arguments, meta_tools::call, nested_arguments},
};
use rmcp::{RoleServer, model::JsonObject, service::RequestContext};
use serde_json::Value;

/// The names of one request that are looked at. A request with more waits for none of the others.
const NAMES_MAX: usize = 64;
/// The levels of arguments that can contain a name.
const DEPTH_MAX: usize = 2;

impl<H> PdHandler<H> {
    /// Waits for the tools that a call names, or that a search could find. The caller asks first
    /// whether any tools are missing, so that other calls need no future.
    pub(super) async fn wait_for_call(
        &self,
        name: &str,
        offer: Option<&OfferedMetaTool>,
        arguments: Option<&JsonObject>,
        context: &RequestContext<RoleServer>,
    ) {
        let Some(offer) = offer else {
            return self.wait_for_names(&[name], context).await;
        };
        let inner = self.called_meta_tool(offer, arguments, context);
        let (offer, arguments) = match &inner {
            Some((inner, its_own)) => (*inner, Some(its_own)),
            None => (offer, arguments),
        };
        let sets = self.missing_sets(context);
        let mut names = Vec::new();
        let mut program = None;
        for (key, value) in arguments.into_iter().flatten() {
            match key.as_str() {
                // The arguments of the tool that is called, which are its own.
                "body_schema" => {}
                key if call_forms::is_wrapper(key) => {}
                // A program has names in its text, so the text is searched for each missing name.
                "code" => program = value.as_str(),
                "uri" => names.extend(value.as_str().into_iter().flat_map(names_in_uri)),
                _ => add_names(value, DEPTH_MAX, &mut names),
            }
        }
        let is_named = |set: &MissingTools| {
            names.iter().any(|name| self.may_be_of(set, name, context))
                || program.is_some_and(|code| set.is_in(code))
        };
        let purpose = offer.role.purpose();
        let is_search = matches!(purpose, MetaToolPurpose::Find | MetaToolPurpose::List);
        // A query is not a name: `slow` may be a word of it.
        let named: Vec<_> = sets
            .iter()
            .filter(|set| purpose != MetaToolPurpose::Find && is_named(set))
            .collect();
        self.wait_for_sets(&named, context).await;
        if is_search {
            let sources = self.served.catalog().info.sources.clone();
            let settling = async {
                for source in &sources {
                    source.settle(&sets).await;
                }
            };
            // A client that gives up must not hold the request.
            let _ = context.ct.run_until_cancelled(settling).await;
        }
    }

    /// Waits for groups whose tools are still read, for a request that lists what groups have, or
    /// reads it.
    pub(super) async fn wait_for_read(&self, context: &RequestContext<RoleServer>) {
        if !self.has_missing_tools() {
            return;
        }
        let sets = self.missing_sets(context);
        // Their tools are served together, so one of them stands for all.
        if let Some(set) = sets.iter().find(|set| !set.lines.is_empty()) {
            self.wait_for_sets(&[set], context).await;
        }
    }

    /// Waits for the tools of these names.
    pub(super) async fn wait_for_names(
        &self,
        names: &[&str],
        context: &RequestContext<RoleServer>,
    ) {
        if !self.has_missing_tools() {
            return;
        }
        let sets = self.missing_sets(context);
        let is_named = |set: &&MissingTools| {
            names
                .iter()
                .take(NAMES_MAX)
                .any(|name| self.may_be_of(set, name, context))
        };
        self.wait_for_sets(&sets.iter().filter(is_named).collect::<Vec<_>>(), context)
            .await;
    }

    /// Waits for the tools that the params of a surface's method name.
    pub(super) async fn wait_for_params(
        &self,
        params: Option<&Value>,
        context: &RequestContext<RoleServer>,
    ) {
        if self.has_missing_tools()
            && let Some(params) = params
        {
            let mut names = Vec::new();
            add_names(params, DEPTH_MAX, &mut names);
            self.wait_for_names(&names, context).await;
        }
    }

    /// Waits for the tools that the query of a URI names.
    pub(super) async fn wait_for_uri(&self, uri: &str, context: &RequestContext<RoleServer>) {
        if self.has_missing_tools() {
            // A URI that cannot be decoded names no tool.
            let decoded = pd_schema::percent::decode(uri).unwrap_or_default();
            self.wait_for_names(&names_in_uri(&decoded).collect::<Vec<_>>(), context)
                .await;
        }
    }

    /// Returns the meta-tool that a call of `offer` names, with its arguments.
    fn called_meta_tool(
        &self,
        offer: &OfferedMetaTool,
        arguments: Option<&JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Option<(&OfferedMetaTool, JsonObject)> {
        let mut sent = arguments.filter(|_| offer.role.calls())?.clone();
        let inner = call::named_meta_tool(offer, &mut sent, |name| {
            let catalog = self.served.catalog();
            catalog.meta_tool(name, &self.served.policy, &authority(context))
        })?;
        let its_own =
            nested_arguments::remove(&mut sent, |_| false).and_then(coerce_arguments::object);
        Some((inner, its_own.unwrap_or(sent)))
    }

    fn has_missing_tools(&self) -> bool {
        self.served.catalog().has_missing_tools()
    }

    fn missing_sets(&self, context: &RequestContext<RoleServer>) -> Vec<MissingTools> {
        missing_tools(
            &self.served.catalog().info.sources,
            &self.served.policy,
            &authority(context),
        )
    }

    /// Returns whether a name is one of a set's, and none that is known.
    fn may_be_of(
        &self,
        set: &MissingTools,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        let is_known = || {
            let catalog = self.served.catalog();
            let authority = authority(context);
            catalog
                .meta_tool(name, &self.served.policy, &authority)
                .is_some()
                || catalog.find(name, &authority).is_some()
        };
        set.claims(name) && !is_known()
    }

    async fn wait_for_sets(&self, sets: &[&MissingTools], context: &RequestContext<RoleServer>) {
        let sources = self.served.catalog().info.sources.clone();
        let waits = sets
            .iter()
            .flat_map(|set| sources.iter().map(|source| source.wait(set)));
        // A client that gives up must not hold the request.
        drop(
            context
                .ct
                .run_until_cancelled(futures::future::join_all(waits))
                .await,
        );
    }
}

/// Returns what may be a name in the query of a URI.
fn names_in_uri(uri: &str) -> impl Iterator<Item = &str> {
    let query = uri.split_once('?').map_or("", |(_, query)| query);
    query.split([',', '=', '&', '#'])
}

/// Adds the texts of a value that can be names.
fn add_names<'a>(value: &'a Value, depth: usize, names: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if names.len() < NAMES_MAX => names.push(text),
        Value::Array(values) if depth > 0 => values
            .iter()
            .for_each(|value| add_names(value, depth - 1, names)),
        Value::Object(members) if depth > 0 => {
            members
                .values()
                .for_each(|value| add_names(value, depth - 1, names));
        }
        _ => {}
    }
}
