//! The check before a call: has this caller had this tool's description? Pure: it is handed what is known and decides.
//!
//! The gate is not a security boundary (specification v2.1, section 10.1). Access is; it comes first.

pub(crate) mod replicas;
pub(crate) mod session;
pub(crate) mod ticket;

use crate::policy::Gate;

/// What a caller can show for having had a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Its list shows the tool in full, so there is nothing to disclose.
    Listed,
    /// Its session had it, or its ticket proves it.
    Disclosed,
    /// It had a description of this tool that no longer holds.
    Outdated,
    /// Nothing.
    Nothing,
    /// A ticket that is not good for this tool, description, caller and time.
    BadTicket,
}

/// What the gate decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The call runs.
    Allow,
    /// The call runs, and its result says that the description was not read.
    Advise,
    /// The call does not run.
    Deny(Reason),
}

/// Why a call does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    NotDisclosed,
    Outdated,
    BadTicket,
    ForeignSession,
}

impl Reason {
    /// For the refusal and the log.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::NotDisclosed => "the description was not read",
            Self::Outdated => "the description has changed since it was read",
            Self::BadTicket => "the ticket is not good for this tool, description, caller and time",
            Self::ForeignSession => "another principal opened this session; open one with `initialize`",
        }
    }
}

/// Decides about one call.
pub(crate) fn decide(gate: Gate, proof: Proof) -> Verdict {
    let reason = match proof {
        Proof::Listed | Proof::Disclosed => return Verdict::Allow,
        Proof::Nothing => Reason::NotDisclosed,
        Proof::Outdated => Reason::Outdated,
        Proof::BadTicket => Reason::BadTicket,
    };
    match gate {
        Gate::Enforce => Verdict::Deny(reason),
        Gate::Advise => Verdict::Advise,
        Gate::Off => Verdict::Allow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enforce_denies_and_only_without_proof() {
        for proof in [Proof::Listed, Proof::Disclosed] {
            for gate in [Gate::Enforce, Gate::Advise, Gate::Off] {
                assert_eq!(decide(gate, proof), Verdict::Allow);
            }
        }
        let without = [
            (Proof::Nothing, Reason::NotDisclosed),
            (Proof::Outdated, Reason::Outdated),
            (Proof::BadTicket, Reason::BadTicket),
        ];
        for (proof, reason) in without {
            assert_eq!(decide(Gate::Enforce, proof), Verdict::Deny(reason));
            assert_eq!(decide(Gate::Advise, proof), Verdict::Advise);
            assert_eq!(decide(Gate::Off, proof), Verdict::Allow);
        }
    }
}
