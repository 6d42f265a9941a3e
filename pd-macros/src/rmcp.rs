//! Keys and types of rmcp and of other frameworks, each with the replacement to suggest.

use crate::{
    keys::skip_entry,
    ty::{generics, last_segment, peel, plain},
};
use proc_macro2::Ident;
use syn::{
    Error, Expr, GenericArgument, LitBool, LitStr, Token, Type, ext::IdentExt, parse::ParseStream,
};

/// The annotation keys of rmcp's `#[tool(…)]` in both spellings, with the key of this macro.
const ANNOTATIONS: &[(&str, &str, &str)] = &[
    ("read_only_hint", "readOnlyHint", "read_only"),
    ("destructive_hint", "destructiveHint", "destructive"),
    ("idempotent_hint", "idempotentHint", "idempotent"),
    ("open_world_hint", "openWorldHint", "open_world"),
];

/// Keys whose content belongs to another place here.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "input_schema",
        "the parameters give the input schema; remove it",
    ),
    (
        "output_schema",
        "the return type gives the output schema; remove it, and return `Json<…>`",
    ),
    (
        "examples",
        "examples belong in the doc comment: `/// # Examples`, and below it a `json` fence for each",
    ),
    (
        "guidance",
        "guidance belongs in the doc comment: `/// # Guidance`, and below it a bullet for each",
    ),
    (
        "notes",
        "notes belong in the doc comment: `/// # Notes`, and below it a bullet for each",
    ),
    (
        "errors",
        "errors belong in the doc comment: `/// # Errors`, and below it a bullet for each",
    ),
    (
        "group",
        "groups belong in `registry!`: a line `/// …` and `name: …` above the tools; remove it",
    ),
    (
        "tags",
        "`aliases(\"…\")` are further words for search, and groups belong in `registry!`",
    ),
    (
        "rate_limit",
        "rates belong to the server: `Limits::calls` in `ServerBuilder::limits`; `concurrency = 4` is for one tool",
    ),
    (
        "hidden",
        "`scopes(\"…\")` sets who may see a tool; a tool that no registry lists is hidden from all",
    ),
];

/// Returns the error for a key of another framework.
pub(crate) fn refuse_key(key: &Ident, input: ParseStream<'_>) -> Option<Error> {
    let word = key.to_string();
    let message = if word == "annotations" {
        format!(
            "annotations are keys of their own; write {}",
            translate_annotations(input)
        )
    } else if let Some(ours) = annotation(&word) {
        format!(
            "`{word}` is `{ours}` here; write `{}`",
            // Without a readable value, the likelier one is suggested.
            flag(ours, read_flag(input).unwrap_or(true))
        )
    } else {
        let (_, instead) = ELSEWHERE.iter().find(|(known, _)| *known == word)?;
        (*instead).to_owned()
    };
    Some(Error::new(key.span(), message))
}

fn annotation(word: &str) -> Option<&'static str> {
    ANNOTATIONS
        .iter()
        .find(|(snake, camel, _)| *snake == word || *camel == word)
        .map(|(.., ours)| *ours)
}

fn flag(word: &str, value: bool) -> String {
    if value {
        word.to_owned()
    } else {
        format!("{word} = false")
    }
}

fn read_flag(input: ParseStream<'_>) -> Option<bool> {
    input.parse::<Token![=]>().ok()?;
    input.parse::<LitBool>().ok().map(|flag| flag.value)
}

fn read_text(input: ParseStream<'_>) -> Option<LitStr> {
    input.parse::<Token![=]>().ok()?;
    input.parse().ok()
}

/// Translates `(title = "…", read_only_hint = true)` to `` `title = "…", read_only` ``.
fn translate_annotations(input: ParseStream<'_>) -> String {
    let parse = |input: ParseStream<'_>| {
        let inside;
        syn::parenthesized!(inside in input);
        let mut written = Vec::new();
        while !inside.is_empty() {
            let key = inside.call(Ident::parse_any)?.to_string();
            if key == "title" {
                written
                    .extend(read_text(&inside).map(|title| format!("title = {}", title.token())));
            } else if let Some(ours) = annotation(&key) {
                written.extend(read_flag(&inside).map(|value| flag(ours, value)));
            }
            // An annotation that is not known here is left out of the suggestion.
            skip_entry(&inside);
        }
        Ok(written)
    };
    // The translation is a courtesy: a syntax error inside only makes the suggestion generic.
    let written = parse(input).unwrap_or_else(|_: Error| Vec::new());
    match written.is_empty() {
        true => {
            "`read_only`, `destructive`, `idempotent`, `open_world` or `title = \"…\"`".to_owned()
        }
        false => format!("`{}`", written.join(", ")),
    }
}

