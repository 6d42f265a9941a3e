//! The review of one server's list: which definitions are as approved, which changes need no
//! person, and which definitions are held.

use super::{HeldKind, texts};
use crate::{config::ServerTrust, message::definition_text::check_text};
use pd_runtime::{
    check::ContractLock,
    upstream::{
        HINT_DEFAULTS, ToolContract,
        text::equal_lines::{group_by, render_names},
    },
};
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// The most approved tools of one server. Tools that it no longer lists count, too.
const TOOLS_MAX: usize = 5_000;
/// The largest contracts of one server together, in bytes of JSON.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The definitions of a list that are held, by their place in it.
pub(crate) type HeldDefinitions = BTreeMap<usize, HeldDefinition>;

/// A definition that waits for a person's approval.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeldDefinition {
    /// The contract that was approved before, unless the tool is new. It comes from a file that
    /// others can edit, so no client reads its texts.
    pub(crate) approved: Option<Arc<ToolContract>>,
    /// The definition with this contract, if the server itself has sent it before.
    pub(crate) sent: Option<Arc<Value>>,
    /// The names of the facts that changed, such as `description`.
    facts: Vec<&'static str>,
}

impl HeldDefinition {
    /// Renders why the tool is not called. A model reads it, so it contains no text of the server.
    pub(crate) fn reason(&self, kind: HeldKind, server: &str) -> String {
        let facts: Vec<String> = self.facts.iter().map(|fact| format!("`{fact}`")).collect();
        let change = match (facts.as_slice(), kind) {
            ([], _) => format!("lists this {}, which is not approved", kind.as_str()),
            (facts, HeldKind::Tool) => {
                format!("has changed its {} since it was approved", facts.join(", "))
            }
            _ => format!("has changed this {} since it was approved", kind.as_str()),
        };
        format!(
            "the server `{server}` {change}; ask the user to review this with `pd-gateway approve {server}`"
        )
    }
}

/// A change that was approved without a person.
#[derive(Debug)]
pub(crate) struct TakenChange {
    tool: String,
    kind: &'static str,
}

/// The outcome of a review.
#[derive(Debug)]
pub(crate) struct ListReview<'a> {
    /// The approved contracts, with those that this review has approved.
    pub(crate) lock: Cow<'a, ContractLock>,
    pub(crate) taken: Vec<TakenChange>,
    held: HeldDefinitions,
    is_first_use: bool,
    /// Whether the approved contracts have icons.
    has_icons: bool,
    /// The size of `lock` in bytes, once it was computed.
    bytes: Option<usize>,
}

impl<'a> ListReview<'a> {
    /// Reviews a list. `approved` is `None` for a server that is used for the first time. All that
    /// it lists then is approved. So are the icons if `has_icons` is `false`: the lock is from
    /// before they were part of it.
    pub(crate) fn new(
        definitions: &[Value],
        approved: Option<&'a ContractLock>,
        has_icons: bool,
        trust: ServerTrust,
    ) -> Self {
        // Copied only for a change: most reviews approve nothing.
        let lock = approved.map_or(Cow::Owned(ContractLock::new()), Cow::Borrowed);
        // Some servers list nothing before the program behind them has connected. With an empty
        // list there was nothing to approve.
        let is_first_use = approved.is_none_or(|approved| approved.is_empty());
        let held = HeldDefinitions::new();
        let mut review = Self {
            lock,
            taken: Vec::new(),
            held,
            is_first_use,
            has_icons,
            bytes: None,
        };
        let trust = Trust {
            // `all` takes new tools, too.
            takes_new: is_first_use || trust != ServerTrust::Approved,
            level: trust,
        };
        for (place, definition) in definitions.iter().enumerate() {
            if let Some(held) = review.definition(definition, trust) {
                review.held.insert(place, held);
            }
        }
        review
    }

