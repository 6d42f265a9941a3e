//! Access: which callers may see, describe and call which tool. This is the authorization check and
//! a security boundary. The gate, which checks disclosures, is not.

pub(crate) use crate::tool::principal::CallerAuthority;

use crate::{
    registry::{tool::Tool, tool_spec::ToolSpec},
    tool::principal::Principal,
};
use sha2::{Digest, Sha256};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Decides which tools exist for which caller, in addition to the scopes that tools require: see
/// [`ServerBuilder::access`](crate::ServerBuilder::access).
///
/// A tool that does not exist for a caller is unknown to that caller on every surface, with exactly
/// the same response as an unregistered name. The policy is called for every tool in every request
/// that lists or searches, so it should only compare values. Look up data when the caller is
/// authenticated, and store it in the [`Principal`]. The policy is not called for the user who
/// started the process, who sees every tool. A policy that panics hides the tool.
///
/// Closures are policies:
///
/// ```
/// use pd_runtime::{Access, Principal, Tool};
///
/// /// Only the night shift restarts machines.
/// fn policy(who: Option<&Principal>, tool: &Tool<()>) -> bool {
///     tool.name() != "restart" || who.is_some_and(|who| who.attribute("shift") == Some("night"))
/// }
///
/// let alice = Principal::new("alice").with_attribute("shift", "night");
/// let restart = Tool::new("restart", "Restart a machine", |_, _, _| {
///     Box::pin(async { unreachable!() })
/// });
/// assert!(policy.allows(Some(&alice), &restart));
/// assert!(!policy.allows(None, &restart));
/// ```
pub trait Access: Send + Sync {
    /// Returns whether the tool exists for this caller. `principal` is `None` for a network caller
    /// without authentication. The caller needs the tool's scopes as well. The server calls the
    /// policy even if a scope is missing, so that the response time reveals nothing.
    fn allows(&self, principal: Option<&Principal>, tool: &Tool<()>) -> bool;
}

impl<F: Fn(Option<&Principal>, &Tool<()>) -> bool + Send + Sync> Access for F {
    fn allows(&self, principal: Option<&Principal>, tool: &Tool<()>) -> bool {
        self(principal, tool)
    }
}

/// The access policy of the tool author, if any.
#[derive(Clone, Default)]
pub(crate) struct AccessRules(Option<Arc<dyn Access>>);

impl fmt::Debug for AccessRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A policy need not implement `Debug`, so only its presence is shown.
        f.write_str(if self.0.is_some() {
            "Rules(Access)"
        } else {
            "Rules"
        })
    }
}

impl AccessRules {
    pub(crate) fn new(policy: Arc<dyn Access>) -> Self {
        Self(Some(policy))
    }

    /// Returns whether there is no policy, so that scopes alone decide.
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether the tool exists for this authority. A tool that requires scopes does not
    /// exist for a caller that lacks one.
    pub(crate) fn allows(&self, tool: &Tool<()>, authority: &CallerAuthority) -> bool {
        // Before the scope check: skipping the policy for a missing scope would make hidden tools
        // distinguishable from unknown ones by response time.
        let is_allowed = self.policy_allows(tool, authority);
        is_allowed && authority.has_scopes_of(&tool.about)
    }

    fn policy_allows(&self, tool: &Tool<()>, authority: &CallerAuthority) -> bool {
        let (Some(policy), CallerAuthority::Remote(principal)) = (&self.0, authority) else {
            return true;
        };
        // A panic must not end the request, and must not show the tool. Only the state of the
        // author's policy may be inconsistent afterwards, because the closure borrows nothing else
        // that changes.
        let decide = AssertUnwindSafe(|| policy.allows(principal.as_ref(), tool));
        catch_unwind(decide).unwrap_or_else(|_| {
            tracing::error!(
                tool = tool.name(),
                "the access policy panicked; the tool stays hidden"
            );
            false
        })
    }
}

/// The identity of a caller in a few bytes, independent of the caller's rights. A refreshed token
/// may have other scopes, so every request checks scopes anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallerIdentity {
    /// The process itself, or the user over stdio.
    Owner,
    /// A remote caller without a token.
    Nobody,
    /// Half of the SHA-256 of the subject. 128 bits are enough to make a second subject with the
    /// same hash infeasible.
    Known([u8; 16]),
}

