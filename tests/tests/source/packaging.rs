//! What registries receive: the metadata, files and readmes of the published crates, and the version
//! that pages name.

use crate::links::{anchors, pages};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

const REGISTRY_NAME: &str = "io.github.pd-runtime/pd-gateway";
/// The directories of the published crates.
const CRATES: [(&str, &str); 4] = [
    ("pd-macros", "pd-macros"),
    ("pd-schema", "pd-runtime/schema"),
    ("pd-runtime", "pd-runtime"),
    ("pd-gateway", "pd-runtime/gateway"),
];
/// Texts after which a page names the version of a package of this project.
const BEFORE_VERSION: [&str; 8] = [
    "pd-gateway:",
    "pd-gateway@",
    "pd-gateway==",
    "pd_gateway-",
    "pd-gateway-v",
    "pd-runtime = \"",
    "\"pd-gateway\", \"version\": \"",
    "html_root_url = \"https://docs.rs/pd-",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The packages of the workspace that registries receive.
fn published() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    // `publish = false` is an empty list of registries.
    let published = packages.filter(|package| package["publish"].is_null());
    published.cloned().collect()
}

fn version() -> String {
    published()[0]["version"].as_str().unwrap().to_owned()
}

/// The texts after each occurrence of `before`.
fn after<'a>(text: &'a str, before: &str) -> impl Iterator<Item = &'a str> {
    let places: Vec<usize> = text.match_indices(before).map(|(at, _)| at).collect();
    let length = before.len();
    places.into_iter().map(move |at| &text[at + length..])
}

/// The version `1.2.3` at the beginning of a text.
fn leading_version(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let version = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    (version.split('.').count() == 3).then_some(version)
}

#[test]
fn all_packages_have_one_version() {
    let version = version();
    for package in published() {
        assert_eq!(package["version"], version, "{}", package["name"]);
    }
    let manifest = read("Cargo.toml");
    for (name, _) in CRATES {
        let line = format!("\n{name} = {{ path = \"");
        let (_, rest) = manifest.split_once(&line).unwrap();
        let line = rest.lines().next().unwrap();
        assert!(
            line.contains(&format!("version = \"{version}\"")),
            "Cargo.toml depends on another version of {name}: {line}"
        );
    }
    let changelog = read("CHANGELOG.md");
    assert!(
        changelog.lines().any(|line| is_section(line, &version)),
        "CHANGELOG.md has no section `## {version}`"
    );
}

/// Returns whether a line of the changelog begins the section of this version.
fn is_section(line: &str, version: &str) -> bool {
    let heading = line.strip_prefix("## ").unwrap_or_default();
    heading.split(' ').next() == Some(version)
}

