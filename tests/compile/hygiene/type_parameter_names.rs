//! A type parameter of an impl may be called like a variant of the module; where it is called like a type or a trait, or a
//! local type like another, `unchecked` says so.

#![deny(warnings)]

use pd_runtime::prelude::*;
use serde::de::DeserializeOwned;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
enum Order {
    Newest,
}

trait Key: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static {}

enum Part {
    K,
}
use Part::*;

struct ByType<T>(T);
struct ByTrait<T>(T);
struct ByVariant<T>(T);

impl<Order: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static> ByType<Order> {
    /// # Examples
    ///
    /// ```json
    /// { "order": 7 }
    /// ```
    #[pd_tool(summary = "Find by a type's name")]
    fn find(&self, #[arg(unchecked)] order: Order) {
        let _ = (order, &self.0);
    }
}

impl<Key: self::Key> ByTrait<Key> {
    /// # Examples
    ///
    /// ```json
    /// { "key": 7 }
    /// ```
    #[pd_tool(summary = "Find by a trait's name")]
    fn find(&self, #[arg(unchecked)] key: Key) {
        let _ = (key, &self.0);
    }
}

impl<K: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static> ByVariant<K> {
    /// # Examples
    ///
    /// ```json
    /// { "key": 7 }
    /// ```
    #[pd_tool(summary = "Find by a variant's name")]
    fn find(&self, key: K) {
        let _ = (key, &self.0);
    }
}

impl Key for u8 {}

fn main() {
    #[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
    enum Order {
        Oldest,
    }

    struct Local;

    impl Local {
        /// # Examples
        ///
        /// ```json
        /// { "order": "Oldest" }
        /// ```
        #[pd_tool(summary = "Find by a local type")]
        fn find(&self, #[arg(unchecked)] order: Order) {
            let Order::Oldest = order;
        }
    }

    let _: Registry<ByType<u8>> = pd_runtime::registry! { ByType::<u8>::find };
    let _: Registry<ByTrait<u8>> = pd_runtime::registry! { ByTrait::<u8>::find };
    let _: Registry<ByVariant<u8>> = pd_runtime::registry! { ByVariant::<u8>::find };
    let _: Registry<Local> = pd_runtime::registry! { Local::find };
    let _ = (K, self::Order::Newest);
}
