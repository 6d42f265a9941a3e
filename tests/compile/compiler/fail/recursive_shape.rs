//! A constant of a recursive type that holds its own type's constant is a cycle (E0391), behind a reference too.
//!
//! So the const shape of a type cannot go into itself.

enum Shape {
    Text,
    Object(&'static [(&'static str, Shape)]),
    List(&'static Shape),
}

trait Shaped {
    const SHAPE: Shape;
}

impl Shaped for String {
    const SHAPE: Shape = Shape::Text;
}

impl<T: Shaped> Shaped for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

struct Tree;

impl Shaped for Tree {
    const SHAPE: Shape = Shape::Object(&[("name", String::SHAPE), ("children", <Vec<Tree>>::SHAPE)]);
}

const _: Shape = Tree::SHAPE;

fn main() {}
