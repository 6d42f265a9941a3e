//! Rules for `ui` and `visibility` (MCP Apps, SEP-1865). The file is read while the attribute
//! expands, so that a page which no host could use is an error of the build.
//!
//! The limits and the rules for settings are those of pd-runtime's `registry/view.rs`, so that
//! declared tools and tools made at run time keep the same rules. A test of the sources compares
//! both files.

mod page;

use crate::{
    args::Args,
    doc::ToolDoc,
    errors::Errors,
    nearest::suggestion,
    view::{CheckedView, ToolVisibility, ViewKey},
};
use page::{Page, PageUrl};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The maximum size of a page, in bytes.
const VIEW_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The fields of `_meta.ui` of a page.
const SETTINGS: [&str; 4] = ["csp", "permissions", "domain", "prefersBorder"];
const DOMAINS: [&str; 4] = [
    "connectDomains",
    "resourceDomains",
    "frameDomains",
    "baseUriDomains",
];
const PERMISSIONS: [&str; 4] = ["camera", "microphone", "geolocation", "clipboardWrite"];

/// Checks both keys, and returns the page.
pub(super) fn check(args: &Args, doc: &ToolDoc, errors: &mut Errors) -> Option<CheckedView> {
    check_visibility(args, doc, errors);
    check_meta(args, errors);
    let key = args.ui.as_ref()?;
    check_settings(key, errors);
    let text = match read(&key.file.value()) {
        Ok(text) => text,
        Err(why) => {
            errors.at(&key.file, why);
            return None;
        }
    };
    let page = Page::read(&text);
    check_page(key, &text, &page, errors);
    Some(CheckedView {
        file: key.file.value(),
        settings: key
            .settings
            .as_ref()
            .map_or_else(String::new, |(settings, _)| settings.to_string()),
        calls: page.calls,
    })
}

/// Checks that a tool for views alone has nothing that only models use.
fn check_visibility(args: &Args, doc: &ToolDoc, errors: &mut Errors) {
    let Some(key) = &args.visibility else { return };
    if key.value == ToolVisibility::Model {
        return;
    }
    let found = [
        (
            "a `ui`, which is shown for the calls of models",
            args.ui.is_some(),
        ),
        ("`found_by`", !args.found_by.is_empty()),
        ("`aliases`", !args.aliases.is_empty()),
        ("`read_first`", args.read_first.is_some()),
        ("examples", !doc.examples.is_empty()),
        ("guidance", !doc.guidance.is_empty()),
    ];
    let found: Vec<_> = found
        .into_iter()
        .filter_map(|(what, is_there)| is_there.then_some(what))
        .collect();
    if !found.is_empty() {
        errors.at(
            &key.text,
            format_args!(
                "views alone call this tool, so no model sees what it has: {}; remove that, or `visibility`",
                found.join(", ")
            ),
        );
    }
}

fn check_meta(args: &Args, errors: &mut Errors) {
    if args.ui.is_none() && args.visibility.is_none() {
        return;
    }
    for (key, _) in &args.meta {
        if matches!(key.value().as_str(), "ui" | "ui/resourceUri") {
            errors.at(
                key,
                "`ui` and `visibility` write this entry; remove it from `meta`",
            );
        }
    }
}

/// Returns the text of a file in the package.
fn read(file: &str) -> Result<String, String> {
    let path = Path::new(file);
    let is_inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !is_inside || file.is_empty() || file.contains('\\') {
        return Err(
            "a page is a file of the package, or the published package lacks it; write its path from the directory of \
             `Cargo.toml`, as in `\"ui/page.html\"`"
                .to_owned(),
        );
    }
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .ok_or("`ui` needs the variable CARGO_MANIFEST_DIR, which Cargo sets")?;
    match std::fs::read(package.join(path)) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|_| format!("`{file}` is not UTF-8; hosts read pages as UTF-8")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let hint = match near_file(&package, path) {
                near if near.is_empty() => {
                    "; a path begins at the directory of `Cargo.toml`".to_owned()
                }
                near => near,
            };
            Err(format!("the package has no file `{file}`{hint}"))
        }
        Err(error) => Err(format!("`{file}` cannot be read: {}", error.kind())),
    }
}

