//! Why a document is not a set of tools.

use crate::registry::problem::RegistryErrors;

/// An error of an OpenAPI document, or of the settings for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The text is longer than a document may be.
    #[error("the document has more than {max} bytes; leave out parts that no operation needs")]
    TooLong {
        /// The limit in bytes.
        max: usize,
    },
    /// The document has more values than it may have, with those that YAML aliases repeat.
    #[error("the document has more than {max} values; leave out parts that no operation needs")]
    TooManyValues {
        /// The limit.
        max: usize,
    },
    /// The document nests deeper than it may.
    #[error("the document has more than {max} levels")]
    TooDeep {
        /// The limit.
        max: usize,
    },
    /// The document has more files than it may have.
    #[error("the document refers to more than {max} files; bundle it into one")]
    TooManyFiles {
        /// The limit.
        max: usize,
    },
    /// A file of the document cannot be read.
    #[error("{path} cannot be read: {why}")]
    File {
        /// The path.
        path: String,
        /// The reason.
        why: String,
    },
    /// The text is neither JSON nor YAML.
    #[error("the document is not valid {language}: {why}")]
    Syntax {
        /// `JSON` if the text begins with an object of JSON, and `YAML` otherwise.
        language: &'static str,
        /// The parser's reason, with the line.
        why: String,
    },
    /// The document is not OpenAPI 3 or Swagger 2.
    #[error(
        "the document is not OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0: its root has neither `openapi: 3.…` nor `swagger: \"2.0\"`{found}"
    )]
    Version {
        /// The version that the document names, as the end of the sentence.
        found: String,
    },
    /// No operation of the document can be a tool.
    #[error("the document has no operations under `paths` that can be tools{why}")]
    NoOperations {
        /// The first reason, as the end of the sentence.
        why: String,
    },
    /// The server's URL cannot be used.
    #[error(
        "the server's URL cannot be used: {why}; set the URL of the API with `OpenApi::server_url`"
    )]
    ServerUrl {
        /// The reason.
        why: String,
    },
    /// The document declares no security scheme of this name.
    #[error("the document has no security scheme `{name}`{known}")]
    UnknownScheme {
        /// The name.
        name: String,
        /// The schemes of the document, as the end of the sentence.
        known: String,
    },
    /// A credential or a header cannot be sent.
    #[error("{name} cannot be sent: {why}")]
    Unsendable {
        /// The security scheme or the header. The value is not part of the error.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// A document from a URL names a server of another origin.
    #[error(
        "the document of {document} names the server {server}, of another origin; set the URL of the API to allow that"
    )]
    ForeignServer {
        /// The origin of the document's URL.
        document: String,
        /// The origin of the server.
        server: String,
    },
    /// The document cannot be fetched.
    #[error("the document cannot be fetched: {0}")]
    Fetch(String),
    /// The HTTP client cannot be built.
    #[error("the HTTP client cannot be built: {0}")]
    Client(String),
    /// The tools break a rule of registries.
    #[error(transparent)]
    Registry(#[from] RegistryErrors),
}
