//! Facts that the formats accept and refuse, and the texts that are derived.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::{CardError, ServerCard, ServerFacts};
use rmcp::model::{Icon, Implementation};
use serde_json::{Value, json};

fn server(instructions: &str) -> ServerFacts {
    ServerFacts {
        info: Implementation::new("notes", "1.0.2"),
        versions: vec!["2025-11-25".to_owned(), "2026-07-28".to_owned()],
        instructions: instructions.to_owned(),
    }
}

fn card() -> ServerCard {
    ServerCard::new("io.github.me/notes")
}

fn described_by(instructions: &str) -> Value {
    card().document(&server(instructions), None).unwrap()["description"].clone()
}

#[test]
fn a_card_has_what_its_publisher_and_its_server_know() {
    let mut facts = server("Keeps notes.");
    facts.info.title = Some("Notes".to_owned());
    facts.info.website_url = Some("https://notes.example/".to_owned());
    let picture = |src: &str| Icon::new(src).with_mime_type("image/png");
    let own = "https://notes.example/icon.png";
    facts.info.icons = Some(vec![
        picture(own),
        picture("data:image/png;base64,iVBORw0KGgo="),
        picture("http://notes.example/icon.png"),
    ]);
    let card = card()
        .url("https://notes.example/mcp")
        .repository("https://github.com/me/notes");
    let wanted = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "io.github.me/notes",
        "title": "Notes",
        "description": "Keeps notes.",
        "version": "1.0.2",
        "websiteUrl": "https://notes.example/",
        "repository": { "url": "https://github.com/me/notes", "source": "github" },
        "icons": [{ "src": own, "mimeType": "image/png" }],
        "remotes": [{
            "type": "streamable-http",
            "url": "https://notes.example/mcp",
            "supportedProtocolVersions": ["2025-11-25", "2026-07-28"],
        }],
    });
    let elsewhere = Some("http://localhost:1/mcp");
    assert_eq!(card.document(&facts, elsewhere).unwrap(), wanted);

    let set = card
        .title("T")
        .description("D")
        .website_url("https://w.example");
    let set = set.repository_on("forgejo", "https://code.example/me/notes");
    let document = set.document(&facts, None).unwrap();
    for (key, value) in [
        ("title", json!("T")),
        ("description", json!("D")),
        ("websiteUrl", json!("https://w.example")),
        (
            "repository",
            json!({ "url": "https://code.example/me/notes", "source": "forgejo" }),
        ),
    ] {
        assert_eq!(document[key], value);
    }
}

#[test]
fn names_have_a_namespace() {
    for name in ["a/b", "io.github.me/my_notes.2", "com.example-1/N"] {
        assert_eq!(ServerCard::new(name).check(), Ok(()), "{name}");
    }
    let long = format!("a/{}", "b".repeat(199));
    for name in [
        "", "notes", "/notes", "a/", "a/b/c", "a_b/c", "a/ü", "a /b", "a/b\n", &long,
    ] {
        let error = ServerCard::new(name).check().unwrap_err();
        assert_eq!(error, CardError::Name(name.to_owned()));
    }
}

#[test]
fn a_version_is_one_version() {
    for (version, is_one) in [
        ("1.0.2", true),
        ("2.0.0-rc.1+build", true),
        ("2026-11-28", true),
        ("0.1.0-next.1", true),
        ("", false),
        ("latest", false),
        ("^1.2.3", false),
        (">=1.0", false),
        ("1.x", false),
        ("1.*", false),
        ("1 || 2", false),
        (&"1".repeat(256), false),
    ] {
        let mut facts = server("Keeps notes.");
        facts.info.version = version.to_owned();
        let document = card().document(&facts, None);
        assert_eq!(document.is_ok(), is_one, "{version}");
    }
}

#[test]
fn urls_can_be_opened_and_contain_no_password() {
    let check = |url: &str| card().website_url(url).check();
    for url in [
        "https://a.example",
        "http://a.example/b?c=d",
        "https://[::1]:8000/mcp",
    ] {
        assert_eq!(check(url), Ok(()), "{url}");
    }
    let long = format!("https://a.example/{}", "b".repeat(255));
    for url in [
        "",
        "a.example",
        "/mcp",
        "ftp://a.example",
        "https://",
        "https://me:secret@a.example",
        "https://a.example/#part",
        "https://a.example/a b",
        "https://{tenant}.example/mcp",
        "javascript:alert(1)",
        &long,
    ] {
        assert_eq!(check(url), Err(CardError::Url(url.to_owned())), "{url}");
    }
}

#[test]
fn an_endpoint_has_tls_unless_it_is_local() {
    let check = |url: &str| card().url(url).check();
    for url in [
        "https://a.example/mcp",
        "http://localhost:8000/mcp",
        "http://127.0.0.1/mcp",
        "http://[::1]:8000/mcp",
    ] {
        assert_eq!(check(url), Ok(()), "{url}");
    }
    for url in [
        "http://a.example/mcp",
        "http://localhost.example/mcp",
        "http://10.0.0.1/mcp",
    ] {
        assert_eq!(check(url), Err(CardError::NoTls(url.to_owned())));
    }
}

