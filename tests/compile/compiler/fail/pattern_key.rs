//! A pattern that names no unit struct is a variable. Where nothing else gives it a type, it has that of a value that never
//! exists, and an error about it names that type alone. Where a function in the same body is missing, rustc reports only the
//! function. Relied on by `emit_call` in `pd-macros/src/fallback.rs`.

trait Key<F> {}

struct NowKey;
impl<F> Key<F> for NowKey {}

fn now() {}
fn log() {}

const fn keyed<K: Key<F>, F>(_function: &F, _key: fn(K) -> K) {}

macro_rules! find {
    ($function:ident, $key:ident) => {
        const _: () = keyed(&$function, |$key| loop {});
    };
}

find!(now, NowKey);
find!(log, LogKey);
find!(logs, LogsKey);

fn main() {}
