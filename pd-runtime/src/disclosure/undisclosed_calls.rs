//! The calls that run although the caller's session has read nothing. `gate::session_evidence` has
//! the evidence for them.

use super::{
    gate::{
        DenialReason, UndisclosedReason, first_request::FirstToolRequest,
        refused_calls::RefusedCall,
    },
    view::CallerView,
};
use crate::{
    catalog::entry::CatalogEntry,
    policy::{Refusal, session_per_call::SessionPerCall},
};
use rmcp::model::JsonObject;

impl CallerView<'_> {
    /// Returns the reason why a call runs that the gate denies, if it does. The arguments are
    /// validated as usual.
    pub(crate) async fn undisclosed_reason(
        &self,
        entry: &CatalogEntry,
        arguments: Option<&JsonObject>,
    ) -> Option<UndisclosedReason> {
        let evidence = self.caller.evidence.as_ref()?;
        if evidence.setting != SessionPerCall::Admit {
            return None;
        }
        // A tool that must be read about first is refused once. The repeated call is admitted below.
        if evidence.opened_with_call() && !entry.is_read_first() {
            return Some(UndisclosedReason::SessionPerCall);
        }
        let call = self.refused_call(entry, arguments?)?;
        evidence
            .refused
            .admits_repeated(call)
            .await
            .then_some(UndisclosedReason::Repeated)
    }

    /// Remembers a call that was refused, or the call that the refusal says to send.
    pub(crate) async fn record_refused_call(
        &self,
        entry: &CatalogEntry,
        arguments: &JsonObject,
        reason: DenialReason,
    ) {
        // Without a session, a refusal without a description must not count as one with it.
        let is_bare = self.caller.own_session().is_none()
            && self.policy.refusal(self.step()) == Refusal::Bare;
        if reason == DenialReason::ForeignSession || is_bare {
            return;
        }
        let call = self.refused_call(entry, arguments);
        if let Some((evidence, call)) = self.caller.evidence.as_ref().zip(call) {
            evidence.refused.record(call).await;
        }
    }

    /// Returns whether the description must contain a ticket although the caller has a session: the
    /// session does not last, or the principal was refused the tool in another one.
    pub(crate) fn needs_ticket_in_session(&self, entry: &CatalogEntry) -> bool {
        let Some(evidence) = self
            .caller
            .evidence
            .as_ref()
            .filter(|_| self.caller.own_session().is_some())
        else {
            return false;
        };
        let call = evidence.refused_tool(self.caller.payer(), entry);
        (evidence.setting == SessionPerCall::Ticket
            && evidence.first.is_some_and(FirstToolRequest::is_any_call))
            || evidence.refused.knows_tool(&call)
    }

    fn refused_call(&self, entry: &CatalogEntry, arguments: &JsonObject) -> Option<RefusedCall> {
        let evidence = self.caller.evidence.as_ref()?;
        evidence.refused_call(self.caller.payer(), entry, arguments, &self.policy.limits)
    }
}
