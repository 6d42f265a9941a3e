//! From categories to actions, and to the schema of one.

use super::{server, tools};
use crate::{
    catalogue::{cost::Form, entry::Entry},
    disclose::{disclose, unknown_in_words},
    limits::Kind,
    surface::meta_tools::{asked::Asked, failed, said, schemas},
    view::View,
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::json;
use std::sync::Arc;

/// The actions of categories, with a line about each and no schema.
///
/// # Errors
///
/// Says what is missing.
pub(super) fn of_categories(asked: &Asked, view: &View<'_>) -> Result<CallToolResult, String> {
    let names = asked.names("category_names");
    if names.is_empty() {
        return Err("`category_names` is required".to_owned());
    }
    let told = names.into_iter().take(view.policy.limits.names).map(|name| {
        let told = match category(&name, view) {
            None => json!({ "error": format!("Category '{name}' not found") }),
            Some(tools) => {
                view.seen.listed(tools.iter().map(|entry| (&***entry, Form::Line)));
                let action = |entry: &Arc<Entry>| json!({ "name": entry.name(), "description": entry.tool.about.summary.trim() });
                let actions: Vec<_> = tools.into_iter().map(action).collect();
                json!({ "action_count": actions.len(), "actions": actions })
            }
        };
        (name, told)
    });
    Ok(said(json!({ "categories": told.collect::<JsonObject>() }).to_string()))
}

/// A group's tools; those in no group have the server for their category.
fn category<'a>(name: &str, view: &View<'a>) -> Option<Vec<&'a Arc<Entry>>> {
    let tools = tools(name, view)?;
    let is_server = name == server(view) && view.group(name).is_none();
    Some(tools.into_iter().filter(|entry| !is_server || view.groups_of(entry).next().is_none()).collect())
}

/// An action with its schema, which discloses it.
pub(super) async fn of_action(asked: &Asked, view: &View<'_>) -> CallToolResult {
    if let Err(later) = view.charge(Kind::Describe, 1) {
        return later.into_result();
    }
    let entry = match action(asked, view) {
        Ok(entry) => entry,
        Err(why) => return failed(json!({ "error": why }).to_string()),
    };
    let name = [entry.name().to_owned()];
    let disclosure = disclose(&name, Form::Definition, view).await;
    let action = schemas(&disclosure).into_iter().next();
    let mut result = said(json!({ "server": server(view), "action": action }).to_string());
    result.meta = disclosure.meta();
    result
}

/// The action that was named, if the server or category that was named has it.
///
/// # Errors
///
/// Says what is missing, or comes near.
pub(super) fn action<'a>(asked: &Asked, view: &View<'a>) -> Result<&'a Arc<Entry>, String> {
    let name: String = asked.text("action_name").chars().take(65).collect();
    if name.is_empty() {
        return Err("both `server_name` and `action_name` are required".to_owned());
    }
    let entry = view.asked(&name).ok_or_else(|| unknown_in_words(&name, view))?;
    for holder in ["server_name", "category_name"].map(|key| asked.text(key)) {
        let tools = tools(holder, view).ok_or_else(|| format!("Server '{holder}' not found or not connected"))?;
        if !tools.iter().any(|tool| tool.place == entry.place) {
            return Err(format!("Action '{name}' not found in server '{holder}'"));
        }
    }
    Ok(entry)
}
