//! The serde attributes that change a type's JSON. serde's own derive reports errors in them.

use crate::attributes::called;
use syn::{Attribute, Ident, LitStr, Token, ext::IdentExt, meta::ParseNestedMeta};

/// The serde attributes of a struct, an enum, a field or a variant.
#[derive(Default)]
pub(super) struct SerdeAttributes {
    pub(super) rename: Option<String>,
    pub(super) rename_all: Option<RenameRule>,
    pub(super) aliases: Vec<String>,
    pub(super) has_default: bool,
    pub(super) is_skipped: bool,
    pub(super) is_flattened: bool,
    pub(super) is_transparent: bool,
    /// True for the variant that serde chooses for every unknown name (`#[serde(other)]`).
    pub(super) is_other: bool,
    /// True if a function or another type deserializes the value, so that its JSON is unknown.
    pub(super) is_foreign: bool,
}

/// A rule of `rename_all`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RenameRule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl SerdeAttributes {
    /// Parses every `#[serde(…)]`.
    pub(super) fn read(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for attribute in called(attributes, "serde") {
            // serde's own derive reports a syntax error here.
            let _ = attribute.parse_nested_meta(|meta| serde.read_meta(&meta));
        }
        serde
    }

    /// Returns the name in JSON: the explicit `rename`, otherwise the name under `rename_all`,
    /// otherwise the Rust name.
    pub(super) fn name(&self, cased: Option<String>, ident: &Ident) -> String {
        self.rename
            .clone()
            .or(cased)
            .unwrap_or_else(|| ident.unraw().to_string())
    }

    fn read_meta(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let key = meta
            .path
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        match key.as_str() {
            // Arguments are only deserialized, so names for serialization do not matter.
            "rename" => self.rename = for_reading(meta)?,
            "rename_all" => {
                self.rename_all = for_reading(meta)?.and_then(|case| RenameRule::from_name(&case))
            }
            "alias" => self.aliases.extend(value(meta)?),
            "default" => {
                self.has_default = true;
                value(meta)?;
            }
            "skip" | "skip_deserializing" => self.is_skipped = true,
            "flatten" => self.is_flattened = true,
            "transparent" => self.is_transparent = true,
            "other" => self.is_other = true,
            // These keys let other code deserialize the value, or change the representation of an
            // enum.
            "with" | "deserialize_with" | "from" | "try_from" | "remote" | "tag" | "untagged"
            | "content" => {
                self.is_foreign = true;
                value(meta)?;
            }
            _ => ignore(meta)?,
        }
        Ok(())
    }
}

/// Parses an optional `= "text"`.
fn value(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if meta.input.peek(Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    Ok(None)
}

/// Parses `= "text"` or `(serialize = "…", deserialize = "text")`, and returns the name for
/// deserialization.
fn for_reading(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if !meta.input.peek(syn::token::Paren) {
        return value(meta);
    }
    let mut read = None;
    meta.parse_nested_meta(|inner| {
        let text = value(&inner)?;
        if inner.path.is_ident("deserialize") {
            read = text;
        }
        Ok(())
    })?;
    Ok(read)
}

/// Skips a key that has no effect on the JSON, and its value.
fn ignore(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        // One token tree at a time, because a comma inside of a group does not end the key.
        meta.input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

impl RenameRule {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// Applies the rule to a variant's name, which Rust writes in `PascalCase`.
    pub(super) fn apply_to_variant(self, variant: &Ident) -> String {
        let name = variant.unraw().to_string();
        match self {
            Self::Pascal => name,
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => with_first(&name, |first| first.to_ascii_lowercase()),
            other => other.apply_to_words(&snake(&name)),
        }
    }

    /// Applies the rule to a field's name, which Rust writes in `snake_case`.
    pub(super) fn apply_to_field(self, field: &Ident) -> String {
        let name = field.unraw().to_string();
        match self {
            Self::Pascal => pascal(&name),
            Self::Camel => with_first(&pascal(&name), |first| first.to_ascii_lowercase()),
            // serde expects fields in lower case, and does not change them.
            Self::Lower => name,
            Self::Upper => name.to_ascii_uppercase(),
            other => other.apply_to_words(&name),
        }
    }

    fn apply_to_words(self, snake: &str) -> String {
        match self {
            Self::ScreamingSnake => snake.to_ascii_uppercase(),
            Self::Kebab => snake.replace('_', "-"),
            Self::ScreamingKebab => snake.to_ascii_uppercase().replace('_', "-"),
            // Only `Snake` is left.
            _ => snake.to_owned(),
        }
    }
}

/// Inserts an underscore before every capital except the first, as serde does.
fn snake(pascal: &str) -> String {
    let mut snake = String::new();
    for (index, letter) in pascal.char_indices() {
        if index > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn pascal(snake: &str) -> String {
    snake
        .split('_')
        .map(|word| with_first(word, |first| first.to_ascii_uppercase()))
        .collect()
}

fn with_first(word: &str, change: impl Fn(char) -> char) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(change)
        .into_iter()
        .chain(letters)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn names_change_as_serde_changes_them() {
        let cases = [
            ("lowercase", "newestfirst", "page_size"),
            ("UPPERCASE", "NEWESTFIRST", "PAGE_SIZE"),
            ("PascalCase", "NewestFirst", "PageSize"),
            ("camelCase", "newestFirst", "pageSize"),
            ("snake_case", "newest_first", "page_size"),
            ("SCREAMING_SNAKE_CASE", "NEWEST_FIRST", "PAGE_SIZE"),
            ("kebab-case", "newest-first", "page-size"),
            ("SCREAMING-KEBAB-CASE", "NEWEST-FIRST", "PAGE-SIZE"),
        ];
        for (name, variant, field) in cases {
            let case = RenameRule::from_name(name);
            assert_eq!(
                case.map(|case| case.apply_to_variant(&parse_quote!(NewestFirst)))
                    .as_deref(),
                Some(variant)
            );
            assert_eq!(
                case.map(|case| case.apply_to_field(&parse_quote!(page_size)))
                    .as_deref(),
                Some(field)
            );
        }
    }

    #[test]
    fn what_matters_is_read_among_what_does_not() {
        let attributes: [Attribute; 2] = [
            parse_quote!(#[serde(skip_serializing_if = "Option::is_none", rename(serialize = "a", deserialize = "b"))]),
            parse_quote!(#[serde(default = "one", alias = "c", alias = "d", bound(deserialize = "T: X"))]),
        ];
        let serde = SerdeAttributes::read(&attributes);
        assert_eq!(serde.rename.as_deref(), Some("b"));
        assert_eq!(serde.aliases, ["c", "d"]);
        assert!(serde.has_default && !serde.is_foreign);
    }
}
