//! With `on_unimplemented` on a trait and `do_not_recommend` on its blanket impl, a type that misses is one error, in the
//! trait's words; without the latter it would be about the impl's bounds.
//!
//! This is how a bad argument, result, error or state is told.

#[diagnostic::on_unimplemented(message = "`{Self}` cannot be an argument", label = "not an argument type")]
trait Argument {}

#[diagnostic::do_not_recommend]
impl<T: std::str::FromStr + Clone> Argument for T {}

const fn argument<T: Argument>() {}

struct Query;

const _: () = argument::<Query>();
const _: () = argument::<Vec<Query>>();

fn main() {}
