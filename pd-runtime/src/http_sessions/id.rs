//! The names of sessions. Replicas that share a key know each other's.

use super::client_flags::Said;
use crate::{digest::hmac, policy::access::Person};

use ::hmac::{Hmac, Mac};
use rmcp::transport::streamable_http_server::session::SessionId;
use sha2::Sha256;
use std::{
    fmt::Write,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// What keys of sessions' ids are made of the tickets' key with: the two are never confused.
const PURPOSE: &str = "dev.pd-runtime/session-id";
/// For how long an id alone opens its session at another replica: one day.
const LIFE_MINUTES: u32 = 24 * 60;
/// The same, as a duration.
#[cfg(feature = "redis")]
pub(crate) const LIFE: std::time::Duration = std::time::Duration::from_secs(LIFE_MINUTES as u64 * 60);

const RANDOM: usize = 16;
const TOLD: usize = RANDOM + 4 + 1;
const SEALED: usize = TOLD + 16;

/// Makes ids and recognises them.
#[derive(Clone, Default)]
pub(crate) struct Ids {
    /// The current key and previous ones. Without any, ids tell nothing.
    keys: Arc<[Hmac<Sha256>]>,
}

impl std::fmt::Debug for Ids {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ids").field("keys", &self.keys.len()).finish()
    }
}

impl Ids {
    /// Ids that whoever has one of these keys recognises: 128 random bits, when it was made, what its client said, and a keyed
    /// hash over that and its opener.
    pub(crate) fn sealed<'a>(keys: impl IntoIterator<Item = &'a [u8; 32]>) -> Self {
        Self { keys: keys.into_iter().map(|key| hmac::hash_for(PURPOSE, key)).collect() }
    }

    /// An id for a session of this person, whose client said this. Nobody guesses one (MCP 2025-11-25, Streamable HTTP,
    /// session management).
    ///
    /// # Errors
    ///
    /// The system has no randomness.
    pub(super) fn fresh(&self, person: &Person, said: Said) -> Result<SessionId, getrandom::Error> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random)?;
        let mut id = written(&random);
        if let Some(key) = self.keys.first() {
            id.push_str(&written(&now_minutes().to_be_bytes()));
            id.push_str(&written(&[said.byte()]));
            id.push_str(&written(&hash(key, &id, person)));
        }
        Ok(id.into())
    }

    /// What the client of this person's session said, if a replica made this id for them today.
    pub(super) fn read(&self, id: &str, person: &Person) -> Option<Said> {
        let (told, hash) = id.split_at_checked(2 * TOLD)?;
        let hash = read_digits::<{ SEALED - TOLD }>(hash)?;
        let is_ours = |key| seal(key, told, person).verify_truncated_left(&hash).is_ok();
        let [made @ .., said] = read_digits::<5>(told.get(2 * RANDOM..)?)?;
        let age = now_minutes().saturating_sub(u32::from_be_bytes(made));
        (self.keys.iter().any(is_ours) && age <= LIFE_MINUTES).then(|| Said::from_byte(said))
    }
}

fn hash(key: &Hmac<Sha256>, told: &str, person: &Person) -> [u8; SEALED - TOLD] {
    seal(key, told, person).finalize().into_bytes().first_chunk().copied().unwrap_or_default()
}

/// The id's other parts have one length, so that nothing of them can be taken for the person.
fn seal(key: &Hmac<Sha256>, told: &str, person: &Person) -> Hmac<Sha256> {
    key.clone().chain_update(told.as_bytes()).chain_update(person.bytes())
}

fn now_minutes() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(now.as_secs() / 60).unwrap_or(u32::MAX)
}

fn written(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * SEALED), |mut text, byte| {
        // A string takes whatever is written to it.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What `written` wrote, and nothing else.
fn read_digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let digit = |digit: u8| char::from(digit).to_digit(16).filter(|_| !digit.is_ascii_uppercase());
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
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    const ALICE: Person = Person::Known([1; 16]);
    const BOB: Person = Person::Known([2; 16]);

    fn said() -> Said {
        Said::from_byte(5)
    }

    #[test]
    fn an_id_is_128_bits_in_visible_ascii_and_no_other_is_like_it() {
        let ids = Ids::default();
        let (one, other) = (ids.fresh(&ALICE, said()).unwrap(), ids.fresh(&ALICE, said()).unwrap());
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert_ne!(one, other);
        assert_eq!(ids.read(&one, &ALICE), None, "it tells nothing");
    }

    #[test]
    fn replicas_recognise_each_others_ids_and_nobody_forges_one() {
        let (here, there) = (Ids::sealed([&[7; 32]]), Ids::sealed([&[7; 32]]));
        let id = here.fresh(&ALICE, said()).unwrap();
        assert!(id.len() == 2 * SEALED && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert_eq!(there.read(&id, &ALICE), Some(said()));
        for (person, whose) in [(BOB, "another principal"), (Person::Nobody, "nobody"), (Person::Owner, "the owner")] {
            assert_eq!(there.read(&id, &person), None, "{whose}");
        }
        assert_eq!(Ids::sealed([&[8; 32]]).read(&id, &ALICE), None, "another key");
        assert_eq!(Ids::default().read(&id, &ALICE), None, "no key");
        for place in 0..id.len() {
            let mut forged = id.to_string();
            let other = if forged.as_bytes()[place] == b'0' { "1" } else { "0" };
            forged.replace_range(place..=place, other);
            assert_eq!(there.read(&forged, &ALICE), None, "{forged}");
        }
        for forged in ["", "0", &id[1..], &format!("{id}0"), &format!("{id}00"), &id.to_uppercase(), &"é".repeat(37)] {
            assert_eq!(there.read(forged, &ALICE), None, "{forged}");
        }
    }

    #[test]
    fn previous_keys_still_open_and_old_ids_do_not() {
        let id = Ids::sealed([&[1; 32]]).fresh(&ALICE, said()).unwrap();
        assert_eq!(Ids::sealed([&[2; 32], &[1; 32]]).read(&id, &ALICE), Some(said()));
        let ids = Ids::sealed([&[1; 32]]);
        let made = |minutes: u32| {
            let told = format!("{}{}{}", &id[..2 * RANDOM], written(&minutes.to_be_bytes()), written(&[5]));
            format!("{told}{}", written(&hash(&ids.keys[0], &told, &ALICE)))
        };
        assert_eq!(ids.read(&made(now_minutes() - LIFE_MINUTES), &ALICE), Some(said()));
        assert_eq!(ids.read(&made(now_minutes() - LIFE_MINUTES - 2), &ALICE), None);
    }
}