#[test]
fn a_repository_on_an_unknown_host_needs_its_service() {
    let url = "https://code.example/me/notes";
    let error = card().repository(url).check().unwrap_err();
    assert_eq!(error, CardError::RepositorySource(url.to_owned()));
    for (host, source) in [("gitlab.com", "gitlab"), ("codeberg.org", "codeberg")] {
        let card = card().repository(format!("https://{host}/me/notes"));
        let document = card.document(&server("Notes"), None).unwrap();
        assert_eq!(document["repository"]["source"], source);
    }
}

#[test]
fn texts_have_at_most_a_hundred_characters() {
    let text = |length| "ü".repeat(length);
    assert_eq!(
        card().title(text(100)).description(text(100)).check(),
        Ok(())
    );
    assert_eq!(card().title(text(101)).check(), Err(CardError::Title(101)));
    assert_eq!(card().title("").check(), Err(CardError::Title(0)));
    let error = card().description(text(101)).check();
    assert_eq!(error, Err(CardError::Description(101)));
}

#[test]
fn a_server_without_a_description_is_described_by_its_instructions() {
    assert_eq!(
        described_by("  Keeps\n notes.\n\nUse `add`.\n"),
        "Keeps notes."
    );
    let long = "word ".repeat(30);
    assert_eq!(
        described_by(&format!("Keeps notes. {long}")),
        "Keeps notes."
    );
    let cut = described_by(&long);
    let cut = cut.as_str().unwrap();
    assert!(
        cut.ends_with("word…") && cut.chars().count() <= 100,
        "{cut}"
    );
    assert_eq!(
        described_by(&"ü".repeat(200)),
        format!("{}…", "ü".repeat(99))
    );

    let mut facts = server("Use `add`.");
    facts.info.description = Some("Keeps notes.".to_owned());
    let document = card().document(&facts, None).unwrap();
    assert_eq!(document["description"], "Keeps notes.");
    for nothing in ["", " \n\n"] {
        let error = card().document(&server(nothing), None).unwrap_err();
        assert_eq!(error, CardError::NoDescription);
    }
}

#[cfg(feature = "cli")]
mod packages {
    use super::{super::server_package::ServerPackage, *};

    fn package(text: &str) -> Value {
        let arguments = ["serve".to_owned()];
        let package = ServerPackage::parse(text).unwrap();
        let entry = super::super::server_json::document(
            &card(),
            &server("Keeps notes."),
            std::slice::from_ref(&package),
            &arguments,
        );
        entry.unwrap()["packages"][0].clone()
    }

    #[test]
    fn each_registry_has_its_own_members() {
        let serve = json!([{ "type": "positional", "value": "serve" }]);
        let stdio = json!({ "type": "stdio" });
        for (text, identifier, version, hint) in [
            ("npm:@me/notes", "@me/notes", "1.0.2", "npx"),
            ("npm:@me/notes@2.0.0", "@me/notes", "2.0.0", "npx"),
            ("pypi:notes@1.0.2rc1", "notes", "1.0.2rc1", "uvx"),
            ("nuget:Me.Notes", "Me.Notes", "1.0.2", "dnx"),
        ] {
            let kind = text.split(':').next().unwrap();
            let wanted = json!({
                "registryType": kind, "identifier": identifier, "version": version, "runtimeHint": hint,
                "transport": stdio, "packageArguments": serve,
            });
            assert_eq!(package(text), wanted);
        }
        let image = json!({
            "registryType": "oci", "identifier": "ghcr.io/me/notes:1.0.2", "runtimeHint": "docker",
            "transport": stdio, "packageArguments": serve,
        });
        assert_eq!(package("oci:ghcr.io/me/notes:1.0.2"), image);
        let hash = "0123456789abcdef".repeat(4);
        let url = "https://github.com/me/notes/releases/download/v1.0.2/notes.mcpb";
        let bundle = json!({
            "registryType": "mcpb", "identifier": url, "fileSha256": hash, "transport": stdio,
        });
        assert_eq!(package(&format!("mcpb:{url}#sha256={hash}")), bundle);
    }

    #[test]
    fn another_notation_is_refused_with_the_right_one() {
        for (text, advice) in [
            ("", "TYPE:IDENTIFIER"),
            ("notes", "TYPE:IDENTIFIER"),
            ("cargo:notes", "npm, pypi, nuget, oci or mcpb"),
            ("npm:", "`npm:notes`"),
            ("npm:a b", "`npm:notes`"),
            ("pypi:notes@", "`pypi:notes@1.0.2`"),
            ("oci:ghcr.io/me/notes", "ghcr.io/me/notes:1.0.2"),
            ("oci:localhost:5000/notes", "its tag"),
            ("oci:notes:1", "its host"),
            ("mcpb:https://a.example/n.mcpb", "#sha256="),
            ("mcpb:https://a.example/n.mcpb#sha256=ABCD", "lower case"),
            ("mcpb:http://a.example/n.mcpb#sha256=", "sha256sum"),
        ] {
            let error = ServerPackage::parse(text).unwrap_err();
            assert!(error.contains(advice), "{text}: {error}");
        }
        let range = ServerPackage::parse("npm:notes@^1").unwrap();
        let entry = super::super::server_json::document(
            &card(),
            &server("Keeps notes."),
            std::slice::from_ref(&range),
            &[],
        );
        assert_eq!(entry.unwrap_err(), CardError::Version("^1".to_owned()));
    }
}
