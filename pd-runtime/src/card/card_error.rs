//! The rules of registries and clients that a fact of a server breaks.

/// The error of a fact that no registry or client would accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The name has another form than `io.github.me/notes`, or more than 200 characters.
    #[error(
        "`{0}` is not a name for registries; write NAMESPACE/NAME in at most 200 letters, digits, `.`, `-` and, after the \
         slash, `_`; the namespace is a domain of yours backwards, or `io.github.` and your account, as in \
         `io.github.me/notes`"
    )]
    Name(String),
    /// Neither the publisher nor the server has a description.
    #[error(
        "a card needs a description, and this server has none; write one with `card --description`, \
         `serve --card-description` or `ServerCard::description`, or begin `registry!` with a line after `//!`"
    )]
    NoDescription,
    /// The description has this many characters, and not 1 to 100.
    #[error("the description has {0} characters; write 1 to 100")]
    Description(usize),
    /// The title has this many characters, and not 1 to 100.
    #[error("the title has {0} characters; write 1 to 100")]
    Title(usize),
    /// The version is empty, a range, or longer than 255 characters.
    #[error(
        "`{0}` is not one version, so registries refuse it; set `version` of the registry to one such as `1.0.2`"
    )]
    Version(String),
    /// The text is not a URL that a client could open.
    #[error(
        "`{0}` is not a URL for a card; write `https://`, a host and a path, without spaces, a fragment or a password, in \
         at most 255 characters"
    )]
    Url(String),
    /// Clients must reach a server by HTTPS, except on their own machine.
    #[error(
        "`{0}` has no TLS; write the https URL at which clients reach the server, or an http URL of this machine"
    )]
    NoTls(String),
    /// The service that hosts the repository cannot be derived from its URL.
    #[error(
        "the service that hosts the repository {0} is not known; name it with `card --repository-source` or \
         `ServerCard::repository_on`, e.g. `forgejo`"
    )]
    RepositorySource(String),
}