impl CallerAuthority {
    /// Returns the person of this caller, without the client.
    pub fn person(&self) -> CallerIdentity {
        match self {
            Self::Owner => CallerIdentity::Owner,
            Self::Remote(None) => CallerIdentity::Nobody,
            Self::Remote(Some(principal)) => CallerIdentity::from_subject(principal.subject()),
        }
    }

    pub(crate) fn has_scopes_of(&self, about: &ToolSpec) -> bool {
        match self {
            Self::Owner => true,
            Self::Remote(Some(principal)) => about
                .rules
                .scopes
                .iter()
                .all(|scope| principal.has_scope(scope)),
            // A caller without a token has no scopes.
            Self::Remote(None) => about.rules.scopes.is_empty(),
        }
    }
}

impl CallerIdentity {
    fn from_subject(subject: &str) -> Self {
        Self::Known(
            Sha256::digest(subject.as_bytes())
                .first_chunk()
                .copied()
                .unwrap_or_default(),
        )
    }

    /// Returns bytes for hashes that include the caller.
    pub(crate) fn bytes(&self) -> &[u8] {
        // The three have different lengths, so no caller can have the bytes of another kind.
        match self {
            Self::Owner => b"owner",
            Self::Nobody => b"",
            Self::Known(hash) => hash,
        }
    }
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a policy panics on purpose")]
mod tests {
    use super::*;
    use crate::tool::output::IntoOutput;
    use futures::FutureExt;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    fn remote(subject: &str) -> CallerAuthority {
        CallerAuthority::Remote(Some(Principal::new(subject)))
    }

    fn tool() -> Tool<()> {
        Tool::new("t", "Do it", |(), _, _| {
            async { "done".into_output() }.boxed()
        })
    }

    #[test]
    fn a_person_is_their_subject_not_their_scopes() {
        let scoped = CallerAuthority::Remote(Some(Principal::new("alice").with_scopes(["a"])));
        assert_eq!(remote("alice").person(), scoped.person());
        let others = [
            remote("bob"),
            remote(""),
            CallerAuthority::Remote(None),
            CallerAuthority::Owner,
        ];
        assert!(
            others
                .iter()
                .all(|other| other.person() != remote("alice").person())
        );
        assert_ne!(remote("").person(), CallerAuthority::Remote(None).person());
        assert_ne!(
            CallerAuthority::Owner.person(),
            CallerAuthority::Remote(None).person()
        );
    }

    #[test]
    fn a_policy_that_panics_hides_and_the_owner_is_not_asked_about() {
        let tool = tool();
        let rules = AccessRules::new(Arc::new(|_: Option<&Principal>, _: &Tool<()>| {
            panic!("on purpose")
        }));
        assert!(!rules.allows(&tool, &remote("alice")));
        assert!(!rules.allows(&tool, &CallerAuthority::Remote(None)));
        assert!(rules.allows(&tool, &CallerAuthority::Owner));
    }

    #[test]
    fn a_policy_is_asked_whether_the_scopes_are_there_or_not() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = asked.clone();
        let rules = AccessRules::new(Arc::new(move |_: Option<&Principal>, _: &Tool<()>| {
            counted.fetch_add(1, Relaxed);
            true
        }));
        let [scoped, free] =
            [tool().scope("s"), tool()].map(|tool| rules.allows(&tool, &remote("alice")));
        assert!(!scoped && free);
        assert_eq!(
            asked.load(Relaxed),
            2,
            "a tool that is hidden for its scope takes as long as another"
        );
    }

    #[test]
    fn a_policy_takes_away_and_never_gives() {
        let tool = tool().scope("s");
        let all = AccessRules::new(Arc::new(|_: Option<&Principal>, _: &Tool<()>| true));
        assert!(!all.allows(&tool, &remote("alice")), "the scope is missing");
        let scoped = CallerAuthority::Remote(Some(Principal::new("alice").with_scopes(["s"])));
        assert!(all.allows(&tool, &scoped));
        let none = AccessRules::new(Arc::new(|_: Option<&Principal>, _: &Tool<()>| false));
        assert!(!none.allows(&tool, &scoped));
    }
}
