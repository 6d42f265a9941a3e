//! Session ids. Replicas that share a key recognize each other's ids.

use super::client_flags::ClientFlags;
use crate::{
    digest::{hex::Hex, hmac},
    policy::access::CallerIdentity,
    text::unix_time,
};

use ::hmac::{Hmac, Mac};
use rmcp::transport::streamable_http_server::session::SessionId;
use sha2::Sha256;
use std::sync::Arc;

/// The context from which the keys of session ids are derived. It separates them from the ticket
/// key that they are derived from.
const PURPOSE: &str = "dev.pd-runtime/session-id";
/// The time for which an id alone opens its session at another replica: one day.
const LIFE_MINUTES: u32 = 24 * 60;
/// `LIFE_MINUTES` as a duration.
#[cfg(feature = "redis")]
pub(crate) const LIFE: std::time::Duration =
    std::time::Duration::from_secs(LIFE_MINUTES as u64 * 60);

// The layout of a sealed id, in bytes before hexadecimal encoding: 16 random bytes, the creation
// time in minutes (4, big-endian), the client's flags (1), and the first 16 bytes of HMAC-SHA256
// over all of these and the opener.
const RANDOM: usize = 16;
const SIGNED: usize = RANDOM + 4 + 1;
const SEALED: usize = SIGNED + 16;

/// Generates session ids and recognizes them.
#[derive(Clone, Default)]
pub(crate) struct SessionIds {
    /// The current key, then previous ones. Without keys, ids are random and carry nothing.
    keys: Arc<[Hmac<Sha256>]>,
}

impl std::fmt::Debug for SessionIds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionIds")
            .field("keys", &self.keys.len())
            .finish()
    }
}

impl SessionIds {
    /// Creates ids that every holder of one of these keys recognizes. An id consists of 128 random
    /// bits, its creation time, its client's flags, and a keyed hash over these and its opener.
    pub(crate) fn sealed<'a>(keys: impl IntoIterator<Item = &'a [u8; 32]>) -> Self {
        Self {
            keys: keys
                .into_iter()
                .map(|key| hmac::hash_for(PURPOSE, key))
                .collect(),
        }
    }

    /// Generates an id for a session of this person, with the client's flags. It cannot be guessed,
    /// as MCP 2025-11-25 requires (Streamable HTTP, session management).
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no source of randomness.
    pub(super) fn fresh(
        &self,
        person: &CallerIdentity,
        flags: ClientFlags,
    ) -> Result<SessionId, getrandom::Error> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random)?;
        let mut id = Hex(&random).to_string();
        if let Some(key) = self.keys.first() {
            id.push_str(&Hex(&now_minutes().to_be_bytes()).to_string());
            id.push_str(&Hex(&[flags.byte()]).to_string());
            id.push_str(&Hex(&hash(key, &id, person)).to_string());
        }
        Ok(id.into())
    }

    /// Returns the client's flags, if a replica generated this id for this person within the last
    /// day.
    pub(super) fn read(&self, id: &str, person: &CallerIdentity) -> Option<ClientFlags> {
        let (signed, hash) = id.split_at_checked(2 * SIGNED)?;
        let hash = parse_hex::<{ SEALED - SIGNED }>(hash)?;
        // `verify_truncated_left` compares in constant time, so that response times do not reveal a
        // valid hash byte by byte.
        let is_authentic = |key| {
            seal(key, signed, person)
                .verify_truncated_left(&hash)
                .is_ok()
        };
        let [created @ .., flags] = parse_hex::<5>(signed.get(2 * RANDOM..)?)?;
        let age = now_minutes().saturating_sub(u32::from_be_bytes(created));
        (self.keys.iter().any(is_authentic) && age <= LIFE_MINUTES)
            .then(|| ClientFlags::from_byte(flags))
    }
}

/// Computes the hash at the end of an id.
fn hash(key: &Hmac<Sha256>, signed: &str, person: &CallerIdentity) -> [u8; SEALED - SIGNED] {
    seal(key, signed, person)
        .finalize()
        .into_bytes()
        .first_chunk()
        .copied()
        .unwrap_or_default()
}

