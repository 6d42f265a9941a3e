//! Bundles come into the registry as they are written, in generic code too, and none takes a tool's place.

use pd_runtime::prelude::*;

struct Shelf<T>(T);

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title")]
    fn find(&self) {}

    #[pd_tool(summary = "Borrow a thing")]
    fn borrow(&self) {}

    fn registry() -> Registry<Self> {
        pd_runtime::registry! {
            /// Find a thing and take it home.
            ///
            /// Ask first whether it is there.
            bundle r#take_home: { Self::find, #[cfg(all())] Self::borrow },
            /// What is on the shelf.
            things: Self::{find, borrow},
            #[cfg(any())]
            /// Gone.
            bundle gone: Self::gone,
        }
    }
}

fn main() {
    let registry = Shelf::<u8>::registry().with_prefix("east_");
    registry.check().unwrap();
    let [bundle] = registry.bundles() else { panic!("one bundle, not {:?}", registry.bundles()) };
    assert_eq!((bundle.name.as_str(), bundle.summary.as_str()), ("east-take-home", "Find a thing and take it home"));
    assert_eq!(
        (bundle.instructions.as_str(), bundle.tools.join(" ")),
        ("Ask first whether it is there.", "east_find east_borrow".to_owned())
    );
    assert_eq!((registry.top_level().count(), registry.len()), (0, 2));
}
