//! Tickets: proofs of disclosure for protocol versions without sessions.
//!
//! A ticket is not a credential. Forging one only skips reading documentation, so it is short on
//! purpose: a keyed hash truncated to 60 bits and written in 18 decimal digits, which cost six
//! o200k tokens and which models copy reliably. The server stores no tickets: any replica with the
//! same key accepts them, also after a restart. Keys that are being retired are still accepted.

use crate::{
    digest::{Digest, hmac},
    text::unix_time,
    tool::principal::Principal,
};
use ::hmac::{Hmac, Mac};
use sha2::Sha256;
use std::time::Duration;

/// The length of a ticket, in decimal digits. 10^18 is a little less than 2^60.
const DIGITS: usize = 18;
const MODULUS: u64 = 1_000_000_000_000_000_000;

/// The keys and the lifetime with which a server mints and checks tickets.
pub(crate) struct TicketSigner {
    current: Hmac<Sha256>,
    previous: Box<[Hmac<Sha256>]>,
    life: Duration,
}

impl std::fmt::Debug for TicketSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let previous = self.previous.len();
        f.debug_struct("TicketSigner")
            .field("previous", &previous)
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}

impl TicketSigner {
    /// Creates a signer under `key`. Its tickets are valid for `life` to twice that. It accepts
    /// tickets made under `previous` keys.
    pub(crate) fn new(key: &[u8; 32], previous: &[[u8; 32]], life: Duration) -> Self {
        Self {
            current: hmac::hash(key),
            previous: previous.iter().map(hmac::hash).collect(),
            life,
        }
    }

    /// Mints the ticket which proves that this principal was given the description with this digest
    /// now.
    pub(crate) fn mint(&self, digest: &Digest, principal: Option<&Principal>) -> String {
        render(ticket_number(&self.current, self.slot(), digest, principal))
    }

    /// Returns whether the text is a ticket for this description and principal that has not
    /// expired.
    pub(crate) fn admits(
        &self,
        text: &str,
        digest: &Digest,
        principal: Option<&Principal>,
    ) -> bool {
        let Some(number) = parse(text) else {
            return false;
        };
        let slot = self.slot();
        // A comparison in constant time is unnecessary: a forged ticket skips reading and grants no
        // access.
        std::iter::once(&self.current)
            .chain(&self.previous)
            .any(|key| {
                [slot, slot.wrapping_sub(1)]
                    .into_iter()
                    .any(|slot| number == ticket_number(key, slot, digest, principal))
            })
    }

    /// Returns whether the text has the form of a ticket, valid or not.
    pub(crate) fn may_be_ticket(text: &str) -> bool {
        parse(text).is_some()
    }

    /// Returns the current time in units of a ticket's life. A ticket is valid in its own slot and
    /// the next one.
    fn slot(&self) -> u64 {
        let now = unix_time::since_1970();
        // A life under a second would otherwise divide by zero.
        now.as_secs() / self.life.as_secs().max(1)
    }
}

/// Computes a ticket's number. The digest also identifies the tool, because it covers the tool's
/// name.
fn ticket_number(
    key: &Hmac<Sha256>,
    slot: u64,
    digest: &Digest,
    principal: Option<&Principal>,
) -> u64 {
    // Cloning reuses the key schedule, which costs more than hashing the digest.
    let mut mac = key.clone();
    mac.update(&slot.to_be_bytes());
    mac.update(digest.bytes());
    if let Some(principal) = principal {
        // The separator distinguishes an anonymous caller from a principal with an empty name.
        mac.update(b"\0");
        mac.update(principal.subject().as_bytes());
    }
    let hash = mac.finalize().into_bytes();
    // 64 bits modulo 10^18 favor small numbers by less than 6 %, which is irrelevant for a proof of
    // reading.
    hash.first_chunk()
        .map_or(0, |first| u64::from_be_bytes(*first))
        % MODULUS
}

/// Renders a ticket with leading zeros.
fn render(number: u64) -> String {
    format!("{number:0DIGITS$}")
}

/// Parses a key of 64 hexadecimal digits.
pub(crate) fn parse_key(digits: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != key.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(high? << 4 | low?).ok()?;
    }
    Some(key)
}

/// Parses a ticket. `str::parse` alone would accept a sign.
fn parse(text: &str) -> Option<u64> {
    let is_ticket = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    is_ticket.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets() -> TicketSigner {
        TicketSigner::new(&[7; 32], &[], Duration::from_secs(60))
    }

    #[test]
    fn a_ticket_is_good_for_its_own_description_principal_and_time_only() {
        let (tickets, digest, other) = (
            tickets(),
            Digest::from_bytes(b"log"),
            Digest::from_bytes(b"show"),
        );
        let alice = Principal::new("alice");
        let bob = Principal::new("bob");
        let ticket = tickets.mint(&digest, Some(&alice));
        assert_eq!(ticket.len(), DIGITS);
        assert!(tickets.admits(&ticket, &digest, Some(&alice)));
        assert!(
            !tickets.admits(&ticket, &other, Some(&alice)),
            "another tool, or an older description"
        );
        assert!(
            !tickets.admits(&ticket, &digest, Some(&bob)),
            "another principal"
        );
        assert!(!tickets.admits(&ticket, &digest, None), "nobody");
        assert!(
            !tickets.admits(&ticket[..17], &digest, Some(&alice)),
            "truncated"
        );
        assert!(
            !tickets.admits(&"1".repeat(10_000), &digest, Some(&alice)),
            "oversized"
        );
        assert!(!tickets.admits("", &digest, Some(&alice)));
        assert!(
            !tickets.admits(&format!("+{}", &ticket[1..]), &digest, Some(&alice)),
            "a sign is no digit"
        );
        assert!(
            !tickets.admits("١٢٣٤٥٦٧٨٩", &digest, Some(&alice)),
            "18 bytes of other digits"
        );
        let other_key = TicketSigner::new(&[8; 32], &[], Duration::from_secs(60));
        assert!(
            !other_key.admits(&ticket, &digest, Some(&alice)),
            "another key"
        );
        let nameless = tickets.mint(&digest, Some(&Principal::new("")));
        assert!(
            !tickets.admits(&nameless, &digest, None),
            "nobody is not the principal without a name"
        );
    }

    #[test]
    fn keys_are_rotated_without_refusing_anybody() {
        let life = Duration::from_secs(60);
        let digest = Digest::from_bytes(b"log");
        let [old, both, new] = [
            ([1; 32], &[][..]),
            ([2; 32], &[[1; 32]][..]),
            ([2; 32], &[][..]),
        ]
        .map(|(current, previous)| TicketSigner::new(&current, previous, life));
        let ticket = old.mint(&digest, None);
        assert!(
            both.admits(&ticket, &digest, None),
            "made before the change"
        );
        assert!(!new.admits(&ticket, &digest, None), "the old key is gone");
        let ticket = both.mint(&digest, None);
        assert!(
            new.admits(&ticket, &digest, None) && !old.admits(&ticket, &digest, None),
            "made with the new key"
        );
    }

    #[test]
    fn a_ticket_outlives_its_slot_by_one() {
        let tickets = tickets();
        let digest = Digest::from_bytes(b"log");
        let (slot, ticket) = (tickets.slot(), |slot| {
            render(ticket_number(&tickets.current, slot, &digest, None))
        });
        assert!(tickets.admits(&ticket(slot - 1), &digest, None));
        assert!(!tickets.admits(&ticket(slot - 3), &digest, None), "expired");
        assert!(
            !tickets.admits(&ticket(slot + 2), &digest, None),
            "from the future"
        );
    }
}
