//! Comparing strings in const functions, where `==` is not to be had.

/// `==`
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
        && *first == *same
    {
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

/// Whether `texts` contains `text`.
pub(crate) const fn holds(mut texts: &[&str], text: &str) -> bool {
    while let [one, rest @ ..] = texts {
        if is_same(one, text) {
            return true;
        }
        texts = rest;
    }
    false
}
