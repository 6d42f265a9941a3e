//! Images, audio and blobs of a run. A program gets a handle for each, and what it returns of them
//! leaves unchanged.

use parking_lot::Mutex;
use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The member of a handle that names it.
const HANDLE: &str = "handle";

/// The media that tools returned to a program.
#[derive(Debug)]
pub(super) struct MediaHandles {
    blocks: Mutex<Vec<ContentBlock>>,
    bytes: Mutex<usize>,
    bytes_max: usize,
}

impl MediaHandles {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            blocks: Mutex::default(),
            bytes: Mutex::default(),
            bytes_max,
        }
    }

    /// Keeps a block and returns its handle: `{handle, mime_type, bytes}`. `bytes` is the length of
    /// the Base64 text. Returns `None` if the run holds too many bytes already.
    pub(super) fn keep(&self, block: ContentBlock) -> Option<Value> {
        let (mime_type, bytes) = media(&block)?;
        let mut total = self.bytes.lock();
        let next = total
            .checked_add(bytes)
            .filter(|next| *next <= self.bytes_max)?;
        *total = next;
        // Always locked after `bytes`, so that two calls cannot wait for each other.
        let mut blocks = self.blocks.lock();
        blocks.push(block);
        Some(
            json!({ HANDLE: format!("media-{}", blocks.len()), "mime_type": mime_type, "bytes": bytes }),
        )
    }

    /// Returns the media that an answer names by their handles, each once, in the order of the
    /// calls.
    pub(super) fn in_answer(&self, answer: &Value) -> Vec<ContentBlock> {
        let mut names = HashSet::new();
        collect_handles(answer, &mut names);
        let blocks = self.blocks.lock();
        let returned = blocks
            .iter()
            .enumerate()
            .filter(|(place, _)| names.contains(format!("media-{}", *place + 1).as_str()));
        returned.map(|(_, block)| block.clone()).collect()
    }
}

fn collect_handles<'a>(value: &'a Value, names: &mut HashSet<&'a str>) {
    match value {
        Value::Object(members) => {
            // serde_json reads at most 128 levels, so the recursion is bounded.
            names.extend(members.get(HANDLE).and_then(Value::as_str));
            members
                .values()
                .for_each(|member| collect_handles(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_handles(item, names)),
        _ => {}
    }
}

/// Returns the media type and the size of a block that is not a text.
pub(super) fn media(block: &ContentBlock) -> Option<(String, usize)> {
    match block {
        ContentBlock::Image(image) => Some((image.mime_type.clone(), image.data.len())),
        ContentBlock::Audio(audio) => Some((audio.mime_type.clone(), audio.data.len())),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::BlobResourceContents {
                mime_type, blob, ..
            } => Some((
                mime_type
                    .clone()
                    .unwrap_or_else(|| "application/octet-stream".to_owned()),
                blob.len(),
            )),
            _ => None,
        },
        _ => None,
    }
}
