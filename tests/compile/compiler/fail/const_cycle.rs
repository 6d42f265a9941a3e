//! Constants that name each other are a cycle (E0391), though only through a reference.
//!
//! So related tools are named through constants of their own; see `pass/const_names.rs`.

struct Tool {
    name: &'static str,
    related: &'static [&'static str],
}

const LOG: Tool = Tool { name: "log", related: &[SHOW.name] };
const SHOW: Tool = Tool { name: "show", related: &[LOG.name] };

fn main() {}
