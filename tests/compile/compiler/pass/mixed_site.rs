//! With mixed-site hygiene a macro's variables are its own, while its items are found by name.
//!
//! A tool's parameter may be called like a variable of the generated handler, and `registry!` finds constants that
//! `#[pd_tool]` wrote. (A `macro_rules!` stands here for `Span::mixed_site`.)

macro_rules! handler {
    ($parameter:ident) => {
        const TOOL: fn(usize) -> (usize, usize) = |call| {
            let $parameter = call + 1;
            (call, $parameter)
        };
    };
}

handler!(call);

fn main() {
    assert_eq!(TOOL(1), (1, 2));
}
