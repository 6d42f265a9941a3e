//! Methods for which rmcp has no type: the methods of the surfaces, and the author's own.

use super::{PdHandler, answers::call_kind, param_headers};
use crate::{
    disclosure::{caller::authority, gate::first_request::ToolRequestKind, view::CallerView},
    policy::rate_limit::ChargeKind,
    protocol::json_value,
    server::dispatch,
    surface::{self, Surface, meta_tools, unknown_tool},
    text::truncate::first_bytes,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestMethod, ConstString, CustomRequest, CustomResult, ErrorCode},
    service::RequestContext,
};
use serde_json::{Value, json};
use std::pin::pin;

/// The bytes of an unknown method that its error contains.
const METHOD_SHOWN: usize = 200;

/// Cuts the method in an error: rmcp returns it whole, and a client may have sent megabytes.
fn with_short_method(mut error: ErrorData) -> ErrorData {
    if error.code == ErrorCode::METHOD_NOT_FOUND && error.message.len() > METHOD_SHOWN {
        error.message = format!("{}…", first_bytes(&error.message, METHOD_SHOWN)).into();
    }
    error
}

impl<H: ServerHandler> PdHandler<H> {
    /// Answers a request with a method that rmcp does not know.
    pub(super) async fn custom(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp parses requests as an untagged enum. A `tools/call` with malformed parameters
        // therefore falls through to the custom request, and without this branch the client would
        // read "method not found".
        if request.method == CallToolRequestMethod::VALUE {
            return self.answer_unreadable(request.params, context).await;
        }
        match surface::find_by_method(&request.method, request.params.as_ref()) {
            Some((surface, method)) => self.answer_with(surface, method, request, context).await,
            None => self
                .inner()
                .on_custom_request(request, context)
                .await
                .map_err(with_short_method),
        }
    }

    /// Answers a request with a surface's own method.
    async fn answer_with(
        &self,
        surface: &'static dyn Surface,
        method: &'static str,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let recorded = self.request(method, &context);
        self.wait_for_read(&context).await;
        self.wait_for_params(request.params.as_ref(), &context)
            .await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(ToolRequestKind::List);
        let view = self.view(&recorded, &caller, &catalog);
        let answer = async {
            let mut result = match surface.answer(method, request.params.as_ref(), &view).await {
                // The author's own handler may implement a surface that is off here, or that the
                // client did not negotiate.
                Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                    return self
                        .inner()
                        .on_custom_request(request, context)
                        .await
                        .map_err(with_short_method);
                }
                answer => answer?,
            };
            if method == surface::groups::GET {
                self.add_group_extras(&mut result, request.params.as_ref(), &view, &context)
                    .await?;
            }
            // MCP 2026-07-28 requires `resultType` in every result; rmcp adds it only to its own
            // types.
            if caller.modern
                && let Some(result) = result.as_object_mut()
            {
                result.insert("resultType".to_owned(), json!("complete"));
            }
            Ok(CustomResult(result))
        };
        recorded.answer(pin!(answer), |_| false).await
    }

    /// Answers a `tools/call` that rmcp could not parse. rmcp passes such a call on as a custom
    /// request.
    async fn answer_unreadable(
        &self,
        params: Option<Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let name = params
            .as_ref()
            .and_then(|params| params.get("name"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        let offer =
            self.served
                .catalog()
                .meta_tool(name, &self.served.policy, &authority(&context));
        let request = self.call_request(offer, &context);
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(call_kind(offer));
        let view = self.view(&request, &caller, &catalog);
        // The result is plain JSON here, so the metrics look for `isError` by its key.
        request
            .answer(
                pin!(gate_unreadable(params.as_ref(), &view, &context)),
                |result| result.0.get("isError") == Some(&Value::Bool(true)),
            )
            .await
    }
}

/// Gates the call as usual, and reports what is malformed as text that the model can act on.
async fn gate_unreadable(
    params: Option<&Value>,
    view: &CallerView<'_>,
    context: &RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    let name = params
        .and_then(|params| params.get("name"))
        .and_then(Value::as_str);
    let Some(name) = name else {
        return Err(ErrorData::invalid_params(
            "`name` must be the name of a tool",
            None,
        ));
    };
    if params
        .and_then(|params| params.get("arguments"))
        .is_none_or(Value::is_object)
    {
        return Err(ErrorData::invalid_params(
            "a parameter of `tools/call` has the wrong type",
            None,
        ));
    }
    let result = match view.meta_tool(name) {
        Some(offer) => match meta_tools::call(offer, None, view).await {
            meta_tools::MetaToolReply::Done(result) => result,
            meta_tools::MetaToolReply::Call { entry, .. } => {
                dispatch::call_without_object(&entry, view).await
            }
            // Never reached: without arguments, a request has no program.
            #[cfg(feature = "code")]
            meta_tools::MetaToolReply::Run(_) => {
                meta_tools::error_result("`code` must be a JavaScript program")
            }
        },
        None => match view.charge(ChargeKind::Call, 1) {
            Err(later) => later.into_result(),
            Ok(()) => {
                let entry = view
                    .find_or_record_miss(name)
                    .ok_or_else(|| unknown_tool(name, view))?;
                // A call without a readable argument object has no value for any `Mcp-Param-*`
                // header.
                param_headers::check(&entry.header_arguments, None, context)?;
                dispatch::call_without_object(entry, view).await
            }
        },
    };
    let mut result = json_value::to_value(&result).unwrap_or_default();
    if !view.caller.modern
        && let Some(result) = result.as_object_mut()
    {
        // `CallToolResult` always serializes `resultType`, which is unknown before 2026-07-28. rmcp
        // strips it for older clients, but not from a `CustomResult`.
        result.shift_remove("resultType");
    }
    Ok(CustomResult(result))
}
