//! What should be: who was given which description, as a set, and who may see what.

use super::plan::{By, CALLERS, EAGER, SCOPED, Step, TOOLS};
use std::collections::HashSet;

/// A description as it was at one time.
pub(crate) type Version = (usize, u8);

/// What is expected of a step, or was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to see.
    Done,
    /// A session was opened.
    Opened,
    /// There is no such session, or none that is the caller's.
    NoSession,
    /// The description was given, this version of it.
    Described(u8),
    /// There is no such tool for this caller.
    Unknown,
    /// The tool ran.
    Ran,
    /// It did not, for want of the description; whether an earlier one was given.
    Refused { outdated: bool },
    /// These tools are listed.
    Listed(Vec<&'static str>),
}

/// One session.
#[derive(Debug)]
struct Session {
    owner: usize,
    given: HashSet<Version>,
    lives: bool,
}

/// A ticket: what it proves, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticket {
    version: Version,
    who: usize,
}

/// All that matters.
#[derive(Debug)]
pub(crate) struct Oracle {
    refusals_describe: bool,
    sessions: Vec<Session>,
    tickets: Vec<Ticket>,
    scoped: [bool; CALLERS.len()],
    /// Each tool's version; `None` where there is no such tool.
    served: [Option<u8>; TOOLS.len()],
}

impl Oracle {
    pub(crate) fn new(refusals_describe: bool) -> Self {
        let (scoped, served) = ([false; CALLERS.len()], [Some(0); TOOLS.len()]);
        Self {
            refusals_describe,
            sessions: Vec::new(),
            tickets: Vec::new(),
            scoped,
            served,
        }
    }

    /// The same that a server knows without being told.
    pub(crate) fn served(&self) -> [Option<u8>; TOOLS.len()] {
        self.served
    }

    pub(crate) fn has_scope(&self, who: usize) -> bool {
        self.scoped[who]
    }

    /// Ends all sessions.
    fn end_sessions(&mut self) {
        self.sessions
            .iter_mut()
            .for_each(|session| session.lives = false);
    }

    /// Who sends such a request; nobody, where there is no such session.
    pub(crate) fn who(&self, by: By) -> usize {
        match by {
            By::Session { session, thief } => thief.unwrap_or_else(|| self.owner(session)),
            By::Inline { who } | By::Stateless { who } => who,
        }
    }

    pub(crate) fn owner(&self, session: usize) -> usize {
        place(session, self.sessions.len()).map_or(0, |at| self.sessions[at].owner)
    }

    /// What this step should come to; afterwards it has happened.
    pub(crate) fn expects(&mut self, step: &Step) -> Outcome {
        match *step {
            Step::Open { who } => {
                self.sessions.push(Session {
                    owner: who,
                    given: HashSet::new(),
                    lives: true,
                });
                Outcome::Opened
            }
            Step::Describe { by, tool, .. } => self.describes(by, tool),
            Step::Call { by, tool, ticket } => self.calls(by, tool, ticket),
            Step::List { by } => match self.is_open(by) {
                true => Outcome::Listed(
                    (0..TOOLS.len())
                        .filter(|tool| self.sees(by, *tool).is_some())
                        .map(|tool| TOOLS[tool])
                        .collect(),
                ),
                false => Outcome::NoSession,
            },
            Step::Delete { session, thief } => match self.own(session, thief) {
                Some(session) => {
                    session.lives = false;
                    Outcome::Done
                }
                None => Outcome::NoSession,
            },
            Step::Expire => {
                self.end_sessions();
                Outcome::Done
            }
            Step::Scope { who, on } => {
                // Nobody has no scopes.
                self.scoped[who] = on && CALLERS[who].is_some();
                Outcome::Done
            }
            Step::Replace { tool, version } => {
                self.served[tool] = version;
                Outcome::Done
            }
        }
    }

    fn describes(&mut self, by: By, tool: usize) -> Outcome {
        if !self.is_open(by) {
            return Outcome::NoSession;
        }
        let Some(version) = self.sees(by, tool) else {
            return Outcome::Unknown;
        };
        self.gives(by, (tool, version));
        Outcome::Described(version)
    }

    fn calls(&mut self, by: By, tool: usize, ticket: Option<usize>) -> Outcome {
        if !self.is_open(by) {
            return Outcome::NoSession;
        }
        let Some(version) = self.sees(by, tool) else {
            return Outcome::Unknown;
        };
        if tool == EAGER || self.was_given(by, (tool, version), ticket) {
            return Outcome::Ran;
        }
        let outdated = self.was_given_another(by, tool);
        if self.refusals_describe {
            self.gives(by, (tool, version));
        }
        Outcome::Refused { outdated }
    }

    /// The version that this caller sees.
    fn sees(&self, by: By, tool: usize) -> Option<u8> {
        self.served[tool].filter(|_| tool != SCOPED || self.scoped[self.who(by)])
    }

    fn gives(&mut self, by: By, version: Version) {
        match by {
            By::Session { session, .. } => drop(
                self.at(session)
                    .map(|session| session.given.insert(version)),
            ),
            // What is listed in full needs no ticket.
            By::Inline { who } | By::Stateless { who } if version.0 != EAGER => {
                self.tickets.push(Ticket { version, who });
            }
            _ => {}
        }
    }

    fn was_given(&mut self, by: By, version: Version, ticket: Option<usize>) -> bool {
        match by {
            By::Session { session, .. } => self
                .at(session)
                .is_some_and(|session| session.given.contains(&version)),
            By::Inline { who } | By::Stateless { who } => self
                .shown(ticket)
                .is_some_and(|at| self.tickets[at] == Ticket { version, who }),
        }
    }

    /// Told where there is a session; a ticket of a description that changed is as good as any other that is not good.
    fn was_given_another(&mut self, by: By, tool: usize) -> bool {
        match by {
            By::Session { session, .. } => self
                .at(session)
                .is_some_and(|session| session.given.iter().any(|(given, _)| *given == tool)),
            _ => false,
        }
    }

    /// The place of the ticket that is meant, among all that were given.
    pub(crate) fn shown(&self, ticket: Option<usize>) -> Option<usize> {
        // The last ones matter most.
        ticket.and_then(|back| self.tickets.len().checked_sub(back + 1))
    }

    fn is_open(&mut self, by: By) -> bool {
        match by {
            By::Session { session, thief } => self.own(session, thief).is_some(),
            By::Inline { .. } | By::Stateless { .. } => true,
        }
    }

    fn own(&mut self, session: usize, thief: Option<usize>) -> Option<&mut Session> {
        self.at(session)
            .filter(|session| session.lives && thief.is_none_or(|thief| session.owner == thief))
    }

    fn at(&mut self, session: usize) -> Option<&mut Session> {
        let place = place(session, self.sessions.len())?;
        self.sessions.get_mut(place)
    }
}

/// A session that a step means: the last ones matter most.
pub(crate) fn place(session: usize, count: usize) -> Option<usize> {
    count.checked_sub(session + 1)
}
