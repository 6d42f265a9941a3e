//! The documents, and the facts that each has a place for.

use clap::ValueEnum;

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CardForm {
    /// The card for clients that are not connected (SEP-2127)
    ServerCard,
    /// The entry in MCP's registry
    #[value(name = "server.json")]
    ServerJson,
    /// The manifest of a bundle for desktop hosts
    Mcpb,
}

/// A fact, and the documents that have a place for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactUse {
    flag: &'static str,
    forms: &'static [CardForm],
}

impl FactUse {
    pub(super) const REMOTE: Self =
        Self::new("--remote", &[CardForm::ServerCard, CardForm::ServerJson]);
    pub(super) const PACKAGE: Self = Self::new("--package", &[CardForm::ServerJson]);
    pub(super) const ARGUMENT: Self =
        Self::new("--argument", &[CardForm::ServerJson, CardForm::Mcpb]);
    pub(super) const AUTHOR: Self = Self::new("--author", &[CardForm::Mcpb]);
    pub(super) const LICENSE: Self = Self::new("--license", &[CardForm::Mcpb]);
    pub(super) const ENTRY_POINT: Self = Self::new("--entry-point", &[CardForm::Mcpb]);
    pub(super) const COMMAND: Self = Self::new("--command", &[CardForm::Mcpb]);
    pub(super) const PLATFORM: Self = Self::new("--platform", &[CardForm::Mcpb]);

    const fn new(flag: &'static str, forms: &'static [CardForm]) -> Self {
        Self { flag, forms }
    }

    /// Returns whether the document has a place for the fact.
    pub(super) fn is_in(self, form: CardForm) -> bool {
        self.forms.contains(&form)
    }

    /// Renders the error for a document without a place for the fact.
    pub(super) fn refusal(self, form: CardForm) -> String {
        let places: Vec<_> = self
            .forms
            .iter()
            .map(|form| format!("`--as {}`", name_of(*form)))
            .collect();
        format!(
            "`{}` has no place in `{}`; leave it out, or write {}",
            self.flag,
            name_of(form),
            places.join(" or ")
        )
    }
}

fn name_of(form: CardForm) -> String {
    form.to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}
