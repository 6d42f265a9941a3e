//! Conversion of names to TypeScript identifiers.

/// Words that cannot name a function in a module. The last two are reserved in CommonJS.
const RESERVED: [&str; 51] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "undefined",
    "require",
    "exports",
];

/// Converts `file_history` to `fileHistory`, and `API-get` to `apiGet`.
pub(super) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    // A first word in capitals is an acronym, and becomes lower case as a whole.
    let acronym = words(name)
        .next()
        .filter(|word| !word.bytes().any(|byte| byte.is_ascii_lowercase()));
    let lowered = acronym.map_or(1, str::len);
    let (first, rest) = pascal.split_at_checked(lowered).unwrap_or((&pascal, ""));
    let camel = format!("{}{rest}", first.to_ascii_lowercase());
    if RESERVED.contains(&camel.as_str()) {
        format!("{camel}_")
    } else {
        camel
    }
}

/// Converts `file_history` to `FileHistory`.
pub(super) fn pascal(name: &str) -> String {
    let pascal: String = words(name).flat_map(capitalize).collect();
    let is_name = pascal.starts_with(|first: char| first.is_ascii_alphabetic());
    // An identifier must not begin with a digit. The prefix also covers names without any ASCII
    // letter or digit.
    if is_name {
        pascal
    } else {
        format!("_{pascal}")
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn capitalize(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
}

/// Returns whether a property of this name needs no quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let are_plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$'));
    are_plain && !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, identifier) in [
            ("log", "log"),
            ("file_history", "fileHistory"),
            ("a.b-c__d", "aBCD"),
            ("GetItem", "getItem"),
            ("API-get-a-page", "apiGetAPage"),
            ("A", "a"),
        ] {
            assert_eq!(camel(name), identifier);
        }
        assert_eq!(
            [camel("delete"), camel("2fa"), camel("__")],
            ["delete_", "_2fa", "_"]
        );
        // TypeScript reports TS2441 if the file is compiled to CommonJS.
        assert_eq!(
            [camel("require"), camel("exports"), camel("module")],
            ["require_", "exports_", "module"]
        );
        assert_eq!([pascal("file_history"), pascal("äb")], ["FileHistory", "B"]);
        assert!(is_plain("a_$1") && !is_plain("1a") && !is_plain("a-b") && !is_plain(""));
    }
}
