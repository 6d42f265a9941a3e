//! The members of an object.

use serde_json::{Map, Value};

/// The most members that are compared one by one. A hash of a name costs as much as ten
/// comparisons.
const COMPARED_MAX: usize = 8;

/// Returns a member of an object, as [`Map::get`] does. It is faster for objects of few members, as
/// arguments are.
pub fn find<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if object.len() > COMPARED_MAX {
        return object.get(name);
    }
    object
        .iter()
        .find_map(|(known, value)| (known == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_of_small_and_large_objects_are_found() {
        for count in [0, 1, COMPARED_MAX, COMPARED_MAX + 1, 100] {
            let object: Map<_, _> = (0..count)
                .map(|number| (format!("m{number}"), json!(number)))
                .collect();
            for number in 0..count {
                assert_eq!(
                    find(&object, &format!("m{number}")),
                    Some(&json!(number)),
                    "of {count}"
                );
            }
            assert_eq!(find(&object, "m"), None, "of {count}");
        }
    }
}