/// Returns the replacement for a parameter that rmcp extracts from the request, if its type can
/// only be rmcp's.
pub(crate) fn instead_of_parameter(ty: &Type) -> Option<String> {
    // The last segment, because authors import these types or write their paths.
    let segment = last_segment(peel(ty))?;
    // `Peer` and `RequestContext` are common names. The parameter `RoleServer` makes them rmcp's.
    let is_of_server = generics(peel(ty)).any(|argument| is_called(argument, "RoleServer"));
    let of_call = |inside: &str| {
        Some(format!(
            "the call holds this; write `call: &CallContext` and, inside, `{inside}`"
        ))
    };
    match segment.ident.to_string().as_str() {
        "RequestContext" if is_of_server => of_call("call.request()"),
        "ToolCallContext" => of_call("call.request()"),
        "Peer" if is_of_server => of_call("call.peer()"),
        "CancellationToken" => of_call("call.cancellation()"),
        "Extension" => Some(instead_of_extension(generics(peel(ty)))),
        _ => None,
    }
}

fn is_called(argument: &GenericArgument, name: &str) -> bool {
    matches!(argument, GenericArgument::Type(ty) if last_segment(peel(ty)).is_some_and(|last| last.ident == name))
}

fn instead_of_extension<'a>(mut inner: impl Iterator<Item = &'a GenericArgument>) -> String {
    let state = match inner.next() {
        Some(GenericArgument::Type(ty)) => format!("`&{}`", plain(ty)),
        _ => "a reference".to_owned(),
    };
    format!(
        "for state that the server lends, write {state}; for an extension of the request, write `call: &CallContext` and, \
         inside, `call.request()`, whose field `extensions` has it"
    )
}

/// Returns whether the type may be rmcp's. Other crates define types of the same names, so only the
/// compiler can decide.
pub(crate) fn may_be_of_rmcp(ty: &Type) -> bool {
    const NAMES: &[&str] = &[
        "Extensions",
        "Meta",
        "RequestMetaObject",
        "RequestId",
        "NumberOrString",
    ];
    last_segment(peel(ty)).is_some_and(|last| NAMES.iter().any(|name| last.ident == name))
}

/// Returns whether the type is `Parameters<T>`: rmcp's type, or `Args` imported under that name.
pub(crate) fn is_parameters(ty: &Type) -> bool {
    last_segment(peel(ty)).is_some_and(|last| last.ident == "Parameters")
        // rmcp's type has one parameter, which distinguishes it from others of that name.
        && generics(peel(ty)).count() == 1
}

/// The key `description` of rmcp's `#[tool]`. Here the doc comment is the description.
pub(crate) struct DescriptionKey {
    pub(crate) key: Ident,
    text: Option<LitStr>,
}

impl DescriptionKey {
    pub(crate) fn parse(key: &Ident, input: ParseStream<'_>) -> Self {
        // The text is read on a fork, because the whole value is skipped below.
        let text = input.fork();
        let text = read_text(&text);
        // A value that is not a string is skipped, so that it causes no second error.
        if input.parse::<Token![=]>().is_ok() {
            let _ = input.parse::<Expr>();
        }
        Self {
            key: key.clone(),
            text,
        }
    }

    /// Returns the replacement for a tool with or without a summary.
    pub(crate) fn instead(&self, has_summary: bool, summary_max: usize) -> String {
        let text = self.text.as_ref().map(|text| (text.value(), text.token()));
        match text {
            _ if has_summary => "the doc comment is the description; write it as `///` above the function".to_owned(),
            Some((text, token)) if text.chars().count() <= summary_max && !text.contains('\n') => {
                format!("the doc comment is the description; write `summary = {token}`, and all else as `///` above the function")
            }
            _ => "the doc comment is the description; write it as `///` above the function, and what it does in one line as \
                  `summary = \"…\"`"
                .to_owned(),
        }
    }
}

/// Returns the replacement for rmcp's `JsonObject`, which takes all arguments unparsed, if it is
/// the only argument.
pub(crate) fn instead_of_object(ty: &Type) -> Option<&'static str> {
    last_segment(peel(ty)).filter(|last| last.ident == "JsonObject")?;
    Some(
        "this would be one argument that is an object; for all arguments at once write `Args(arguments): Args<JsonObject>`, and \
         for one `Map<String, Value>`",
    )
}
