//! String comparison in const functions, where `==` is not available.

/// Compares two strings, like `==`.
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let mut one = one.as_bytes();
    let mut other = other.as_bytes();
    // Stops at the first difference. Both are empty at the end only if all bytes were equal.
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
        && *first == *same
    {
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

/// Returns whether `texts` contains `text`.
pub(crate) const fn contains(mut texts: &[&str], text: &str) -> bool {
    while let [one, rest @ ..] = texts {
        if is_same(one, text) {
            return true;
        }
        texts = rest;
    }
    false
}
