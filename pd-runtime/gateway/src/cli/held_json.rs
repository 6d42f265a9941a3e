//! What waits for approval, as JSON.

use crate::{HeldTool, TextChange};
use serde::Serialize;

/// A tool or another text of a server that is held.
#[derive(Debug, Serialize)]
pub(super) struct HeldDocument {
    server: String,
    kind: &'static str,
    name: String,
    is_new: bool,
    changes: Vec<HeldChange>,
    texts: Vec<HeldText>,
}

/// A change of a contract.
#[derive(Debug, Serialize)]
struct HeldChange {
    breaking: bool,
    description: String,
}

/// A text before and after.
#[derive(Debug, Serialize)]
struct HeldText {
    place: String,
    old: Option<String>,
    new: Option<String>,
}

impl HeldDocument {
    pub(super) fn new(held: &HeldTool) -> Self {
        let changes = held.changes.iter();
        let texts = held.texts.iter().map(
            |TextChange {
                 place, old, new, ..
             }| HeldText {
                place: place.clone(),
                old: old.clone(),
                new: new.clone(),
            },
        );
        Self {
            server: held.server.clone(),
            kind: held.kind.as_str(),
            name: held.tool.clone(),
            is_new: held.is_new,
            changes: changes
                .map(|change| HeldChange {
                    breaking: change.breaking,
                    description: change.description.clone(),
                })
                .collect(),
            texts: texts.collect(),
        }
    }
}
