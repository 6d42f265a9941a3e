//! Texts of an author that are expressions and not literals: files, `concat!` and macros of the author's own. Each reaches
//! the model, in its place and with its sections.

use crate::harness::client::{Client, Era, connect};
use pd_runtime::{GateMode, prelude::*};
use serde_json::{Value, json};

macro_rules! shared {
    (hours) => {
        "The library opens at 9."
    };
    (list) => {
        "Ask:\n\n- a reader\n- Ada"
    };
}

#[derive(Debug, thiserror::Error, ToolErrors)]
enum LoanError {
    #[doc = concat!("Lend at most ", 30, " books.")]
    #[error("too many books")]
    TooMany,
    #[doc = shared!(hours)]
    /// Come then.
    #[error("closed")]
    Closed,
    #[doc = include_str!("doc_texts/book.md")]
    #[error("no such book")]
    NoBook,
    #[doc = "Ask again later."]
    #[error("lent")]
    Lent,
}

#[doc = include_str!("doc_texts/lend.md")]
#[pd_tool(summary = "Lend a book")]
fn lend(
    #[doc = include_str!("doc_texts/book.md")] book: String,
    #[doc = concat!("At most ", stringify!(30), " days.")]
    #[arg(default = 7)]
    days: u32,
    /// Who.
    #[doc = shared!(hours)]
    reader: Option<String>,
    #[doc = shared!(list)] clerk: Option<String>,
) -> Result<String, LoanError> {
    match (book.as_str(), days, reader, clerk) {
        ("Emma", 7, None, None) => Err(LoanError::Lent),
        ("Closed", ..) => Err(LoanError::Closed),
        ("None", ..) => Err(LoanError::NoBook),
        (_, 31.., ..) => Err(LoanError::TooMany),
        (book, ..) => Ok(book.to_owned()),
    }
}

/// Takes a book back.
///
/// Before the file.
///
#[doc = include_str!("doc_texts/book.md")]
///
/// After the file.
#[doc = shared!(hours)]
/// Between.
#[doc = concat!("# Notes\n", "\n- Fines are ", "paid.")]
/// - Books are wiped.
#[pd_tool]
fn take_back() {}

