//! The check before a call: has this caller had this tool's description? It is a pure function of
//! its inputs.
//!
//! The gate is not a security boundary (specification v2.1, section 10.1). Access is, and it is
//! checked first.

pub(crate) mod first_request;
pub(crate) mod refused_calls;
pub(crate) mod replicas;
pub(crate) mod session;
pub(crate) mod session_evidence;
pub(crate) mod state_directory;
pub(crate) mod ticket;

use crate::policy::GateMode;

/// The proof that a caller has for having read a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DisclosureProof {
    /// The caller's list shows the tool in full, so there is nothing to disclose.
    Listed,
    /// The caller's session was given the description, or its ticket proves it.
    Disclosed,
    /// The caller was given a description of this tool that no longer holds.
    Outdated,
    /// No proof.
    Nothing,
    /// A ticket that is not valid for this tool, description, caller and time.
    BadTicket,
}

/// The gate's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateVerdict {
    /// The call runs.
    Allow,
    /// The call runs, and its result notes that the description was not read.
    Advise(UndisclosedReason),
    /// The call does not run.
    Deny(DenialReason),
}

/// The reason why a call runs without disclosure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndisclosedReason {
    /// The gate only advises.
    Advised,
    /// The client opens a session for each call.
    SessionPerCall,
    /// The same principal was refused the call in another session.
    Repeated,
}

impl UndisclosedReason {
    /// Returns the reason as audit events and metrics contain it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Advised => "advised",
            Self::SessionPerCall => "session_per_call",
            Self::Repeated => "repeated",
        }
    }
}

impl GateVerdict {
    /// Returns the reason why the call runs without disclosure, if it does.
    pub(crate) fn undisclosed(self) -> Option<UndisclosedReason> {
        match self {
            Self::Advise(reason) => Some(reason),
            Self::Allow | Self::Deny(_) => None,
        }
    }
}

/// The reason why the gate denies a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenialReason {
    NotDisclosed,
    Outdated,
    BadTicket,
    ForeignSession,
}

impl DenialReason {
    /// Renders the reason for the refusal.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NotDisclosed => "the description was not read",
            Self::Outdated => "the description has changed since it was read",
            Self::BadTicket => "the ticket is not good for this tool, description, caller and time",
            Self::ForeignSession => {
                "another principal opened this session; open one with `initialize`"
            }
        }
    }
}

/// Decides whether a call runs.
pub(crate) fn decide(gate: GateMode, proof: DisclosureProof) -> GateVerdict {
    // The proof is examined before the setting, so that every setting classifies calls alike.
    let reason = match proof {
        DisclosureProof::Listed | DisclosureProof::Disclosed => return GateVerdict::Allow,
        DisclosureProof::Nothing => DenialReason::NotDisclosed,
        DisclosureProof::Outdated => DenialReason::Outdated,
        DisclosureProof::BadTicket => DenialReason::BadTicket,
    };
    match gate {
        GateMode::Enforce => GateVerdict::Deny(reason),
        GateMode::Advise => GateVerdict::Advise(UndisclosedReason::Advised),
        GateMode::Off => GateVerdict::Allow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enforce_denies_and_only_without_proof() {
        for proof in [DisclosureProof::Listed, DisclosureProof::Disclosed] {
            for gate in [GateMode::Enforce, GateMode::Advise, GateMode::Off] {
                assert_eq!(decide(gate, proof), GateVerdict::Allow);
            }
        }
        let without = [
            (DisclosureProof::Nothing, DenialReason::NotDisclosed),
            (DisclosureProof::Outdated, DenialReason::Outdated),
            (DisclosureProof::BadTicket, DenialReason::BadTicket),
        ];
        for (proof, reason) in without {
            assert_eq!(decide(GateMode::Enforce, proof), GateVerdict::Deny(reason));
            assert_eq!(
                decide(GateMode::Advise, proof),
                GateVerdict::Advise(UndisclosedReason::Advised)
            );
            assert_eq!(decide(GateMode::Off, proof), GateVerdict::Allow);
        }
    }
}
