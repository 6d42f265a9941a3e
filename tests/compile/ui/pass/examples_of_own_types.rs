//! Examples and defaults of every type that the compiler judges, and of those it leaves to `check`.

#![deny(warnings)]

use pd_runtime::{Args as Parameters, Registry, prelude::*, tool::Shape};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

mod types {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct Foreign {
        pub words: Vec<String>,
    }

    pub trait Store: Send + Sync + 'static {
        type Id: serde::de::DeserializeOwned + schemars::JsonSchema + Send;
    }

    impl Store for u8 {
        type Id = String;
    }
}
use types::{Foreign, Store};

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    #[serde(rename = "oldest", alias = "first")]
    OldestFirst,
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase", default)]
struct Page {
    page_size: u8,
    r#type: Option<Order>,
    #[serde(flatten)]
    more: HashMap<String, serde_json::Value>,
    #[serde(skip)]
    cached: bool,
}

impl Default for Page {
    fn default() -> Self {
        Self { page_size: 10, r#type: None, more: HashMap::new(), cached: true }
    }
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Tree {
    name: String,
    children: Vec<Tree>,
    #[tool_arg(unchecked)]
    #[serde(default)]
    other: Option<Box<Forest>>,
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Forest {
    trees: Vec<Tree>,
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Pair<A, B>(A, B);

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Id(u64);

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
struct Revision(String);

impl ToolArg for Revision {
    const SHAPE: Shape = Shape::Text;
}

/// A generic type whose parameter is a number.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(bound = "")]
struct Sized<const N: usize> {
    items: Vec<u8>,
}

type Maybe<T> = Option<T>;
const MOST: u32 = 100;

struct Users<T, const N: usize>(T);

impl<T: Store, const N: usize> Users<T, N> {
    const OWN: u32 = 7;

    /// # Examples
    ///
    /// ```json
    /// {
    ///   "id": "any", "order": "newest-first", "page": { "pageSize": 1e1, "extra": [1] },
    ///   "foreign": { "words": 5 }, "of_foreign": [1]
    /// }
    /// ```
    #[pd_tool(summary = "Find users of a store")]
    #[allow(clippy::too_many_arguments)]
    fn find(
        &self,
        id: T::Id,
        order: Order,
        #[arg(default = { "pageSize": 20, "type": "oldest" })] page: Page,
        foreign: Maybe<Wrong>,
        of_foreign: Option<Vec<types::Foreign>>,
        sized: Option<Sized<N>>,
        #[arg(default = MOST, maximum = 100)] limit: u32,
        #[arg(default = Self::OWN, maximum = 5)] own: u32,
        #[cfg(any())] gone: Order,
    ) {
        let _ = (&self.0, id, order, page, foreign, of_foreign, sized, limit, own);
    }
}

/// Nothing is known of it, so that an example which it refuses is for `check` to find.
#[derive(Deserialize, schemars::JsonSchema)]
struct Wrong {
    #[allow(dead_code)]
    words: Vec<String>,
}

/// # Examples
///
/// ```json
/// {
///   "tree": { "name": "a \"quoted\" \u00e4", "children": [{ "name": "b", "children": [], "n\u0061me2": 1 }] },
///   "pair": [1, "oldest"],
///   "ids": { "a": [1, 2.0] },
///   "revision": "HEAD",
///   "maybe": null,
///   "array": [1, 2],
///   "letter": "ä",
///   "any": { "x": [null] }
/// }
/// ```
#[pd_tool(summary = "Plant trees of a kind")]
#[allow(clippy::too_many_arguments)]
fn plant(
    tree: Tree,
    pair: Pair<u8, Order>,
    ids: BTreeMap<String, Vec<Id>>,
    revision: Revision,
    maybe: Maybe<Order>,
    array: [u8; 2],
    letter: char,
    any: serde_json::Value,
    absent: Maybe<Order>,
    #[arg(default = ["oldest"], min_items = 1)] orders: Vec<Order>,
) {
    let _ = (tree.name, tree.children, tree.other, pair.0, pair.1, ids, revision.0, maybe, array, letter, any, absent);
    let _ = orders;
}

/// # Examples
///
/// ```json
/// { "pageSize": 3, "more": "than known" }
/// ```
#[pd_tool(summary = "Turn to another page")]
fn turn(Parameters(page): Parameters<Page>) {
    let _ = (page.page_size, page.r#type, page.more, page.cached);
}

/// # Examples
///
/// ```json
/// { "words": ["a"] }
/// ```
#[pd_tool(summary = "Say words in order")]
fn say(Parameters(words): Parameters<Foreign>) {
    let _ = words.words;
}

fn registry() -> Registry<Users<u8, 4>> {
    pd_runtime::registry! { Users::<u8, 4>::find, turn, say }
}

fn main() {
    #[derive(Deserialize, schemars::JsonSchema, ToolArg)]
    enum Local {
        One,
    }

    struct Own;

    impl Own {
        /// # Examples
        ///
        /// ```json
        /// { "local": "One" }
        /// ```
        #[pd_tool(summary = "Tell a local type")]
        fn tell(&self, local: Local) {
            let Local::One = local;
        }
    }

    let registry_of_local: Registry<Own> = pd_runtime::registry! { Own::tell };
    assert_eq!(registry_of_local.len(), 1);
    let problems = registry().check().unwrap_err().to_string();
    assert!(problems.contains("the default of `own`") && problems.contains("foreign"), "{problems}");
    let plant: Registry<()> = pd_runtime::registry! { plant };
    let _ = (plant.len(), Order::NewestFirst, Order::OldestFirst, Forest { trees: vec![] }.trees, Id(1).0);
}
