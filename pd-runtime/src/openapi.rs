//! The operations of an HTTP API as tools, from its OpenAPI document.
//!
//! ```
//! use pd_runtime::{Registry, openapi::OpenApi};
//!
//! let document = r#"
//! openapi: 3.1.0
//! info: { title: Pets, version: "1" }
//! servers: [{ url: "https://pets.example.com/v1" }]
//! paths:
//!   /pets/{id}:
//!     get:
//!       operationId: getPet
//!       summary: Get a pet
//!       tags: [pets]
//!       parameters:
//!         - { name: id, in: path, required: true, schema: { type: integer } }
//!       responses:
//!         "200": { description: The pet }
//! "#;
//! let api = OpenApi::from_text(document)?;
//! let registry: Registry<()> = Registry::from_openapi(api)?;
//! assert_eq!(registry.tool("getPet").unwrap().summary(), "Get a pet");
//! # Ok::<(), pd_runtime::openapi::OpenApiError>(())
//! ```
//!
//! The page [OpenAPI](crate::_docs::openapi) starts from a task.

mod answer_memory;
mod arguments;
mod body;
mod budget;
mod caller;
mod client;
mod discriminator;
mod document;
mod error;
mod fetch;
mod object;
mod operation;
mod output;
mod parameter;
mod parts;
mod plain_text;
mod registry_tools;
mod request;
mod response;
mod room;
mod schema;
mod schema_keywords;
mod schema_types;
mod security;
mod serialization;
mod server_url;
mod swagger;
mod text;
mod yaml;

#[doc(hidden)]
pub use answer_memory::AnswerMemory;
#[doc(hidden)]
pub use caller::{OpenApiCallError, OpenApiCaller};
pub use client::OpenApiFailure;
pub use error::OpenApiError;
pub use operation::OpenApiOperation;
#[doc(hidden)]
pub use parts::DocumentFile;
#[doc(hidden)]
pub use text::TEXT_MAX;

use client::{RequestSender, sendable};
use document::Document;
use operation::OperationReader;
use parts::read_files;
use reqwest::Url;
use room::{ReadOperation, make_room};
use security::{Credentials, SecuritySchemes};
use server_url::{document_server, first_server, origin, parse_server};
use std::{collections::HashSet, fmt, path::Path, sync::Arc};

/// The most operations of a document. Further ones are left out.
pub(crate) const OPERATIONS_MAX: usize = 5_000;
/// The most operations that are left out with a reason each.
const LEFT_OUT_MAX: usize = 1_000;
/// The longest answer that is read, unless another bound is set, in bytes.
const RESPONSE_MAX: usize = 8 << 20;
/// The setting that errors name to the operator.
const KEY: &str = "`OpenApi::credential` or `OpenApi::header`";

/// An OpenAPI document with the settings for its server: OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0.
///
/// [`Registry::from_openapi`](crate::Registry::from_openapi) makes tools of it.
///
/// A document has at most 32 MiB, 2,000,000 values (with those that YAML aliases repeat) and 127
/// levels. Its first 5,000 operations are read. If their definitions take more than 23 MiB of memory,
/// the largest input schemas lose detail. References to other files are followed by
/// [`OpenApi::from_file`] alone.
#[derive(Clone)]
pub struct OpenApi {
    title: Option<String>,
    version: Option<String>,
    operations: Vec<Arc<OpenApiOperation>>,
    left_out: Vec<(String, String)>,
    schemes: SecuritySchemes,
    /// The server of the document, which may be relative.
    document_server: String,
    document_url: Option<Url>,
    own_server: Option<Url>,
    credentials: Credentials,
    headers: Vec<(String, String)>,
    response_bytes: usize,
    key: String,
}

// Credentials and headers are secrets.
impl fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("OpenApi")
            .field("title", &self.title)
            .field("operations", &self.operations.len())
            .field("credentials", &self.credentials)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

impl OpenApi {
    /// Reads a document: JSON if it begins with an object of JSON, and YAML otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is over a bound, is not such a document, or has no operation.
    pub fn from_text(text: &str) -> Result<Self, OpenApiError> {
        Self::from_document(&Document::from_text(text)?)
    }

