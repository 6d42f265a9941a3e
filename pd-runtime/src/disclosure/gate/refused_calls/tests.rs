//! Refused calls: which are admitted when repeated, for whom, and for how long.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::text::write_file::test_directory;

const TIME: u64 = 1_800_000_000;

/// The refused call of a payer with these arguments, in a session.
fn call(payer: u64, session: u64, arguments: u8) -> RefusedCall {
    let mut tool = [0; 16];
    tool[..8].copy_from_slice(&payer.to_be_bytes());
    let mut hash = tool;
    hash[15] = arguments + 1;
    RefusedCall {
        payer,
        session,
        tool,
        call: hash,
    }
}

fn memory() -> RefusedCalls {
    RefusedCalls::new(None)
}

#[test]
fn a_call_is_repeated_by_the_same_principal_in_another_session_within_ten_minutes() {
    let memory = memory();
    memory.insert(TIME, call(1, 7, 0));
    assert!(memory.is_repeated(TIME + LIFE, &call(1, 8, 0)));
    assert!(
        memory.is_repeated(TIME, &call(1, NO_SESSION, 0)),
        "a request without a session"
    );
    for (other, why) in [
        (call(1, 7, 0), "the same session"),
        (call(1, 8, 1), "other arguments"),
        (call(2, 8, 0), "another principal"),
    ] {
        assert!(!memory.is_repeated(TIME, &other), "{why}");
    }
    assert!(
        !memory.is_repeated(TIME + LIFE + 1, &call(1, 8, 0)),
        "too late"
    );
}

#[tokio::test]
async fn after_a_repeated_call_other_calls_of_the_tool_are_admitted() {
    let memory = memory();
    memory.record(call(1, 7, 0)).await;
    assert!(!memory.admits_repeated(call(1, 8, 5)).await);
    assert!(memory.admits_repeated(call(1, 8, 0)).await);
    assert!(memory.admits_repeated(call(1, 9, 5)).await);
    assert!(
        !memory.admits_repeated(call(2, 9, 5)).await,
        "another principal"
    );
}

#[test]
fn one_payer_takes_no_room_of_others_and_all_together_have_a_bound() {
    let memory = memory();
    memory.insert(TIME, call(1, 1, 0));
    for number in 0..200 {
        memory.insert(TIME, call(2, number, 0));
    }
    assert_eq!(memory.calls.lock().len(), PAYER_CALLS_MAX + 1);
    assert!(memory.is_repeated(TIME, &call(1, 2, 0)));
    for payer in 0..2 * CALLS_MAX as u64 {
        memory.insert(TIME, call(payer, 1, 0));
    }
    assert_eq!(memory.calls.lock().len(), CALLS_MAX);
    memory.insert(TIME + LIFE + 1, call(1, 1, 0));
    assert_eq!(memory.calls.lock().len(), 1, "old calls are dropped");
    assert!(size_of::<(u64, RefusedCall)>() <= 64);
}

#[tokio::test]
async fn a_file_keeps_the_owners_calls_for_the_next_process() {
    let directory = test_directory();
    let path = directory.join("new/refused-calls");
    let open = || RefusedCalls::new(Some(path.clone()));
    open().record(call(OWNER, 7, 0)).await;
    open().record(call(3, 7, 0)).await;
    assert!(open().admits_repeated(call(OWNER, 8, 0)).await);
    assert!(
        !open().admits_repeated(call(3, 8, 0)).await,
        "principals are in memory only"
    );
    for session in 0..200 {
        open()
            .record(call(OWNER, session, u8::try_from(session).unwrap()))
            .await;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), PAYER_CALLS_MAX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}

#[tokio::test]
async fn a_damaged_or_unwritable_file_counts_as_empty() {
    let directory = test_directory();
    let path = directory.join("refused-calls");
    for text in [
        &b"\xff\xfe"[..],
        b"1 2 3\nx\n\n9 9 zz zz\n",
        &[b'1'; 100_000],
    ] {
        std::fs::write(&path, text).unwrap();
        let memory = RefusedCalls::new(Some(path.clone()));
        assert!(!memory.admits_repeated(call(OWNER, 1, 0)).await);
        memory.record(call(OWNER, 7, 0)).await;
        assert!(
            RefusedCalls::new(Some(path.clone()))
                .admits_repeated(call(OWNER, 8, 0))
                .await
        );
    }
    // A file in the place of the directory.
    let memory = RefusedCalls::new(Some(path.join("below")));
    memory.record(call(OWNER, 7, 0)).await;
    assert!(
        memory.admits_repeated(call(OWNER, 8, 0)).await,
        "memory suffices in this process"
    );
}
