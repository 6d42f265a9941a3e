//! `#[cfg]` works on parameters, `let`, the arguments of a call, elements of an array, fields and arms.
//!
//! What `#[pd_tool]` and `registry!` generate for a parameter or an entry has the author's `#[cfg]`s.

struct Facts {
    arguments: &'static [&'static str],
    #[cfg(any())]
    missing: Missing,
}

fn search(text: &str, #[cfg(any())] missing: Missing, #[cfg(all())] limit: usize) -> usize {
    text.len() + limit
}

fn main() {
    #[cfg(any())]
    let missing = missing();
    #[cfg(all())]
    let limit = 2;
    let found = search(
        "text",
        #[cfg(any())]
        missing,
        #[cfg(all())]
        limit,
    );
    let facts = Facts {
        arguments: &[
            "text",
            #[cfg(any())]
            missing,
            #[cfg(all())]
            "limit",
        ],
        #[cfg(any())]
        missing,
    };
    match facts.arguments.len() {
        #[cfg(any())]
        2 => unreachable!(),
        arguments => assert_eq!((arguments, found), (2, 6)),
    }
}