/// Returns the suggestion of a file beside the missing one.
fn near_file(package: &Path, path: &Path) -> String {
    let directory = path.parent().unwrap_or_else(|| Path::new(""));
    let Ok(entries) = std::fs::read_dir(package.join(directory)) else {
        return String::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    // The order of a directory differs from machine to machine.
    names.sort_unstable();
    let wanted = path.file_name().and_then(|name| name.to_str());
    suggestion(wanted.unwrap_or_default(), names.iter().map(String::as_str))
}

fn check_page(key: &ViewKey, text: &str, page: &Page, errors: &mut Errors) {
    let file = key.file.value();
    if text.len() > VIEW_BYTES_MAX {
        let length = text.len();
        errors.at(
            &key.file,
            format_args!(
                "`{file}` has {length} bytes, and at most {VIEW_BYTES_MAX} are served; load large parts by a tool"
            ),
        );
    }
    if !page.has_doctype {
        errors.at(
            &key.file,
            format_args!("`{file}` does not begin with `<!doctype html>`; add it"),
        );
    }
    for (list, urls) in DOMAINS.into_iter().zip(page.urls()) {
        let allowed = allowed(key, list);
        let mut missing: Vec<&PageUrl> = Vec::new();
        for url in urls {
            let is_known = missing.iter().any(|known| known.origin == url.origin);
            if !is_known && !allowed.iter().any(|one| covers(one, &url.origin)) {
                missing.push(url);
            }
        }
        for PageUrl { origin, line } in missing {
            errors.at(
                &key.file,
                format_args!(
                    "line {line} of `{file}` uses {origin}, which hosts block; bring what it needs into the page, or allow it: \
                     `ui(\"{file}\", {{ \"csp\": {{ \"{list}\": [\"{origin}\"] }} }})`"
                ),
            );
        }
    }
}

/// Returns the origins of a list in `csp`.
fn allowed<'a>(key: &'a ViewKey, list: &str) -> Vec<&'a str> {
    let settings = key.settings.as_ref().map(|(settings, _)| settings);
    let origins = settings
        .and_then(|settings| settings.get("csp")?.get(list)?.as_array())
        .map(Vec::as_slice);
    let texts = origins.unwrap_or_default().iter();
    texts.filter_map(Value::as_str).collect()
}

/// Returns whether an entry of a Content Security Policy allows an origin.
fn covers(allowed: &str, origin: &str) -> bool {
    let without_port = |text: &str| text.trim_end_matches(":*").to_owned();
    match allowed.split_once("://*.") {
        Some((scheme, domain)) => origin
            .strip_prefix(scheme)
            .and_then(|rest| rest.strip_prefix("://"))
            .is_some_and(|host| host.ends_with(&format!(".{domain}"))),
        None if allowed.ends_with(":*") => {
            let host = without_port(allowed);
            origin == host || origin.starts_with(&format!("{host}:"))
        }
        None => allowed == origin,
    }
}

fn check_settings(key: &ViewKey, errors: &mut Errors) {
    let Some((settings, span)) = &key.settings else {
        return;
    };
    let mut problems = Vec::new();
    match settings {
        Value::Object(fields) => {
            for (name, value) in fields {
                check_setting(name, value, &mut problems);
            }
        }
        _ => problems.push("the settings are an object, as in `{ \"csp\": { … } }`".to_owned()),
    }
    for problem in problems {
        errors.take::<()>(Err(syn::Error::new(*span, problem)));
    }
}

fn check_setting(name: &str, value: &Value, problems: &mut Vec<String>) {
    match (name, value) {
        ("csp", Value::Object(lists)) => {
            for (list, origins) in lists {
                problems.extend(unknown(list, "`csp`", &DOMAINS));
                let Some(origins) = origins.as_array() else {
                    problems.push(format!("`{list}` is a list of origins"));
                    continue;
                };
                problems.extend(origins.iter().filter(|one| !is_origin(one)).map(|one| {
                    format!("{one} in `{list}` is not an origin, as in \"https://api.example.com\"")
                }));
            }
        }
        ("permissions", Value::Object(permissions)) => {
            for (name, value) in permissions {
                problems.extend(unknown(name, "`permissions`", &PERMISSIONS));
                if !value.as_object().is_some_and(serde_json::Map::is_empty) {
                    problems.push(format!("the permission `{name}` is written `{{}}`"));
                }
            }
        }
        ("csp" | "permissions", _) => problems.push(format!("`{name}` is an object")),
        ("domain", Value::String(_)) | ("prefersBorder", Value::Bool(_)) => {}
        ("domain", _) => problems.push("`domain` is a text".to_owned()),
        ("prefersBorder", _) => problems.push("`prefersBorder` is true or false".to_owned()),
        _ => problems.extend(unknown(name, "a view", &SETTINGS)),
    }
}

fn unknown(name: &str, of: &str, known: &[&str]) -> Option<String> {
    if known.contains(&name) {
        return None;
    }
    let near = suggestion(name, known.iter().copied());
    let known = known.join("`, `");
    Some(format!("{of} has no `{name}`{near} (it has `{known}`)"))
}

