//! A lifetime that stands in an associated type only is not bound by a function pointer's `for` (E0581).
//!
//! So handlers take a `Borrowed<'a, N>`; see `pass/lifetime_in_wrapper.rs`.

trait Needs {
    type Lent<'a>;
}

struct Future<'a>(&'a ());

type Handler<N> = for<'a> fn(<N as Needs>::Lent<'a>) -> Future<'a>;

fn main() {}