    /// Copies the lock if it is borrowed, so that the review outlives the file's contracts.
    pub(crate) fn into_owned(self) -> ListReview<'static> {
        ListReview {
            lock: Cow::Owned(self.lock.into_owned()),
            ..self
        }
    }

    /// Approves a definition, or returns why it is held.
    fn definition(&mut self, definition: &Value, trust: Trust) -> Option<HeldDefinition> {
        let approved = definition
            .get("name")
            .and_then(Value::as_str)
            .and_then(|name| self.lock.get(name));
        // Most definitions are unchanged. This shows it without the cost of a new contract.
        if approved.is_some_and(|approved| approved.is_certainly_of(definition)) {
            return None;
        }
        let listed = ToolContract::from_definition(definition)?;
        match check_text(definition) {
            Ok(()) => self.tool(listed, trust),
            // It is not offered, and a server that hides characters is not trusted. A tool that was
            // approved before stays as it was.
            Err(_) if self.lock.get(listed.name()).is_some() => self.tool(listed, Trust::NONE),
            Err(_) => None,
        }
    }

    /// Approves a tool, or returns why it is held.
    fn tool(&mut self, listed: ToolContract, trust: Trust) -> Option<HeldDefinition> {
        let Some(approved) = self.lock.get(listed.name()) else {
            let is_taken = trust.takes_new && self.take(listed, "new tool");
            return (!is_taken).then(|| HeldDefinition {
                approved: None,
                sent: None,
                facts: Vec::new(),
            });
        };
        // Some servers leave annotations out at random. That counts as unchanged.
        let listed = listed.with_omissions_of(approved);
        if approved.facts() == listed.facts() {
            return None;
        }
        let approved = if self.has_icons {
            approved.clone()
        } else {
            approved.clone().with_icons_of(&listed)
        };
        let facts = approved.changed_facts(&listed);
        let is_taken = is_compatible(&approved, &listed);
        let held = HeldDefinition {
            approved: Some(Arc::new(approved)),
            sent: None,
            facts,
        };
        // `new` concerns new tools alone, so a change of an approved one needs `all`.
        let kind = match trust.level {
            _ if is_taken => "compatible change",
            ServerTrust::All => "change, because the server is trusted",
            _ => return Some(held),
        };
        (!self.take(listed, kind)).then_some(held)
    }

    /// Approves a contract, unless the lock would exceed its limits.
    fn take(&mut self, contract: ToolContract, kind: &'static str) -> bool {
        // A replaced contract counts twice until the next review, which errs on the safe side.
        let bytes = self.bytes.unwrap_or_else(|| self.lock.size()) + contract.size();
        let is_new = self.lock.get(contract.name()).is_none();
        if bytes > BYTES_MAX || (is_new && self.lock.len() >= TOOLS_MAX) {
            return false;
        }
        self.bytes = Some(bytes);
        self.taken.push(TakenChange {
            tool: contract.name().to_owned(),
            kind,
        });
        self.lock.to_mut().insert(contract);
        true
    }

    /// Logs the outcome, and returns what is held.
    pub(crate) fn finish(self, server: &str, what: &str) -> HeldDefinitions {
        if self.is_first_use && !self.taken.is_empty() {
            tracing::info!(
                server,
                count = self.taken.len(),
                "approved the {what} of an upstream at its first use"
            );
        } else {
            for group in group_by(&self.taken, |taken| taken.kind) {
                let tools = render_names(group.iter().map(|taken| taken.tool.as_str()));
                match group.as_slice() {
                    [] => {}
                    [TakenChange { tool, kind }] => {
                        tracing::info!(server, tool, kind, "approved a change of an upstream");
                    }
                    [TakenChange { kind, .. }, ..] => {
                        let count = group.len();
                        tracing::info!(
                            server,
                            tools,
                            count,
                            kind,
                            "approved changes of an upstream"
                        );
                    }
                }
            }
        }
        if !self.held.is_empty() {
            let count = self.held.len();
            tracing::warn!(
                server,
                count,
                "{what} are held; review them with `pd-gateway approve {server}`"
            );
        }
        self.held
    }
}

/// What is approved without a person.
#[derive(Debug, Clone, Copy)]
struct Trust {
    takes_new: bool,
    level: ServerTrust,
}

impl Trust {
    const NONE: Self = Self {
        takes_new: false,
        level: ServerTrust::Approved,
    };
}

/// Returns whether callers of the approved contract are safe with the listed one, and the listed
/// one has no text that a person has not approved.
pub(crate) fn is_compatible(approved: &ToolContract, listed: &ToolContract) -> bool {
    approved.changes_to(listed).breaking() == 0
        && has_same_hints(approved, listed)
        && texts::compare(approved.facts(), listed.facts()).is_empty()
}

/// Returns whether the annotations have the same effect. A change in either direction is held: one
/// breaks callers, and after the other a host may no longer ask the user.
fn has_same_hints(approved: &ToolContract, listed: &ToolContract) -> bool {
    HINT_DEFAULTS
        .iter()
        .all(|(hint, default)| approved.hint(hint, *default) == listed.hint(hint, *default))
}

/// Returns whether a lock has a size that may be written.
pub(crate) fn is_within_limits(lock: &ContractLock) -> bool {
    lock.len() <= TOOLS_MAX && lock.size() <= BYTES_MAX
}

#[cfg(test)]
mod tests;
