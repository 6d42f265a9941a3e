//! A package of a server in a registry of packages, as the command line names it.

use serde::Serialize;
use serde_json::{Value, json};

/// The registries of packages that MCP's registry knows, with the program that starts a package.
const REGISTRIES: [(&str, Option<&str>); 5] = [
    ("npm", Some("npx")),
    ("pypi", Some("uvx")),
    ("nuget", Some("dnx")),
    ("oci", Some("docker")),
    ("mcpb", None),
];

/// The digits of a SHA-256.
const HASH_DIGITS: usize = 64;

/// A package in the notation `TYPE:IDENTIFIER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerPackage {
    registry: &'static str,
    runtime: Option<&'static str>,
    identifier: String,
    version: Option<String>,
    hash: Option<String>,
}

impl ServerPackage {
    /// Parses `npm:NAME`, `pypi:NAME` and `nuget:NAME`, each with `@VERSION` if the version is not
    /// the server's, `oci:IMAGE:TAG`, and `mcpb:URL#sha256=DIGITS`.
    ///
    /// # Errors
    ///
    /// Returns what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some((registry, runtime)) = REGISTRIES.into_iter().find(|(name, _)| *name == kind)
        else {
            return Err(
                "write TYPE:IDENTIFIER, where TYPE is npm, pypi, nuget, oci or mcpb, e.g. `npm:@me/notes`"
                    .to_owned(),
            );
        };
        let mut package = Self {
            registry,
            runtime,
            identifier: rest.to_owned(),
            version: None,
            hash: None,
        };
        match registry {
            "oci" => check_image(rest)?,
            "mcpb" => package.split_hash(rest)?,
            _ => package.split_version(rest)?,
        }
        Ok(package)
    }

    fn split_hash(&mut self, rest: &str) -> Result<(), String> {
        let is_hash = |digits: &str| {
            digits.len() == HASH_DIGITS
                && digits
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let Some((url, hash)) = rest
            .split_once("#sha256=")
            .filter(|(url, hash)| url.starts_with("https://") && is_hash(hash))
        else {
            return Err(
                "write the URL of the bundle and the hash of the file in lower case: \
                 `mcpb:https://…/notes.mcpb#sha256=…`; `sha256sum notes.mcpb` prints the hash"
                    .to_owned(),
            );
        };
        self.identifier = url.to_owned();
        self.hash = Some(hash.to_owned());
        Ok(())
    }

    /// Splits a version off the name. The `@` of an npm scope begins the name.
    fn split_version(&mut self, rest: &str) -> Result<(), String> {
        let (name, version) = match rest.rsplit_once('@') {
            Some((name, version)) if !name.is_empty() => (name, Some(version)),
            _ => (rest, None),
        };
        let is_text = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
        if !is_text(name) || version.is_some_and(|version| !is_text(version)) {
            return Err(format!(
                "write the package's name, and its version if it is not the server's: `{0}:notes` or \
                 `{0}:notes@1.0.2`",
                self.registry
            ));
        }
        self.identifier = name.to_owned();
        self.version = version.map(str::to_owned);
        Ok(())
    }

    /// Returns the package's version, if the registry has one beside the identifier.
    pub(super) fn version<'a>(&'a self, of_server: &'a str) -> Option<&'a str> {
        match self.registry {
            // An image's tag is a part of its identifier. A bundle has its own version.
            "oci" | "mcpb" => None,
            _ => Some(self.version.as_deref().unwrap_or(of_server)),
        }
    }

    /// Renders the entry of `packages`. A bundle's manifest has its arguments.
    pub(super) fn document(&self, of_server: &str, arguments: &[String]) -> Value {
        let arguments = match self.registry {
            "mcpb" => &[][..],
            _ => arguments,
        };
        let positional = |value| PackageArgument {
            kind: "positional",
            value,
        };
        json!(PackageDocument {
            registry_type: self.registry,
            identifier: &self.identifier,
            version: self.version(of_server),
            file_sha256: self.hash.as_deref(),
            runtime_hint: self.runtime,
            transport: Transport { kind: "stdio" },
            package_arguments: arguments.iter().map(|value| positional(value)).collect(),
        })
    }
}

/// Checks that an image has a tag or a digest, after which no other image can have its name.
fn check_image(reference: &str) -> Result<(), String> {
    let last = reference.rsplit('/').next().unwrap_or_default();
    let has_tag = last
        .split_once([':', '@'])
        .is_some_and(|(name, tag)| !name.is_empty() && !tag.is_empty());
    if has_tag && reference.contains('/') && !reference.contains(char::is_whitespace) {
        Ok(())
    } else {
        Err(
            "write the image with its host and its tag, e.g. `oci:ghcr.io/me/notes:1.0.2`"
                .to_owned(),
        )
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PackageDocument<'a> {
    registry_type: &'a str,
    identifier: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(rename = "fileSha256", skip_serializing_if = "Option::is_none")]
    file_sha256: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime_hint: Option<&'a str>,
    transport: Transport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    package_arguments: Vec<PackageArgument<'a>>,
}

#[derive(Serialize)]
struct Transport {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct PackageArgument<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    value: &'a str,
}
