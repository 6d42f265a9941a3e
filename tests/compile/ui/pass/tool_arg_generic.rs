//! A type parameter may stand where nothing is known of the JSON: in a marker, in another crate's type, in a projection.

use pd_runtime::prelude::*;
use serde::Deserialize;
use std::{collections::HashMap, marker::PhantomData};

trait Store {
    type Id: serde::de::DeserializeOwned + schemars::JsonSchema;
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Id<T>(u64, #[serde(skip)] PhantomData<T>);

#[derive(Deserialize, schemars::JsonSchema)]
struct Foreign<T>(T);

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Page<T> {
    items: Vec<Foreign<T>>,
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Marks<T, U> {
    marks: HashMap<String, Vec<(T, u8)>>,
    others: Option<(U, Foreign<u8>)>,
    large: Option<[u128; 2]>,
}

/// # Examples
///
/// ```json
/// { "marks": { "marks": { "a": [[true, 1]] }, "others": [5, 6], "large": [0, 18446744073709551615] } }
/// ```
#[pd_tool(summary = "Mark a user with a word")]
fn mark(marks: Marks<bool, Foreign<u8>>) {
    let _ = (marks.marks, marks.others, marks.large);
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(bound = "")]
struct Query<S: Store> {
    id: S::Id,
}

fn main() {
    let _ = |id: Id<u8>, page: Page<u8>| (id.0, id.1, page.items.into_iter().map(|Foreign(item)| item).next());
    fn id<S: Store>(query: Query<S>) -> S::Id {
        query.id
    }
    let _ = id::<u8>;
    let registry: Registry<()> = pd_runtime::registry! { mark };
    assert!(registry.check().is_ok());
}

impl Store for u8 {
    type Id = String;
}