    /// Reads a document from a file, with the files that it refers to, in JSON or YAML. These must be
    /// in the directory of the first file or below it, and all have the bounds of one together.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, and the errors of [`OpenApi::from_text`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, OpenApiError> {
        Self::from_file_noting(path.as_ref(), &mut Vec::new())
    }

    /// Reads a document as [`OpenApi::from_file`] does. `files` gets the files of the document, also
    /// if it cannot be read.
    #[doc(hidden)]
    pub fn from_file_noting(
        path: &Path,
        files: &mut Vec<DocumentFile>,
    ) -> Result<Self, OpenApiError> {
        Self::from_document(&Document::from_root(read_files(path, files)?)?)
    }

    fn from_document(document: &Document) -> Result<Self, OpenApiError> {
        let schemes = SecuritySchemes::read(document);
        let document_server = document_server(document);
        let places = document.operations();
        let mut operations = Vec::with_capacity(places.len().min(OPERATIONS_MAX));
        let mut left_out = Vec::new();
        let mut reader = OperationReader {
            document,
            credentials: schemes.parameters(),
            schemes: &schemes,
            names: HashSet::new(),
        };
        for place in &places {
            let place = match place {
                Ok(place) => place,
                Err(missing) => {
                    if left_out.len() < LEFT_OUT_MAX {
                        left_out.push((missing.name.clone(), missing.why.clone()));
                    }
                    continue;
                }
            };
            let read = if operations.len() >= OPERATIONS_MAX {
                Err(format!(
                    "the document has more than {OPERATIONS_MAX} operations"
                ))
            } else {
                let own = [place.operation, place.item]
                    .iter()
                    .find_map(|owner| first_server(owner.get("servers")));
                let own = own.filter(|own| *own != document_server);
                same_server(own.as_deref(), &document_server)
                    .and_then(|()| reader.read(place))
                    .map(|mut operation| {
                        operation.own_server = own;
                        operation
                    })
            };
            match read {
                Ok(operation) => operations.push(ReadOperation::new(place, operation)),
                Err(why) if left_out.len() < LEFT_OUT_MAX => {
                    let name = format!("{} {}", place.method.to_ascii_uppercase(), place.path);
                    left_out.push((name.chars().take(200).collect(), why));
                }
                Err(_) => {}
            }
        }
        if operations.is_empty() {
            let why = left_out
                .first()
                .map(|(name, why)| format!(": {name}: {why}"));
            return Err(OpenApiError::NoOperations {
                why: why.unwrap_or_default(),
            });
        }
        make_room(&mut operations, &reader);
        let operations = operations.into_iter().map(|read| Arc::new(read.operation));
        let operations = operations.collect();
        let info = |key| {
            let text = document
                .info(key)
                .map(|text| plain_text::plain_line(text, 100));
            text.filter(|text| !text.is_empty())
        };
        Ok(Self {
            title: info("title"),
            version: info("version"),
            operations,
            left_out,
            schemes,
            document_server,
            document_url: None,
            own_server: None,
            credentials: Credentials::default(),
            headers: Vec::new(),
            response_bytes: RESPONSE_MAX,
            key: KEY.to_owned(),
        })
    }

    /// Fetches a document from a URL, in at most 30 seconds. Servers with a relative URL are
    /// relative to it. A server of another origin needs [`OpenApi::server_url`].
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be fetched, and the errors of
    /// [`OpenApi::from_text`].
    pub async fn from_url(url: &str) -> Result<Self, OpenApiError> {
        let text = Self::fetch(url, &[]).await?;
        Self::from_text(&text)?.document_url(url)
    }

    /// Fetches the text of a document with these headers.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be fetched.
    #[doc(hidden)]
    pub async fn fetch(url: &str, headers: &[(String, String)]) -> Result<String, OpenApiError> {
        fetch::fetch(url, headers).await
    }

    /// Sets the URL that the document came from. Servers with a relative URL are relative to it.
    /// A server of another origin then needs [`OpenApi::server_url`].
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not one of HTTP.
    pub fn document_url(mut self, url: &str) -> Result<Self, OpenApiError> {
        self.document_url = Some(parse_server(url, None)?);
        Ok(self)
    }

    /// Sets the URL of the API, instead of the first one in `servers`. Paths are appended to it.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not one of HTTP.
    pub fn server_url(mut self, url: &str) -> Result<Self, OpenApiError> {
        self.own_server = Some(parse_server(url, None)?);
        Ok(self)
    }

    /// Sets the credential of a security scheme of the document: an API key, a token for HTTP
    /// bearer, OAuth 2 or OpenID Connect, or `NAME:PASSWORD` for HTTP basic. Each operation gets
    /// those that it requires.
    ///
    /// # Errors
    ///
    /// Returns an error if the document has no such scheme, or if the credential cannot be sent.
    pub fn credential(
        mut self,
        scheme: impl Into<String>,
        secret: impl Into<String>,
    ) -> Result<Self, OpenApiError> {
        let scheme = scheme.into();
        let secret = secret.into();
        self.schemes.check(&scheme, &secret)?;
        self.credentials.insert(scheme, secret);
        Ok(self)
    }

    /// Adds a header to all requests, such as the version of the API. Its value counts as a
    /// secret.
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the value has a character that a header cannot have.
    pub fn header(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, OpenApiError> {
        let name = name.into();
        let value = value.into();
        sendable(&name, &value)?;
        self.headers.push((name, value));
        Ok(self)
    }

    /// Keeps the operations for which this returns `true`.
    #[must_use]
    pub fn only(mut self, mut keep: impl FnMut(&OpenApiOperation) -> bool) -> Self {
        self.operations.retain(|operation| keep(operation));
        self
    }

    /// Sets the limit on an answer, in bytes. The default is 8 MiB. A longer answer fails its call.
    #[must_use]
    pub const fn response_bytes(mut self, max: usize) -> Self {
        self.response_bytes = max;
        self
    }

    /// Sets the setting that errors name to the operator.
    #[doc(hidden)]
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Returns the title of the API.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the version of the API, not that of OpenAPI.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the operations, in the order of the document.
    pub fn operations(&self) -> impl Iterator<Item = &OpenApiOperation> {
        self.operations.iter().map(AsRef::as_ref)
    }

    /// Returns the operations that are not tools, each with the reason. The first 1,000 are listed.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.left_out
            .iter()
            .map(|(name, why)| (name.as_str(), why.as_str()))
    }

    /// Returns the URL that requests go to.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL of the document cannot be used, or if the server has another
    /// origin than the document's URL.
    fn server(&self) -> Result<Url, OpenApiError> {
        if let Some(own) = &self.own_server {
            return Ok(own.clone());
        }
        let server = parse_server(&self.document_server, self.document_url.as_ref())?;
        match &self.document_url {
            // Whoever writes the document would choose who gets the credentials, or let requests go to
            // servers that only this machine can reach.
            Some(document) if document.origin() != server.origin() => {
                Err(OpenApiError::ForeignServer {
                    document: origin(document),
                    server: origin(&server),
                })
            }
            _ => Ok(server),
        }
    }

    /// Returns the server that the document names for an operation, as the document has it. Returns
    /// `None` if the operator has set the server.
    #[doc(hidden)]
    pub fn server_of<'a>(&'a self, operation: &'a OpenApiOperation) -> Option<&'a str> {
        let own = operation.own_server.as_deref();
        self.own_server
            .is_none()
            .then(|| own.unwrap_or(&self.document_server))
    }

    /// Prepares the requests.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL of the server cannot be used, or if no HTTP client can be built.
    #[doc(hidden)]
    pub fn caller(&self) -> Result<OpenApiCaller, OpenApiError> {
        let server = self.server()?;
        Ok(OpenApiCaller {
            sender: RequestSender::new(&server, &self.headers, self.response_bytes)?,
            server,
            document: self.own_server.is_none().then(|| self.document_url.clone()),
            schemes: self.schemes.clone(),
            credentials: self.credentials.clone(),
            key: self.key.clone(),
        })
    }

    #[doc(hidden)]
    pub fn shared_operations(&self) -> &[Arc<OpenApiOperation>] {
        &self.operations
    }
}

/// Checks that the server of an operation is that of the document.
fn same_server(own: Option<&str>, document: &str) -> Result<(), String> {
    let Some(own) = own else {
        return Ok(());
    };
    let origins = [own, document].map(|url| Url::parse(url).ok().map(|url| url.origin()));
    // Relative URLs are of the document's own server, whatever that is.
    let is_same = match origins {
        [Some(own), Some(document)] => own == document,
        [None, None] => !own.starts_with("//"),
        _ => false,
    };
    if is_same {
        return Ok(());
    }
    Err(format!(
        "its server is {}, and requests go to one server only",
        plain_text::plain_line(own, 100)
    ))
}
