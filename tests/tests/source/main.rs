//! Properties of the sources themselves: lints, layers, and the items that users can name.

mod layers;
mod lints;
mod public_items;
