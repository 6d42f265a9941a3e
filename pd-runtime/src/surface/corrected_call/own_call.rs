//! Arguments that are the call of their tool once more. A model that calls a tool through a
//! meta-tool at one time and by its name at another sends the form of the meta-tool to the tool
//! itself.

use crate::{
    registry::tool_spec::ToolSpec,
    surface::{argument_names::is_same, call_forms},
};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;

/// What differs without the call around the arguments, in words.
pub(in crate::surface) const CHANGE: &str = "without the call around them";

/// Returns the inside of arguments that are a call of their tool, which the schema does not have as
/// arguments.
pub(in crate::surface) fn own_arguments(
    about: &ToolSpec,
    arguments: &JsonObject,
) -> Option<JsonObject> {
    let sent: JsonObject = arguments
        .iter()
        // The server added these.
        .filter(|(name, value)| !about.input.is_default(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let schema = SchemaRef::document(&*about.input.schema);
    call_forms::own_arguments(
        &sent,
        &|name| names(about).any(|own| own == name),
        &|name| schema.property(name).is_some(),
    )
}

/// Returns whether valid arguments are a call of their tool, which the schema accepts only because
/// it does not forbid other names. The tool would run without its arguments. If the schema allows
/// other names itself, or no argument of the tool is inside, the call may be meant as data.
pub(crate) fn is_stray_call(about: &ToolSpec, arguments: &JsonObject) -> bool {
    let schema = SchemaRef::document(&*about.input.schema);
    let is_declared = |name: &str| schema.property(name).is_some();
    // First what costs least, because each call comes here.
    arguments
        .keys()
        .any(|name| call_forms::is_call_word(name) && !is_declared(name))
        && !schema.describes_others()
        && !schema.has_branches()
        && own_arguments(about, arguments)
            .is_some_and(|inside| !inside.is_empty() && inside.keys().all(|name| is_declared(name)))
}

/// Returns whether an argument that the schema does not have is the name of the tool. It says which
/// tool is called, so no other argument is meant. An argument that differs in capitals only is.
pub(in crate::surface) fn names_itself(about: &ToolSpec, arguments: &JsonObject) -> bool {
    let schema = SchemaRef::document(&*about.input.schema);
    arguments.iter().any(|(name, value)| {
        let is_own = value
            .as_str()
            .is_some_and(|text| names(about).any(|own| own == text));
        let is_same = || schema.properties().any(|(known, _)| is_same(known, name));
        is_own && schema.property(name).is_none() && (call_forms::is_naming(name) || !is_same())
    })
}

/// Returns the names of a tool: its own, and those at its source.
pub(super) fn names(about: &ToolSpec) -> impl Iterator<Item = &str> {
    let source = about.source.as_deref().into_iter();
    let at_source = source.flat_map(|source| {
        std::iter::once(&*source.name).chain(source.alone.iter().map(|name| &**name))
    });
    std::iter::once(&*about.name).chain(at_source)
}
