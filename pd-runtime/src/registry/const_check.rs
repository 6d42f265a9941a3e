//! What `registry!` judges while the author's crate compiles: that no two tools have one name, that related tools and those
//! of bundles are there, that the listing keeps to its budget. `const` and linear, since rustc gives up on what takes long.
//! What only a run can see is judged by `registry::check`, which judges this once more.

#![allow(clippy::indexing_slicing, reason = "what a place may be is bounded by `N`, and `get` is not const")]

mod cost;
mod fallback;
mod rules;

pub(crate) use cost::listing_cost;
pub use fallback::{NO_SUCH_TOOL, NoSuchTool};
pub use rules::{judge, judge_bundled, judge_name, within};

use crate::{text::const_str::is_same, tool::descriptor::Facts};

/// A tool of a literal: the path that lists it, and what is said about it.
pub(crate) type Listed<'a> = (&'a str, &'a Facts);

/// Stands where a `cfg` takes a tool away, so that the others keep their places.
pub const ABSENT: Listed<'static> = ("", &NO_SUCH_TOOL.facts);

/// The tools of a literal in order, to be found by name.
#[derive(Debug)]
pub struct Contents<'a, const N: usize> {
    tools: [Listed<'a>; N],
    /// The place of the first tool with this one's name: its own, most often.
    firsts: [usize; N],
    hashes: [u64; N],
    /// The last tool that was filed in each bucket, and the one filed there before each tool.
    heads: [usize; N],
    next: [usize; N],
}

/// Stands in a bucket where no more tools follow.
const END: usize = usize::MAX;

/// Reads the tools of a literal.
pub const fn contents<'a, const N: usize>(tools: [Listed<'a>; N]) -> Contents<'a, N> {
    let mut contents = Contents { tools, firsts: [END; N], hashes: [0; N], heads: [END; N], next: [END; N] };
    let mut at = 0;
    while at < N {
        contents.file(at);
        at += 1;
    }
    contents
}

impl<'a, const N: usize> Contents<'a, N> {
    const fn file(&mut self, at: usize) {
        let hash = hash(self.tools[at].1.name);
        self.hashes[at] = hash;
        self.firsts[at] = self.find(hash);
        if self.firsts[at] == END {
            let bucket = (hash % N as u64) as usize;
            self.firsts[at] = at;
            self.next[at] = self.heads[bucket];
            self.heads[bucket] = at;
        }
    }

    /// The place of the first tool whose name has this hash, or [`END`].
    ///
    /// Names are not compared: that two have one hash will not happen, and if it does, the check at run time still tells
    /// what is missing.
    const fn find(&self, hash: u64) -> usize {
        if N == 0 {
            return END;
        }
        let mut at = self.heads[(hash % N as u64) as usize];
        while at != END && self.hashes[at] != hash {
            at = self.next[at];
        }
        at
    }

    /// Whether no tool is called so. What has no name is no tool, and told of elsewhere.
    const fn lacks(&self, name: &str) -> bool {
        !name.is_empty() && self.find(hash(name)) == END
    }

    /// All names in order, with nothing in the place of one of them.
    const fn names_but(&self, not: &str) -> [&'a str; N] {
        let (mut names, mut at) = ([""; N], 0);
        while at < N {
            if !is_same(self.tools[at].1.name, not) {
                names[at] = self.tools[at].1.name;
            }
            at += 1;
        }
        names
    }
}

/// In the manner of FNV-1a, but eight bytes at a time: in the compiler's interpreter every step is dear.
const fn hash(text: &str) -> u64 {
    const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
    let (mut hash, mut bytes) = (text.len() as u64, text.as_bytes());
    while let [a, b, c, d, e, f, g, h, rest @ ..] = bytes {
        hash = (hash ^ u64::from_ne_bytes([*a, *b, *c, *d, *e, *f, *g, *h])).wrapping_mul(PRIME);
        hash ^= hash >> 32;
        bytes = rest;
    }
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(PRIME);
        bytes = rest;
    }
    hash ^ hash >> 32
}
