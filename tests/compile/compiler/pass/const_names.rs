//! Constants whose names are constants of their own may name each other.
//!
//! This is why `__PD_NAME_LOG` stands beside `__PD_TOOL_LOG`; see `fail/const_cycle.rs`.

struct Tool {
    name: &'static str,
    related: &'static [&'static str],
}

const NAME_LOG: &str = "log";
const NAME_SHOW: &str = "show";
const LOG: Tool = Tool { name: NAME_LOG, related: &[NAME_SHOW] };
const SHOW: Tool = Tool { name: NAME_SHOW, related: &[NAME_LOG] };

fn main() {
    assert_eq!((LOG.name, SHOW.name), (SHOW.related[0], LOG.related[0]));
}
