//! The comparison of names of servers, as clients compare them.

/// Compares names as clients do: by letters, digits, `_` and `-`, in any case.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    // All letters of another script become `_`, so two such names of one length would be equal.
    one == other || (one.is_ascii() && other.is_ascii() && normalized(one) == normalized(other))
}

fn normalized(name: &str) -> String {
    let characters = name.trim().chars();
    characters
        .map(|one| {
            if one.is_ascii_alphanumeric() || one == '-' {
                one.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_script_is_only_itself() {
        assert!(is_same_name("My Server", "my_server") && is_same_name("dbé", "dbé"));
        for (one, other) in [("db_", "dbé"), ("dbé", "db_"), ("dbé", "dbü")] {
            assert!(!is_same_name(one, other), "{one} {other}");
        }
    }
}
