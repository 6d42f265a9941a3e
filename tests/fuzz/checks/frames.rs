//! Anything at all where JSON-RPC is expected, on a line or over HTTP, both generations mixed: the server stays up, answers each
//! request once, runs nothing whose description the caller was not given, and tells of no hidden tool.

mod account;
mod http;
mod script;

use super::{
    line::{Client, Line},
    run,
    world::{GATED, HIDDEN, Log, Ran, WITH, WITHOUT, Who, leaks, mark},
};
use account::Account;
use pd_runtime::PdServer;
use script::Script;

const CALLERS: [Who; 4] = [Who::NOBODY, Who::ALICE, Who::BOB, Who::KEEPER];

/// The first byte says who sends and by which transport; the rest is what is sent.
pub fn check(data: &[u8]) {
    let Some((how, sent)) = data.split_first() else {
        return;
    };
    let opening = Opening::of(*how);
    let heard = run(opening.hold(&WITH, sent));
    if !opening.opens_vault(sent) {
        assert_eq!(
            heard,
            run(opening.hold(&WITHOUT, sent)),
            "a hidden tool is not as an unknown one"
        );
    }
}

/// How a conversation begins.
#[derive(Debug, Clone, Copy)]
struct Opening {
    over_http: bool,
    who: usize,
    /// What was said before, on a line; on HTTP, whether there are sessions.
    begins: Begins,
    /// Whether all is sent at once, or each line waits for the answer to the one before.
    pipelined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Nothing,
    Session,
    Extension,
}

impl Opening {
    /// Printable letters, so that a corpus can be read: `@` and what follows it.
    fn of(how: u8) -> Self {
        let begins = [
            Begins::Session,
            Begins::Nothing,
            Begins::Extension,
            Begins::Session,
        ][usize::from(how >> 3 & 3)];
        Self {
            over_http: how & 1 != 0,
            who: usize::from(how >> 1 & 3),
            begins,
            pipelined: how & 32 != 0,
        }
    }

    /// Whether anybody in it may see what is hidden.
    fn opens_vault(self, sent: &[u8]) -> bool {
        match self.over_http {
            true => http::callers(sent).any(|who| who.opens_vault),
            false => CALLERS[self.who].opens_vault,
        }
    }

    /// Returns all that was heard, in an order that does not depend on time.
    async fn hold(self, shared: &PdServer<Log>, sent: &[u8]) -> Vec<String> {
        shared.state().take();
        match self.over_http {
            true => http::hold(shared, self.begins != Begins::Nothing, sent).await,
            false => self.on_a_line(shared, sent).await,
        }
    }

    async fn on_a_line(self, shared: &PdServer<Log>, sent: &[u8]) -> Vec<String> {
        let who = &CALLERS[self.who];
        let mut line = match self.begins {
            Begins::Nothing => Line::open(shared, who),
            begins => {
                let client = Client {
                    inline: false,
                    extension: begins == Begins::Extension,
                };
                Line::connect(shared, who, client).await
            }
        };
        let mut account = Account::default();
        let mut script = Script::default();
        let frames: Vec<&[u8]> = if self.pipelined {
            vec![sent]
        } else {
            sent.split(|byte| *byte == b'\n').collect()
        };
        for frame in frames.into_iter().take(16) {
            let mut bytes = script.filled(frame);
            bytes.push(b'\n');
            account.sent(&bytes);
            let heard = line.say(&bytes).await;
            script.hears(&heard);
            account.heard(&heard);
            let known = [(who.subject.map(str::to_owned), script.heard().to_owned())];
            assert_admitted(&shared.state().take(), &known);
        }
        assert!(
            who.opens_vault || !leaks(&account.asked(), script.heard()),
            "{}",
            script.heard()
        );
        account
            .settle(self.begins != Begins::Nothing, &mut line)
            .await;
        let mut heard = account.into_heard();
        heard.sort();
        heard
    }
}

/// What ran had been described to whoever ran it.
fn assert_admitted(ran: &[Ran], heard: &[(Option<String>, String)]) {
    for Ran { tool, principal } in ran {
        let is_gated = GATED.contains(&tool.as_str()) || HIDDEN.contains(&tool.as_str());
        let was_told = heard
            .iter()
            .any(|(who, heard)| who == principal && heard.contains(&mark(tool)));
        assert!(
            !is_gated || was_told,
            "{tool} ran for {principal:?}, who had not had its description"
        );
        assert_ne!(tool, "refund", "nobody has its scope");
    }
}