#[pd_tool(summary = "Renew a loan")]
fn renew(Args(renewal): Args<Renewal>) -> Result<String, LoanError> {
    Ok(renewal.book)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Renewal {
    #[doc = include_str!("doc_texts/book.md")]
    book: String,
}

#[doc = concat!("Count the ", "books.\n\nAll ", -1, ' ', 2.50, true, " of them.")]
#[pd_tool]
fn count() {}

struct Desk;

impl Desk {
    #[doc = shared!(list)]
    #[pd_tool(summary = "Ask at the desk")]
    fn ask(&self) {}
}

/// Tools that a `macro_rules!` writes, with docs of any kind.
macro_rules! tool {
    ($(#[$meta:meta])* $name:ident, $summary:expr, $doc:expr) => {
        $(#[$meta])*
        #[doc = ""]
        #[doc = $doc]
        #[pd_tool(summary = $summary)]
        fn $name(
            #[doc = concat!("What `", stringify!($name), "` takes.")] text: String,
            #[doc = $doc] more: Option<String>,
        ) {
            let _ = (text, more);
        }
    };
}

tool!(
    #[doc = include_str!("doc_texts/book.md")]
    read_aloud,
    "Read a book to children",
    concat!("Loud", "ly.")
);
tool!(
    /// Stamps a card.
    stamp,
    "Stamp a card",
    include_str!("doc_texts/book.md")
);
tool!(shelve, "Shelve a book", shared!(hours));

fn registry() -> Registry<Desk> {
    pd_runtime::registry! {
        #![doc = include_str!("doc_texts/book.md")]
        //! Be quiet.
        #![doc = shared!(hours)]

        #[doc = concat!("Lend ", "books.\n\nAsk the reader.")]
        #[doc = include_str!("doc_texts/book.md")]
        loans: {
            lend,
            take_back,
            /// Written by macros.
            ///
            #[doc = shared!(list)]
            written: { read_aloud, stamp, shelve },
        },
        Desk::ask,
        count,
        renew,
        #[doc = include_str!("doc_texts/book.md")]
        bundle all_loans: { lend, take_back },
    }
}

async fn client(era: Era) -> Client {
    connect(
        era,
        &PdServer::builder(registry(), Desk)
            .gate(GateMode::Off)
            .build()
            .unwrap(),
    )
    .await
}

async fn description(era: Era, name: &str) -> Value {
    client(era).await.describe(name).await[name].take()
}

const BOOK: &str = "The title, as it is on the cover.";
const HOURS: &str = "The library opens at 9.";
const ASK: &str = "Ask:\n\n- a reader\n- Ada";

#[tokio::test]
async fn a_file_reaches_the_model_with_its_sections() {
    for era in Era::ALL {
        let lend = description(era, "lend").await;
        assert_eq!(
            lend["description"], "Lends a book to a reader, until the reader brings it back.",
            "{era:?}"
        );
        let example =
            json!({ "description": "A short loan:", "input": { "book": "Emma", "days": 7 } });
        assert_eq!(lend["examples"], json!([example]), "{era:?}");
        let notes = ["A fine is 10 cents a day.", "Sundays count."];
        let guidance =
            json!({ "common_patterns": ["Ask for the days first."], "important_notes": notes });
        assert_eq!(lend["usage_guidance"], guidance, "{era:?}");
        let error = json!({ "error": "LENT", "cause": "a reader has the book.", "solution": "Ask again later." });
        assert_eq!(lend["error_guidance"]["common_errors"][0], error, "{era:?}");
    }
}

#[tokio::test]
async fn parameters_have_the_texts_of_files_and_macros() {
    let lend = description(Era::Session, "lend").await;
    let text = |name: &str| lend["inputSchema"]["properties"][name]["description"].clone();
    assert_eq!(
        ["book", "days", "reader", "clerk"].map(text),
        [BOOK, "At most 30 days.", &format!("Who.\n{HOURS}"), ASK]
    );
}

#[tokio::test]
async fn lines_and_expressions_keep_their_order() {
    let take_back = description(Era::Session, "take_back").await;
    let text = format!(
        "Takes a book back.\n\nBefore the file.\n\n{BOOK}\n\nAfter the file.\n{HOURS}\nBetween."
    );
    assert_eq!(take_back["description"], text);
    assert_eq!(
        take_back["usage_guidance"]["important_notes"],
        json!(["Fines are paid.", "Books are wiped."])
    );
    assert_eq!(description(Era::Session, "ask").await["description"], ASK);
}

#[tokio::test]
async fn the_first_paragraph_of_an_expression_is_a_summary() {
    let registry = registry();
    let summary = |name: &str| registry.tool(name).map(|tool| tool.summary().to_owned());
    assert_eq!(summary("count").as_deref(), Some("Count the books"));
    assert_eq!(
        description(Era::Session, "count").await["description"],
        "Count the books.\n\nAll -1 2.50true of them."
    );
}

#[tokio::test]
async fn tools_that_a_macro_writes_keep_their_texts() {
    for (name, text, more) in [
        ("read_aloud", format!("{BOOK}\n\nLoudly."), "Loudly."),
        ("stamp", format!("Stamps a card.\n\n{BOOK}"), BOOK),
        ("shelve", HOURS.to_owned(), HOURS),
    ] {
        let described = description(Era::Session, name).await;
        assert_eq!(described["description"], text);
        let arguments = &described["inputSchema"]["properties"];
        assert_eq!(
            arguments["text"]["description"],
            format!("What `{name}` takes.")
        );
        assert_eq!(arguments["more"]["description"], more);
    }
}

#[tokio::test]
async fn groups_and_the_server_have_their_texts() {
    let registry = registry();
    let loans = &registry.groups()[0];
    assert_eq!(
        (loans.summary.as_str(), loans.instructions.as_str()),
        ("Lend books", &*format!("Ask the reader. {BOOK}"))
    );
    let written = &loans.groups[0];
    assert_eq!(
        (written.summary.as_str(), written.instructions.as_str()),
        ("Written by macros", ASK)
    );
    let bundles = format!("{:?}", registry.bundles());
    assert!(
        bundles.contains("The title, as it is on the cover"),
        "{bundles}"
    );
    for era in Era::ALL {
        let instructions = client(era)
            .await
            .running
            .peer_info()
            .and_then(|info| info.instructions.clone());
        let text = format!("{BOOK} Be quiet.\n{HOURS}");
        assert!(
            instructions
                .as_deref()
                .is_some_and(|all| all.contains(&text)),
            "{era:?}: {instructions:?}"
        );
    }
}

#[tokio::test]
async fn solutions_have_the_texts_of_files_and_macros() {
    let renew = description(Era::Session, "renew").await;
    let listed = renew["error_guidance"]["common_errors"].as_array().unwrap();
    let solutions: Vec<_> = listed
        .iter()
        .map(|error| error["solution"].as_str().unwrap())
        .collect();
    assert_eq!(
        solutions,
        [
            "Lend at most 30 books.",
            &format!("{HOURS} Come then."),
            BOOK,
            "Ask again later."
        ]
    );
    assert_eq!(
        renew["inputSchema"]["properties"]["book"]["description"],
        BOOK.replace(", ", ",\n")
    );
}
