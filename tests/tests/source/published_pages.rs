//! What pages say about published packages: their version, commands that install them, and links that
//! work outside of the repository.

use crate::{
    links::{anchors, pages},
    packaging::{CRATES, after, published, read, root, version},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path};

const REGISTRY_NAME: &str = "io.github.pd-runtime/pd-gateway";
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