/// Feeds an id's first part and the person into the hash. The first part has a fixed length, so no
/// bytes of it can be mistaken for the person's.
fn seal(key: &Hmac<Sha256>, signed: &str, person: &CallerIdentity) -> Hmac<Sha256> {
    key.clone()
        .chain_update(signed.as_bytes())
        .chain_update(person.bytes())
}

fn now_minutes() -> u32 {
    // Wall-clock time, because replicas compare it. A clock before 1970 counts as 0.
    let now = unix_time::since_1970();
    u32::try_from(now.as_secs() / 60).unwrap_or(u32::MAX)
}

/// Parses what `Hex` wrote, and nothing else: upper-case digits are refused, so that each id has
/// one spelling.
fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let digit = |digit: u8| {
        char::from(digit)
            .to_digit(16)
            .filter(|_| !digit.is_ascii_uppercase())
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    const ALICE: CallerIdentity = CallerIdentity::Known([1; 16]);
    const BOB: CallerIdentity = CallerIdentity::Known([2; 16]);

    fn flags() -> ClientFlags {
        ClientFlags::from_byte(5)
    }

    #[test]
    fn an_id_is_128_bits_in_visible_ascii_and_no_other_is_like_it() {
        let ids = SessionIds::default();
        let (one, other) = (
            ids.fresh(&ALICE, flags()).unwrap(),
            ids.fresh(&ALICE, flags()).unwrap(),
        );
        assert!(
            one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{one}"
        );
        assert_ne!(one, other);
        assert_eq!(ids.read(&one, &ALICE), None, "it tells nothing");
    }

    #[test]
    fn replicas_recognise_each_others_ids_and_nobody_forges_one() {
        let (here, there) = (
            SessionIds::sealed([&[7; 32]]),
            SessionIds::sealed([&[7; 32]]),
        );
        let id = here.fresh(&ALICE, flags()).unwrap();
        assert!(
            id.len() == 2 * SEALED && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{id}"
        );
        assert_eq!(there.read(&id, &ALICE), Some(flags()));
        for (person, whose) in [
            (BOB, "another principal"),
            (CallerIdentity::Nobody, "nobody"),
            (CallerIdentity::Owner, "the owner"),
        ] {
            assert_eq!(there.read(&id, &person), None, "{whose}");
        }
        assert_eq!(
            SessionIds::sealed([&[8; 32]]).read(&id, &ALICE),
            None,
            "another key"
        );
        assert_eq!(SessionIds::default().read(&id, &ALICE), None, "no key");
        for place in 0..id.len() {
            let mut forged = id.to_string();
            let other = if forged.as_bytes()[place] == b'0' {
                "1"
            } else {
                "0"
            };
            forged.replace_range(place..=place, other);
            assert_eq!(there.read(&forged, &ALICE), None, "{forged}");
        }
        for forged in [
            "",
            "0",
            &id[1..],
            &format!("{id}0"),
            &format!("{id}00"),
            &id.to_uppercase(),
            &"é".repeat(37),
        ] {
            assert_eq!(there.read(forged, &ALICE), None, "{forged}");
        }
    }

    #[test]
    fn previous_keys_still_open_and_old_ids_do_not() {
        let id = SessionIds::sealed([&[1; 32]])
            .fresh(&ALICE, flags())
            .unwrap();
        assert_eq!(
            SessionIds::sealed([&[2; 32], &[1; 32]]).read(&id, &ALICE),
            Some(flags())
        );
        let ids = SessionIds::sealed([&[1; 32]]);
        let made = |minutes: u32| {
            let signed = format!(
                "{}{}{}",
                &id[..2 * RANDOM],
                Hex(&minutes.to_be_bytes()),
                Hex(&[5])
            );
            format!("{signed}{}", Hex(&hash(&ids.keys[0], &signed, &ALICE)))
        };
        assert_eq!(
            ids.read(&made(now_minutes() - LIFE_MINUTES), &ALICE),
            Some(flags())
        );
        assert_eq!(
            ids.read(&made(now_minutes() - LIFE_MINUTES - 2), &ALICE),
            None
        );
    }
}
