//! What may happen, in any order.

use proptest::{collection::vec, prelude::*};

/// The longest plan.
pub(crate) const STEPS_MAX: usize = 60;

/// Tools by their place in [`TOOLS`].
pub(crate) const TOOLS: [&str; 4] = ["first", "second", "scoped", "eager"];
/// The one that asks for the scope.
pub(crate) const SCOPED: usize = 2;
/// The one that stands in every list in full.
pub(crate) const EAGER: usize = 3;
/// Callers by their place; the first is not known.
pub(crate) const CALLERS: [Option<&str>; 3] = [None, Some("alice"), Some("bob")];

/// A whole conversation of several callers.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Whether a refusal is itself a disclosure.
    pub(crate) refusals_describe: bool,
    pub(crate) steps: Vec<Step>,
}

/// One thing that happens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// A caller opens a session.
    Open { who: usize },
    /// A caller is given the description of a tool.
    Describe {
        by: By,
        tool: usize,
        surface: Surface,
    },
    /// A caller calls a tool, showing one of the tickets that were given so far, or none.
    Call {
        by: By,
        tool: usize,
        ticket: Option<usize>,
    },
    /// A caller lists the tools.
    List { by: By },
    /// A session is ended, by its owner or somebody else.
    Delete {
        session: usize,
        thief: Option<usize>,
    },
    /// So much time passes that unused sessions end.
    Expire,
    /// A caller is given the scope, or it is taken away.
    Scope { who: usize, on: bool },
    /// A tool's description changes, or comes back; or there is no such tool any more.
    Replace { tool: usize, version: Option<u8> },
}

/// How a request is made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum By {
    /// In one of the sessions opened so far, by whoever opened it or by somebody else.
    Session {
        session: usize,
        thief: Option<usize>,
    },
    /// By 2026-07-28, at the same endpoint.
    Inline { who: usize },
    /// By an older version, at an endpoint of the same server that keeps no sessions.
    Stateless { who: usize },
}

/// What discloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Resource,
    MetaTool,
    Manifest,
    Signature,
}

pub(crate) fn any() -> impl Strategy<Value = Plan> {
    let begun = (0_usize..3).prop_map(|who| Step::Open { who });
    let steps = (vec(begun, 1..3), vec(step(), 1..STEPS_MAX));
    (any_bool(), steps).prop_map(|(refusals_describe, (begun, rest))| Plan {
        refusals_describe,
        steps: begun.into_iter().chain(rest).collect(),
    })
}

fn any_bool() -> impl Strategy<Value = bool> {
    prop::bool::ANY
}

fn step() -> impl Strategy<Value = Step> {
    let (who, session, tool) = (0_usize..3, 0_usize..4, 0_usize..4);
    let surface = prop_oneof![
        Just(Surface::Resource),
        Just(Surface::MetaTool),
        Just(Surface::Manifest),
        Just(Surface::Signature),
    ];
    let thief = prop::option::weighted(0.5, 0_usize..3);
    let ticket = prop::option::weighted(0.7, 0_usize..6);
    let version = prop::option::weighted(0.9, 0_u8..3);
    prop_oneof![
        1 => who.clone().prop_map(|who| Step::Open { who }),
        10 => (by(), tool.clone(), surface).prop_map(|(by, tool, surface)| Step::Describe { by, tool, surface }),
        16 => (by(), tool.clone(), ticket).prop_map(|(by, tool, ticket)| Step::Call { by, tool, ticket }),
        1 => by().prop_map(|by| Step::List { by }),
        1 => (session, thief).prop_map(|(session, thief)| Step::Delete { session, thief }),
        1 => prop::bool::weighted(0.1).prop_map(|on| if on { Step::Expire } else { Step::Open { who: 1 } }),
        2 => (who, any_bool()).prop_map(|(who, on)| Step::Scope { who, on }),
        3 => (tool, version).prop_map(|(tool, version)| Step::Replace { tool, version }),
    ]
}

fn by() -> impl Strategy<Value = By> {
    let who = || 0_usize..3;
    let thief = prop::option::weighted(0.1, who());
    prop_oneof![
        4 => (0_usize..3, thief).prop_map(|(session, thief)| By::Session { session, thief }),
        2 => who().prop_map(|who| By::Inline { who }),
        1 => who().prop_map(|who| By::Stateless { who }),
    ]
}