/// Returns whether the value is an origin: a scheme and a host, perhaps with `*.` before it and a
/// port behind it.
fn is_origin(value: &Value) -> bool {
    let Some((scheme, host)) = value.as_str().and_then(|text| text.split_once("://")) else {
        return false;
    };
    let (name, port) = host.split_once(':').unwrap_or((host, "*"));
    let name = name.strip_prefix("*.").unwrap_or(name);
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    ["https", "http", "wss", "ws"].contains(&scheme)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_host)
        && (port == "*" || (!port.is_empty() && port.bytes().all(|c| c.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    /// Returns the messages about the attribute of a tool.
    fn messages(attribute: proc_macro2::TokenStream, page: Option<&str>) -> Vec<String> {
        let mut errors = Errors::default();
        let args = crate::args::parse(attribute, &mut errors);
        check_visibility(&args, &ToolDoc::default(), &mut errors);
        check_meta(&args, &mut errors);
        if let Some(key) = &args.ui {
            check_settings(key, &mut errors);
            if let Some(page) = page {
                check_page(key, page, &Page::read(page), &mut errors);
            }
        }
        errors.messages()
    }

    #[test]
    fn a_page_loads_what_its_policy_allows() {
        let page = "<!doctype html>\n<script src=\"https://cdn.example.com/a.js\"></script>\n\
                    <script>fetch('https://api.example.com/v1'); fetch('https://api.example.com/v2')</script>";
        let found = messages(quote!(ui = "a.html"), Some(page));
        assert_eq!(found.len(), 2, "{found:?}");
        let [api, cdn] = [0, 1].map(|at| found.get(at).map(String::as_str).unwrap_or_default());
        assert!(
            api.contains("line 3 of `a.html` uses https://api.example.com, which hosts block"),
            "{api}"
        );
        assert!(
            api.contains("`ui(\"a.html\", { \"csp\": { \"connectDomains\": [\"https://api.example.com\"] } })`"),
            "{api}"
        );
        assert!(
            cdn.contains("line 2") && cdn.contains("resourceDomains"),
            "{cdn}"
        );
        let allowed = quote!(ui(
            "a.html",
            { "csp": { "connectDomains": ["https://api.example.com"], "resourceDomains": ["https://*.example.com"] } }
        ));
        assert_eq!(messages(allowed, Some(page)), [""; 0]);
    }

    #[test]
    fn a_page_is_html() {
        let found = messages(quote!(ui = "a.html"), Some("<html></html>"));
        assert_eq!(
            found,
            ["`a.html` does not begin with `<!doctype html>`; add it"]
        );
        let large = format!("<!doctype html>{}", "x".repeat(VIEW_BYTES_MAX));
        let found = messages(quote!(ui = "a.html"), Some(&large));
        assert!(
            found
                .first()
                .is_some_and(|one| one.contains("8388623 bytes")),
            "{found:?}"
        );
    }

    #[test]
    fn all_mistakes_of_settings_are_reported() {
        let found = messages(
            quote!(ui("a.html", {
                "cps": {},
                "csp": { "connectDomain": [], "connectDomains": ["https://a.example/path"] },
                "permissions": { "camera": true },
                "prefersBorder": 1,
            })),
            None,
        );
        for why in [
            "a view has no `cps`; did you mean `csp`?",
            "`csp` has no `connectDomain`; did you mean `connectDomains`?",
            "\"https://a.example/path\" in `connectDomains` is not an origin",
            "the permission `camera` is written `{}`",
            "`prefersBorder` is true or false",
        ] {
            assert!(
                found.iter().any(|one| one.contains(why)),
                "{why}: {found:?}"
            );
        }
        assert_eq!(found.len(), 5, "{found:?}");
    }

    #[test]
    fn a_tool_for_views_has_nothing_for_models() {
        let found = messages(
            quote!(
                visibility = "app",
                ui = "a.html",
                found_by("a board"),
                meta("ui" = 1)
            ),
            None,
        );
        assert!(
            found
                .iter()
                .any(|one| one
                    .contains("a `ui`, which is shown for the calls of models, `found_by`")),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .any(|one| one.contains("remove it from `meta`")),
            "{found:?}"
        );
        let other = messages(quote!(visibility = "apps"), None);
        assert!(
            other
                .iter()
                .any(|one| one.contains("`visibility` is `\"app\"`")),
            "{other:?}"
        );
        assert_eq!(
            messages(quote!(visibility = "model", found_by("a board")), None),
            [""; 0]
        );
    }

    #[test]
    fn a_file_is_in_the_package() {
        for outside in ["", "/etc/hostname", "../x.html", "ui\\x.html"] {
            assert!(
                read(outside).is_err_and(|why| why.contains("from the directory of `Cargo.toml`"))
            );
        }
        let near = read("src/vieww.rs");
        assert!(near.is_err_and(|why| why.contains("did you mean `view.rs`?")));
        assert!(read("src/view.rs").is_ok());
    }

    #[test]
    fn origins_are_covered_as_browsers_do() {
        for (allowed, origin, is_covered) in [
            ("https://a.example", "https://a.example", true),
            ("https://a.example", "https://a.example:8443", false),
            ("https://*.a.example", "https://b.a.example", true),
            ("https://*.a.example", "https://a.example", false),
            ("https://*.a.example", "http://b.a.example", false),
            ("http://localhost:*", "http://localhost:3000", true),
            ("http://localhost:*", "http://localhost", true),
            ("http://localhost:*", "http://localhosts", false),
        ] {
            assert_eq!(covers(allowed, origin), is_covered, "{allowed} {origin}");
        }
    }
}