#[test]
fn pages_and_sources_name_the_version_of_the_packages() {
    let version = version();
    let libraries = CRATES.map(|(_, directory)| root().join(directory).join("src/lib.rs"));
    let (mut checked, mut faults) = (0, Vec::new());
    for file in pages(root()).into_iter().chain(libraries) {
        let text = fs::read_to_string(&file).unwrap();
        for before in BEFORE_VERSION {
            for rest in after(&text, before) {
                let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
                let Some(found) = leading_version(rest.trim_start_matches('/')) else {
                    continue;
                };
                checked += 1;
                if found != version {
                    faults.push(format!("{}: {before}{found}", file.display()));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "the version is {version}:\n{}",
        faults.join("\n")
    );
    assert!(checked > 5, "{checked} versions");
}

/// The commands of a page work for its reader, or the page says that they do not work yet.
#[test]
fn pages_say_that_nothing_is_published_until_the_changelog_has_a_release() {
    let version = version();
    let changelog = read("CHANGELOG.md");
    let mut sections = changelog.lines().filter(|line| is_section(line, &version));
    let is_unreleased = sections.next().unwrap().ends_with("(unreleased)");
    let note = format!("Version {version} is not published yet.");
    for page in [
        "README.md",
        "pd-runtime/README.md",
        "pd-runtime/gateway/README.md",
        "pd-runtime/gateway/docs/gateway.md",
        "pd-runtime/gateway/docs/gateway-clients.md",
    ] {
        assert_eq!(
            read(page).contains(&note),
            is_unreleased,
            "{page}: `{note}` is there until the heading of CHANGELOG.md loses `(unreleased)`"
        );
    }
}

#[test]
fn registries_accept_the_metadata() {
    let published = published();
    let names = published.iter().map(|package| &package["name"]);
    let mut names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    let mut crates = CRATES.map(|(name, _)| name);
    crates.sort_unstable();
    assert_eq!(
        names, crates,
        "left are the packages without `publish = false`"
    );
    for package in &published {
        let name = &package["name"];
        let list =
            |key: &str| -> Vec<String> { serde_json::from_value(package[key].clone()).unwrap() };
        let keywords = list("keywords");
        // crates.io refuses others.
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        for keyword in &keywords {
            assert!(
                keyword.len() <= 20,
                "{name}: `{keyword}` has over 20 characters"
            );
        }
        assert!((1..=5).contains(&list("categories").len()), "{name}");
        assert_eq!(package["readme"], "README.md", "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        for key in ["description", "repository", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no `{key}`");
        }
    }
    let gateway = published
        .iter()
        .find(|package| package["name"] == "pd-gateway");
    let description = gateway.unwrap()["description"].as_str().unwrap();
    assert!(
        description.chars().count() <= 100,
        "the MCP registry takes 100 characters: {description}"
    );
    let python = read("pd-runtime/gateway/pyproject.toml");
    let same = format!("description = \"{}", description.trim_end_matches('.'));
    assert!(
        python.contains(&same),
        "pyproject.toml has another description"
    );
}

/// docs.rs has 15 minutes for a crate. Its pages have every item but those of the sentence model, which
/// brings candle.
#[test]
fn docs_rs_builds_every_feature_but_search_by_meaning() {
    let published = published();
    let runtime = published
        .iter()
        .find(|package| package["name"] == "pd-runtime")
        .unwrap();
    let features = runtime["features"].as_object().unwrap();
    let list = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
    let mut open = list(&runtime["metadata"]["docs"]["rs"]["features"]);
    let line = format!("_all_but_semantic := \"{}\"", open.join(","));
    assert!(
        read("justfile").contains(&line),
        "the justfile has another list: {line}"
    );
    let mut enabled = BTreeSet::from(["default".to_owned(), "semantic".to_owned()]);
    while let Some(name) = open.pop() {
        if let Some(implied) = features.get(&name) {
            open.extend(list(implied));
            enabled.insert(name);
        }
    }
    let all: BTreeSet<String> = features.keys().cloned().collect();
    assert_eq!(enabled, all, "left are the features of docs.rs");
}

#[test]
fn packages_contain_licences_and_readme_and_no_private_key() {
    for (name, directory) in CRATES {
        let list = cargo(&[
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            name,
        ]);
        let files: Vec<&str> = list.lines().collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(files.contains(&file), "{name} does not contain {file}");
        }
        for file in files {
            // Pictures and the file for Python are read by nobody in a crate.
            assert!(
                !file.contains("pictures/") && !file.ends_with("pyproject.toml"),
                "{name}: {file}"
            );
            // cargo makes some of the files.
            let Ok(bytes) = fs::read(root().join(directory).join(file)) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let is_private = after(&text, "-----BEGIN ").any(|rest| {
                rest.lines()
                    .next()
                    .unwrap_or_default()
                    .ends_with("PRIVATE KEY-----")
            });
            assert!(!is_private, "{name}: {file} has a private key");
        }
    }
}

/// The programs of the repository are built with the features of the installed one.
#[test]
fn the_gateway_has_one_list_of_features() {
    let manifest = read("pd-runtime/gateway/Cargo.toml");
    let (_, features) = manifest.split_once("\ndefault = [").unwrap();
    let (list, features) = features.split_once("]\n").unwrap();
    let table = features.split("\n\n").next().unwrap();
    let names = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = names
        .map(|line| line.split(" = ").next().unwrap())
        .collect();
    let quoted = names.iter().map(|name| format!("\"{name}\""));
    assert_eq!(
        list,
        quoted.collect::<Vec<_>>().join(", "),
        "`default` has each feature"
    );
    for file in ["examples/Cargo.toml", "tests/Cargo.toml"] {
        let line = format!("pd-gateway = {{ workspace = true, features = [{list}] }}");
        assert!(read(file).contains(&line), "{file} must have `{line}`");
    }
    let library = read("pd-runtime/gateway/src/lib.rs");
    for name in names {
        let row = format!("\n//! | `{name}` | ");
        assert!(library.contains(&row), "lib.rs has no row for `{name}`");
    }
}

/// Registries resolve relative links below their own pages.
#[test]
fn readmes_of_packages_have_absolute_links() {
    for (name, directory) in CRATES {
        let text = read(&format!("{directory}/README.md"));
        let mut checked = 0;
        for target in after(&text, "](").chain(after(&text, "src=\"")) {
            let target = target.split([')', '"']).next().unwrap();
            assert!(
                target.starts_with("https://"),
                "{name}: `{target}` is relative"
            );
            checked += 1;
        }
        assert!(checked > 3, "{name}: {checked} links");
    }
}

/// What is wrong with the file or heading that follows the URL of the repository, if anything is.
fn fault(rest: &str, version: &str) -> Option<String> {
    let link = rest
        .split([')', ' ', '"', '\'', '>', ']', '`', '\n', '<', '\\'])
        .next()
        .unwrap();
    let link = link.trim_end_matches(['.', ',', ':']);
    let path = link.trim_start_matches("/blob").trim_start_matches("/tree");
    let tag = format!("/v{version}/");
    let path = path
        .strip_prefix("/main/")
        .or_else(|| path.strip_prefix(&*tag))?;
    let (path, heading) = path.split_once('#').unwrap_or((path, ""));
    let Ok(found) = fs::metadata(root().join(path)) else {
        return Some(format!("no file `{link}`"));
    };
    let is_heading = heading.is_empty()
        || found.is_file() && anchors(&read(path)).iter().any(|anchor| anchor == heading);
    (!is_heading).then(|| format!("no heading `{link}`"))
}

#[test]
fn absolute_links_into_the_repository_lead_to_files() {
    let version = version();
    let repository = published()[0]["repository"].as_str().unwrap().to_owned();
    let raw = repository.replace("//github.com", "//raw.githubusercontent.com");
    let (mut checked, mut faults) = (0, Vec::new());
    for page in pages(root()) {
        let text = fs::read_to_string(&page).unwrap();
        for rest in after(&text, &repository).chain(after(&text, &raw)) {
            checked += 1;
            let fault = fault(rest, &version);
            faults.extend(fault.map(|fault| format!("{}: {fault}", page.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 40, "{checked} links");
}

/// Returns whether a path such as `_docs/testing/index.html` or `macro.registry.html` below the docs of
/// a crate is the page of a module or a reexported macro.
fn is_documented(library: &Path, page: &str) -> bool {
    let page = page.split('#').next().unwrap();
    if let Some(item) = page
        .strip_suffix(".html")
        .and_then(|page| page.split_once('.'))
    {
        let line = format!("pub use pd_macros::{};", item.1);
        return fs::read_to_string(library).unwrap().contains(&line);
    }
    let mut file = library.to_owned();
    let mut directory = library.parent().unwrap().to_owned();
    for module in page.trim_end_matches("index.html").split_terminator('/') {
        let text = fs::read_to_string(&file).unwrap_or_default();
        if !text.contains(&format!("pub mod {module}")) {
            return false;
        }
        file = directory.join(format!("{module}.rs"));
        directory.push(module);
    }
    true
}

#[test]
fn links_to_docs_rs_lead_to_modules_and_macros() {
    let mut checked = 0;
    for (name, directory) in CRATES {
        let library = root().join(directory).join("src/lib.rs");
        let base = format!("https://docs.rs/{name}/latest/{}/", name.replace('-', "_"));
        for (_, directory) in CRATES {
            let text = read(&format!("{directory}/README.md"));
            for rest in after(&text, &base) {
                let page = rest.split(')').next().unwrap();
                assert!(
                    is_documented(&library, page),
                    "{directory}/README.md: {base}{page}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked} links");
    let library = root().join("pd-runtime/src/lib.rs");
    for absent in [
        "macro.registri.html",
        "_docs/gone/index.html",
        "gone/index.html",
    ] {
        assert!(!is_documented(&library, absent), "{absent}");
    }
}

#[test]
fn the_gateway_readme_proves_its_name_to_registries() {
    let readme = read("pd-runtime/gateway/README.md");
    // PyPI and npm keep comments. crates.io removes them, so the text is visible once.
    let name = format!("mcp-name: {REGISTRY_NAME}");
    assert!(readme.contains(&format!("<!-- {name} -->")));
    let visible = readme.replace(&format!("<!-- {name} -->"), "");
    assert!(visible.contains(&name), "crates.io shows no comments");
}

#[test]
fn links_that_install_the_gateway_have_the_entries_of_the_readme() {
    let readme = read("pd-runtime/gateway/README.md");
    let link = |base: &str| {
        let rest = after(&readme, base).next().unwrap();
        let link = format!("{base}{}", rest.split(')').next().unwrap());
        let url = url::Url::parse(&link).unwrap();
        let pairs = url.query_pairs().into_owned();
        let pairs: BTreeMap<String, String> = pairs.collect();
        assert_eq!(pairs["name"], "gateway");
        pairs["config"].clone()
    };
    let entry = json!({ "command": "uvx", "args": ["pd-gateway", "serve"] });
    let cursor = STANDARD
        .decode(link("https://cursor.com/en/install-mcp?"))
        .unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&cursor).unwrap(), entry);
    let vs_code = link("https://vscode.dev/redirect/mcp/install?");
    assert_eq!(serde_json::from_str::<Value>(&vs_code).unwrap(), entry);
    assert_eq!(
        readme
            .matches(r#""command": "uvx", "args": ["pd-gateway", "serve"]"#)
            .count(),
        2
    );
}
