//! Incomplete input, as an editor sends it: every prefix of the attribute, and a signature without
//! any one of its tokens. The function must survive each case with its body and without this
//! crate's attributes, or completion inside it stops.

use crate::expand::expand;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

fn args() -> TokenStream {
    quote!(
        summary = "List commits",
        related(Repo::show, Users::<u8>::find),
        read_only,
        idempotent = false,
        meta("a/b" = { "c": [1, -2.5, null] }),
        summary_max = 80
    )
}

fn item() -> TokenStream {
    quote! {
        /// Commits of one branch.
        ///
        /// # Examples
        ///
        /// ```json
        /// { "limit": 5, "order": "newest" }
        /// ```
        pub(crate) async fn log<'a>(
            &self,
            /// How many.
            #[arg(default = 20, minimum = 1)]
            limit: u32,
            #[cfg(all())] order: Vec<Order>,
            #[arg(rename = "type")] (kind, mut other): Kind,
            call: &CallContext,
        ) -> Result<Json<Log>, GitError>
        where
            Self: Sized,
        {
            self.half_typed.
        }
    }
}

const BODY: &str = "{ self . half_typed . }";

#[test]
fn the_function_survives_every_beginning_of_its_attribute() {
    let all: Vec<TokenTree> = args().into_iter().collect();
    for length in 0..=all.len() {
        let typed: TokenStream = all.iter().take(length).cloned().collect();
        let expanded = expand(typed.clone(), item());
        assert_survives(&expanded, &typed.to_string());
        assert!(expanded.to_string().contains("__PD_TOOL_LOG"), "{typed}");
    }
}

#[test]
fn the_function_survives_every_token_that_its_signature_lacks() {
    let mut cases = 0;
    for without in without_each(item()) {
        // Without its body, the function has no place to complete in.
        if without.to_string().contains(BODY) {
            cases += 1;
            assert_survives(&expand(args(), without.clone()), &without.to_string());
        }
    }
    // A guard against a test that passes because it has no cases.
    assert!(cases > 60, "{cases}");
}

fn assert_survives(expanded: &TokenStream, typed: &str) {
    let text = expanded.to_string();
    assert!(text.contains(BODY), "lost the body: {typed}\n{text}");
    assert!(
        !text.contains("# [arg") && !text.contains("# [doc = r\" How many"),
        "kept what is ours: {typed}\n{text}"
    );
}

/// Returns one token stream for each token, without that token. A group is removed as a whole, and
/// each token in it separately.
fn without_each(tokens: TokenStream) -> Vec<TokenStream> {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut lacking = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let with = |replaced: Option<TokenTree>| {
            all.iter()
                .take(at)
                .cloned()
                .chain(replaced)
                .chain(all.iter().skip(at + 1).cloned())
                .collect()
        };
        lacking.push(with(None));
        if let TokenTree::Group(group) = token
            && group.delimiter() != Delimiter::Bracket
        {
            let inside = without_each(group.stream());
            lacking.extend(
                inside
                    .into_iter()
                    .map(|inner| with(Some(Group::new(group.delimiter(), inner).into()))),
            );
        }
    }
    lacking
}
