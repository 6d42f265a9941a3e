//! The answers of a server without a handler of the author's own to requests that are not about
//! tools.

use crate::{protocol::keys::DESCRIPTIONS_URI, surface::listing::TTL_MS};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CompleteRequestMethod, CompleteRequestParams, CompleteResult, Implementation,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, PaginatedRequestParams, ReadResourceRequestMethod,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::json;
use std::{fmt::Write, sync::LazyLock};

/// The absence of a handler of the author's own; see
/// [`ServerBuilder::with_handler`](crate::ServerBuilder::with_handler).
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct NoHandler;

/// Answers undeclared methods with "method not found". By default, rmcp answers undeclared lists
/// with empty ones, which the conformance suite rightly rejects.
impl ServerHandler for NoHandler {
    fn get_info(&self) -> ServerConfig {
        // rmcp calls this with every request, so the value is built once. It has no name, because
        // the registry has one.
        static NAMELESS: LazyLock<ServerConfig> = LazyLock::new(|| {
            let config = ServerConfig::new(ServerCapabilities::default());
            config.with_server_info(Implementation::new("", ""))
        });
        NAMELESS.clone()
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        // The capability `prompts` is not declared either.
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::default()
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::default()
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        _: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        // The merged lists answer with the error for an unknown resource instead.
        Err(ErrorData::method_not_found::<ReadResourceRequestMethod>())
    }
}

/// The most bytes of an unknown URI that an error repeats.
const URI_MAX: usize = 256;

/// Returns the error for an unknown URI, with a pointer to the descriptions, and the call of a tool
/// that may return what the URI names. SEP-2164 requires the URI in `data`.
pub(super) fn unknown_resource(uri: &str, call: Option<String>) -> ErrorData {
    let mut hint =
        format!("no such resource; tools are described by {DESCRIPTIONS_URI}?tools=NAME");
    hint.extend(
        call.map(|call| {
            format!(". A tool may return it; send, with a value for each <…>:\n{call}")
        }),
    );
    ErrorData::resource_not_found(hint, Some(json!({ "uri": escaped(uri) })))
}

/// Returns the beginning of a URI that a client sent. Characters that are not allowed in a URI (RFC
/// 3986, section 2) are percent-encoded: control characters, and characters that are invisible or
/// change the direction of the following text.
fn escaped(uri: &str) -> String {
    let mut escaped = String::new();
    for letter in uri.chars() {
        if escaped.len() >= URI_MAX {
            escaped.push('…');
            break;
        }
        if letter.is_ascii_graphic() {
            escaped.push(letter);
        } else {
            let mut bytes = [0; 4];
            letter
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| _ = write!(escaped, "%{byte:02X}"));
        }
    }
    escaped
}
