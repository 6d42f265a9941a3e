//! A struct that carries the lifetime binds it, whatever the associated type does; closures coerce to the pointer.
//!
//! `Declared::handler` is one; see `fail/lifetime_in_projection.rs`.

trait Needs {
    type Lent<'a>;
}

impl<T: 'static> Needs for (T,) {
    type Lent<'a> = (&'a T,);
}

struct Borrowed<'a, N: Needs> {
    lent: N::Lent<'a>,
}

type Handler<N> = for<'a> fn(Borrowed<'a, N>) -> Box<dyn Fn() -> usize + 'a>;

const LENGTH: Handler<(String,)> = |call| Box::new(move || call.lent.0.len());

fn main() {
    let state = String::from("state");
    assert_eq!(LENGTH(Borrowed { lent: (&state,) })(), 5);
}
