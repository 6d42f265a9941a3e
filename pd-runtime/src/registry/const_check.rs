//! The checks that `registry!` runs while the author's crate compiles: that tool names are unique,
//! that related and bundled tools exist, and that the listing fits its budget. All of it is `const`
//! and linear, because rustc aborts long constant evaluations. `registry::check` repeats these
//! checks at run time, and adds those that need a value.

#![allow(
    clippy::indexing_slicing,
    reason = "what a place may be is bounded by `N`, and `get` is not const"
)]

mod cost;
mod fallback;
mod rules;

pub(crate) use cost::listing_cost;
pub use fallback::{NO_SUCH_TOOL, NoSuchTool};
pub use rules::{judge, judge_bundled, judge_name, within};

use crate::{
    text::const_str::is_same,
    tool::{descriptor::ToolFacts, view::Visibility},
};

/// A tool of a `registry!` literal: the path that lists it, and its facts.
pub(crate) type ListedTool<'a> = (&'a str, &'a ToolFacts);

/// The placeholder for a tool that a `cfg` removes, so that the others keep their indices.
pub const ABSENT: ListedTool<'static> = ("", &NO_SUCH_TOOL.facts);

/// The tools of a literal in order, with a hash table of their names. The table has `N` buckets,
/// and chains tools of one bucket through `next`.
#[derive(Debug)]
pub struct RegistryContents<'a, const N: usize> {
    tools: [ListedTool<'a>; N],
    /// For each tool the index of the first tool with its name: its own index, unless the name is a
    /// duplicate.
    firsts: [usize; N],
    hashes: [u64; N],
    /// The tool that was inserted last in each bucket.
    heads: [usize; N],
    /// For each tool the one that was inserted before it in its bucket.
    next: [usize; N],
}

/// The end of a bucket's chain.
const END: usize = usize::MAX;

/// Indexes the tools of a literal.
pub const fn contents<'a, const N: usize>(tools: [ListedTool<'a>; N]) -> RegistryContents<'a, N> {
    let mut contents = RegistryContents {
        tools,
        firsts: [END; N],
        hashes: [0; N],
        heads: [END; N],
        next: [END; N],
    };
    let mut at = 0;
    while at < N {
        // In order, so that an earlier tool of the same name is found first.
        contents.insert(at);
        at += 1;
    }
    contents
}

impl<'a, const N: usize> RegistryContents<'a, N> {
    const fn insert(&mut self, at: usize) {
        let hash = hash(self.tools[at].1.name);
        self.hashes[at] = hash;
        self.firsts[at] = self.find(hash);
        if self.firsts[at] == END {
            // Only the first tool of a name is inserted, so that a lookup always finds the first.
            let bucket = (hash % N as u64) as usize;
            self.firsts[at] = at;
            self.next[at] = self.heads[bucket];
            self.heads[bucket] = at;
        }
    }

    /// Returns the index of the first tool whose name has this hash, or [`END`].
    ///
    /// Names are not compared. A collision of two 64-bit hashes is not expected, and the check at
    /// run time compares the names themselves.
    const fn find(&self, hash: u64) -> usize {
        // `% N` would divide by zero.
        if N == 0 {
            return END;
        }
        let mut at = self.heads[(hash % N as u64) as usize];
        while at != END && self.hashes[at] != hash {
            at = self.next[at];
        }
        at
    }

    /// Returns whether no tool has this name. An empty name belongs to [`NO_SUCH_TOOL`], which is
    /// reported elsewhere.
    const fn lacks(&self, name: &str) -> bool {
        !name.is_empty() && self.find(hash(name)) == END
    }

    /// Returns whether the tool of this name is for models alone.
    const fn is_kept_from_views(&self, name: &str) -> bool {
        let at = self.find(hash(name));
        at != END && matches!(self.tools[at].1.visibility, Some(Visibility::Model))
    }

    /// Returns all names in order, with an empty text in place of one of them.
    const fn names_but(&self, not: &str) -> [&'a str; N] {
        let mut names = [""; N];
        let mut at = 0;
        while at < N {
            if !is_same(self.tools[at].1.name, not) {
                names[at] = self.tools[at].1.name;
            }
            at += 1;
        }
        names
    }
}

/// Hashes a name like FNV-1a, but eight bytes at a time: the compiler's interpreter counts every
/// step.
const fn hash(text: &str) -> u64 {
    const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
    let mut hash = text.len() as u64;
    let mut bytes = text.as_bytes();
    while let [a, b, c, d, e, f, g, h, rest @ ..] = bytes {
        hash = (hash ^ u64::from_ne_bytes([*a, *b, *c, *d, *e, *f, *g, *h])).wrapping_mul(PRIME);
        // The multiplication moves information only to higher bits. The shift moves it back, so
        // that `% N` sees all bytes.
        hash ^= hash >> 32;
        bytes = rest;
    }
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(PRIME);
        bytes = rest;
    }
    hash ^ hash >> 32
}
