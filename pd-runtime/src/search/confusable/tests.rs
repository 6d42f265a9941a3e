//! Pairs of a few tools.

use crate::{Registry, Tool, tool::output::IntoOutput};
use std::collections::BTreeSet;

fn registry(tools: &[(&'static str, &'static str)]) -> Registry<()> {
    let tool = |(name, summary): &(&'static str, &'static str)| {
        Tool::new(*name, *summary, |(), _, _| {
            Box::pin(async { ().into_output() })
        })
    };
    Registry::builder().tools(tools.iter().map(tool)).freeze()
}

#[test]
fn tools_with_the_same_words_are_a_pair_and_others_are_not() {
    let registry = registry(&[
        ("server_list", "List the servers of a region"),
        ("server_get", "Show the servers of a region"),
        ("invoice_pay", "Pay an open invoice by card"),
    ]);
    let pairs = registry.confusable_tools();
    let names: Vec<_> = pairs
        .iter()
        .map(|pair| (pair.tool.as_str(), pair.other.as_str()))
        .collect();
    assert!(
        names == [("server_list", "server_get")] || names == [("server_get", "server_list")],
        "{names:?}"
    );
    assert!(
        pairs
            .iter()
            .all(|pair| pair.words.iter().any(|word| word == "servers")),
        "{pairs:?}"
    );
    assert!(
        !pairs
            .iter()
            .any(|pair| pair.words.iter().any(|word| word == "list")),
        "only one has it: {pairs:?}"
    );
}

#[test]
fn a_tool_is_in_three_pairs_at_most() {
    let names: Vec<String> = (0..20).map(|number| format!("copy_{number}")).collect();
    let tools: Vec<_> = names
        .iter()
        .map(|name| (&*name.clone().leak(), "Copy a file to a folder"))
        .collect();
    let pairs = registry(&tools).confusable_tools();
    let of = |name: &str| {
        pairs
            .iter()
            .filter(|pair| pair.tool == name || pair.other == name)
            .count()
    };
    assert_eq!(names.iter().map(|name| of(name)).max(), Some(3));
    assert!(pairs.iter().all(|pair| pair.nearness > 0.6), "{pairs:?}");
}

#[test]
fn a_list_of_pairs_names_a_third_of_the_tools_at_most() {
    let names: Vec<String> = (0..100).map(|number| format!("copy_{number}")).collect();
    let tools: Vec<_> = names
        .iter()
        .map(|name| (&*name.clone().leak(), "Copy a file to a folder"))
        .collect();
    let pairs = registry(&tools).confusable_tools();
    let named: BTreeSet<_> = pairs
        .iter()
        .flat_map(|pair| [&pair.tool, &pair.other])
        .collect();
    assert!((30..=35).contains(&named.len()), "{}", named.len());
}

#[test]
fn a_request_that_finds_another_tool_makes_a_pair_and_is_shown() {
    let tool = |name: &'static str, summary: &'static str| {
        Tool::new(name, summary, |(), _, _| {
            Box::pin(async { ().into_output() })
        })
    };
    let request = "Which invoices of the region are still open?";
    let registry = Registry::<()>::builder()
        .tools([
            tool("invoice_pay", "Pay an open invoice by card"),
            tool("region_ledger", "Sum up a region").found_by(request),
            tool("server_list", "List the servers of a cluster"),
        ])
        .freeze();
    let pairs = registry.confusable_tools();
    let texts = |pair: &super::ConfusablePair| {
        [&pair.tool, &pair.other, &pair.request].map(|text| text.to_owned())
    };
    let found: Vec<_> = pairs.iter().map(texts).collect();
    assert_eq!(found, [["region_ledger", "invoice_pay", request]]);
}

#[test]
fn the_request_of_a_pair_is_a_sentence() {
    let pairs = registry(&[
        ("git_git_branch", "List the branches of a repository"),
        ("git_git_branches", "Show the branches of a repository"),
    ])
    .confusable_tools();
    let request = pairs.first().map(|pair| pair.request.as_str());
    assert!(
        request.is_some_and(|request| request.ends_with("the branches of a repository")),
        "{pairs:?}"
    );
}
