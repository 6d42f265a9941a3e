//! Who may see, describe and call which tool: the primary authorization, and a security boundary.
//! Whether a description was read is the gate's business.

pub(crate) use crate::tool::principal::Authority;

use crate::{
    registry::{tool::Tool, tool_spec::About},
    tool::principal::Principal,
};
use sha2::{Digest, Sha256};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Decides which tools exist for whom, beside the scopes that tools ask for: see
/// [`ServerBuilder::access`](crate::ServerBuilder::access).
///
/// A tool that does not exist for a caller is unknown to them on every surface, in the same bytes as a name that no tool
/// has. The policy is asked about every tool in every request that lists or finds, so it compares; what has to be looked
/// up belongs into the [`Principal`], when the caller is authenticated. The user who started the process is not asked
/// about: they see everything. A policy that panics hides the tool.
///
/// Closures are policies:
///
/// ```
/// use pd_runtime::{Access, Principal, Tool};
///
/// /// Nobody but the night shift restarts machines.
/// fn policy(who: Option<&Principal>, tool: &Tool<()>) -> bool {
///     tool.name() != "restart" || who.is_some_and(|who| who.attribute("shift") == Some("night"))
/// }
///
/// let alice = Principal::new("alice").with_attribute("shift", "night");
/// let restart = Tool::new("restart", "Restart a machine", |_, _, _| Box::pin(async { unreachable!() }));
/// assert!(policy.allows(Some(&alice), &restart));
/// assert!(!policy.allows(None, &restart));
/// ```
pub trait Access: Send + Sync {
    /// Whether the tool exists for this caller; `None` is a caller on the network whom nobody authenticated. The tool's own
    /// scopes are needed besides; it is asked whether the caller has them or not, so that the time it takes tells nothing.
    fn allows(&self, principal: Option<&Principal>, tool: &Tool<()>) -> bool;
}

impl<F: Fn(Option<&Principal>, &Tool<()>) -> bool + Send + Sync> Access for F {
    fn allows(&self, principal: Option<&Principal>, tool: &Tool<()>) -> bool {
        self(principal, tool)
    }
}

/// The author's policy, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Arc<dyn Access>>);

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Rules(Access)" } else { "Rules" })
    }
}

impl Rules {
    pub(crate) fn of(policy: Arc<dyn Access>) -> Self {
        Self(Some(policy))
    }

    /// Whether scopes alone decide.
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the tool exists for this authority. A tool that asks for scopes is unknown to whoever lacks one.
    pub(crate) fn show(&self, tool: &Tool<()>, authority: &Authority) -> bool {
        // Before the scopes are looked at: to leave it out for want of one would tell hidden tools from unknown ones by time.
        let is_allowed = self.allow(tool, authority);
        is_allowed && authority.has_scopes_of(&tool.about)
    }

    fn allow(&self, tool: &Tool<()>, authority: &Authority) -> bool {
        let (Some(policy), Authority::Remote(principal)) = (&self.0, authority) else { return true };
        let asked = AssertUnwindSafe(|| policy.allows(principal.as_ref(), tool));
        catch_unwind(asked).unwrap_or_else(|_| {
            tracing::error!(tool = tool.name(), "the access policy panicked; the tool stays hidden");
            false
        })
    }
}

/// Who that is, whatever they may do: enough to know them again, in few bytes. A refreshed token may carry other scopes:
/// they are looked at in every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Person {
    Owner,
    Nobody,
    /// By half a SHA-256 of the subject: nobody finds another subject with it.
    Known([u8; 16]),
}

impl Authority {
    pub(crate) fn person(&self) -> Person {
        match self {
            Self::Owner => Person::Owner,
            Self::Remote(None) => Person::Nobody,
            Self::Remote(Some(principal)) => Person::known(principal.subject()),
        }
    }

    pub(crate) fn has_scopes_of(&self, about: &About) -> bool {
        match self {
            Self::Owner => true,
            Self::Remote(Some(principal)) => about.scopes.iter().all(|scope| principal.has_scope(scope)),
            Self::Remote(None) => about.scopes.is_empty(),
        }
    }
}

impl Person {
    fn known(subject: &str) -> Self {
        Self::Known(Sha256::digest(subject.as_bytes()).first_chunk().copied().unwrap_or_default())
    }

    /// For hashes of more than the person.
    pub(crate) fn bytes(&self) -> &[u8] {
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

    fn remote(subject: &str) -> Authority {
        Authority::Remote(Some(Principal::new(subject)))
    }

    fn tool() -> Tool<()> {
        Tool::new("t", "Do it", |(), _, _| async { "done".into_output() }.boxed())
    }

    #[test]
    fn a_person_is_their_subject_not_their_scopes() {
        let scoped = Authority::Remote(Some(Principal::new("alice").with_scopes(["a"])));
        assert_eq!(remote("alice").person(), scoped.person());
        let others = [remote("bob"), remote(""), Authority::Remote(None), Authority::Owner];
        assert!(others.iter().all(|other| other.person() != remote("alice").person()));
        assert_ne!(remote("").person(), Authority::Remote(None).person());
        assert_ne!(Authority::Owner.person(), Authority::Remote(None).person());
    }

    #[test]
    fn a_policy_that_panics_hides_and_the_owner_is_not_asked_about() {
        let tool = tool();
        let rules = Rules::of(Arc::new(|_: Option<&Principal>, _: &Tool<()>| panic!("on purpose")));
        assert!(!rules.show(&tool, &remote("alice")));
        assert!(!rules.show(&tool, &Authority::Remote(None)));
        assert!(rules.show(&tool, &Authority::Owner));
    }

    #[test]
    fn a_policy_is_asked_whether_the_scopes_are_there_or_not() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = asked.clone();
        let rules = Rules::of(Arc::new(move |_: Option<&Principal>, _: &Tool<()>| {
            counted.fetch_add(1, Relaxed);
            true
        }));
        let [scoped, free] = [tool().scope("s"), tool()].map(|tool| rules.show(&tool, &remote("alice")));
        assert!(!scoped && free);
        assert_eq!(asked.load(Relaxed), 2, "a tool that is hidden for its scope takes as long as another");
    }

    #[test]
    fn a_policy_takes_away_and_never_gives() {
        let tool = tool().scope("s");
        let all = Rules::of(Arc::new(|_: Option<&Principal>, _: &Tool<()>| true));
        assert!(!all.show(&tool, &remote("alice")), "the scope is missing");
        let scoped = Authority::Remote(Some(Principal::new("alice").with_scopes(["s"])));
        assert!(all.show(&tool, &scoped));
        let none = Rules::of(Arc::new(|_: Option<&Principal>, _: &Tool<()>| false));
        assert!(!none.show(&tool, &scoped));
    }
}
