//! Parts of the request that rmcp passes by value.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use rmcp::{
    RoleServer,
    handler::server::common::Extension,
    model::{Extensions, RequestId},
    service::{Peer, RequestContext},
};

struct CancellationToken;
struct User;

#[pd_tool(summary = "Search the files' text")]
fn search(text: String, context: RequestContext<RoleServer>) {}

#[pd_tool(summary = "List the files")]
fn list(context: &RequestContext<RoleServer>, peer: Peer<RoleServer>) {}

#[pd_tool(summary = "Watch the files")]
fn watch(token: CancellationToken, Extension(user): Extension<User>) {}

#[pd_tool(summary = "Delete a file")]
fn delete(id: RequestId, path: String) {}

#[pd_tool(summary = "Change a file")]
fn change(arguments: rmcp::model::JsonObject) {}

fn main() {}

/* mend
-fn search(text: String, context: RequestContext<RoleServer>) {}
+fn search(text: String, call: &CallContext) {
+    let context = call.request();
+}

-fn list(context: &RequestContext<RoleServer>, peer: Peer<RoleServer>) {}
+fn list(call: &CallContext) {
+    let (context, peer) = (call.request(), call.peer());
+}

-fn watch(token: CancellationToken, Extension(user): Extension<User>) {}
+fn watch(call: &CallContext, user: &User) {
+    let token = call.cancellation();
+}

-fn delete(id: RequestId, path: String) {}
+fn delete(call: &CallContext, path: String) {
+    let id = call.request_id();
+}

-fn change(arguments: rmcp::model::JsonObject) {}
+fn change(Args(arguments): Args<rmcp::model::JsonObject>) {}
*/
