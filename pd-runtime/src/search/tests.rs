//! Properties of every search, independent of the ranking.

#![expect(clippy::indexing_slicing, reason = "a test that fails says where")]

use super::{
    document::{DocumentField, ToolDocument},
    embedder::{EmbedError, Embedder},
    index::WordIndex,
    searcher::{SearchMode, ToolSearcher},
};
use cpu_time::ThreadTime;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const TOOLS: &[(&str, &str)] = &[
    ("create_issue", "Create a new issue in a GitHub repository"),
    (
        "list_commits",
        "Get the commits of one branch, newest first",
    ),
    ("delete_file", "Delete a file from a repository"),
    ("getWeatherForecast", "Forecast the weather of a city"),
    (
        "rechnung_stornieren",
        "Storniert eine bezahlte Rechnung und erstattet den Betrag zurück",
    ),
    ("创建日历", "创建一个新的日历事件并邀请参加者"),
    ("file_search", "ファイルの内容を検索します"),
    ("удалить_файл", "Удаляет файл из хранилища"),
    (
        "send_mail",
        "Envía un correo electrónico a varios destinatarios",
    ),
    ("keyvault_secret_get", "Read a secret"),
];

fn documents<'a>(tools: &[(&'a str, &'a str)]) -> Vec<ToolDocument<'a>> {
    let document = |(name, description): &(&'a str, &'a str)| {
        let mut document = ToolDocument::default();
        document.add(DocumentField::Name, name);
        document.add(DocumentField::Description, description);
        document
    };
    tools.iter().map(document).collect()
}

fn index(tools: &[(&str, &str)]) -> ToolSearcher {
    ToolSearcher::new(&documents(tools))
}

/// Embeds a text by its letters.
struct Letters;

impl Embedder for Letters {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let count =
            |text: &str, letter: char| text.chars().filter(|one| *one == letter).count() as f32;
        Ok(texts
            .iter()
            .map(|text| ('a'..='z').map(|letter| count(text, letter)).collect())
            .collect())
    }
}

/// Fails for a single text, such as a request, but not for several documents.
struct Broken;

impl Embedder for Broken {
    fn embed(&self, _texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(EmbedError::new("no connection"))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Letters.embed(texts)
    }
}

fn first(index: &ToolSearcher, request: &str) -> Option<&'static str> {
    let hits = index.find(request, 5, index.all_visible());
    hits.first().map(|hit| TOOLS[hit.place].0)
}

#[test]
fn finds_in_every_language() {
    let index = index(TOOLS);
    for (request, tool) in [
        ("open a new issue on github", "create_issue"),
        ("show recent commits", "list_commits"),
        ("remove a file please", "delete_file"),
        ("weatherforecast", "getWeatherForecast"),
        ("will the forcast be good?", "getWeatherForecast"),
        ("Ich möchte Rechnungen stornieren", "rechnung_stornieren"),
        ("betrag zuruck", "rechnung_stornieren"),
        ("我想创建日历", "创建日历"),
        ("事件", "创建日历"),
        ("ﾌｧｲﾙを検索したい", "file_search"),
        ("удалите все файлы", "удалить_файл"),
        ("correos electronicos", "send_mail"),
        ("key vault", "keyvault_secret_get"),
        ("the", "getWeatherForecast"),
    ] {
        assert_eq!(first(&index, request), Some(tool), "{request}");
    }
    for request in ["", " ?!", "zzzzzz", "\u{0}\u{200b}"] {
        assert_eq!(first(&index, request), None, "{request}");
    }
}

/// A random number generator with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

const WORDS: &[&str] = &[
    "list",
    "get",
    "create",
    "issue",
    "issues",
    "branch",
    "commit",
    "commits",
    "file",
    "filing",
    "repository",
    "searching",
    "weather",
    "größe",
    "datei",
    "日历",
    "keyvault",
    "vault",
    "key",
    "disk",
    "resize",
    "prices",
];

fn text(numbers: &mut Numbers, words: usize) -> String {
    let chosen: Vec<_> = (0..words)
        .map(|_| WORDS[numbers.below(WORDS.len())])
        .collect();
    chosen.join(["_", " "][numbers.below(2)])
}

#[test]
fn a_hidden_tool_influences_nothing() {
    let mut numbers = Numbers(7);
    for _ in 0..60 {
        let tools: Vec<(String, String)> = (0..1 + numbers.below(40))
            .map(|_| (text(&mut numbers, 2), text(&mut numbers, 8)))
            .collect();
        let tools: Vec<_> = tools
            .iter()
            .map(|(name, about)| (name.as_str(), about.as_str()))
            .collect();
        let seen: Vec<bool> = tools.iter().map(|_| numbers.below(3) > 0).collect();
        let places: Vec<usize> = (0..tools.len()).filter(|place| seen[*place]).collect();
        let left: Vec<_> = places.iter().map(|place| tools[*place]).collect();
        let finders: [fn(&[ToolDocument<'_>]) -> ToolSearcher; 2] = [ToolSearcher::new, by_letters];
        for finder in finders {
            let whole = finder(&documents(&tools));
            let without = finder(&documents(&left));
            let view = whole.view(|place| seen[place]);
            for request in [
                "comit",
                "resizing",
                "keyvaults disk",
                "repo",
                &text(&mut numbers, 4),
                "keybranch weathers",
            ] {
                let mut expected = without.find(request, 10, without.all_visible());
                expected
                    .iter_mut()
                    .for_each(|hit| hit.place = places[hit.place]);
                assert_eq!(
                    whole.find(request, 10, &view),
                    expected,
                    "{request} in {tools:?}, of which {seen:?} are seen"
                );
            }
        }
    }
}

#[test]
fn a_synonym_of_a_hidden_tool_influences_nothing() {
    let tools = [
        ("delete_row", "Deletes a row"),
        ("count_rows", "Counts the rows of a table"),
        ("remove_user", "Removes a user"),
    ];
    let whole = index(&tools);
    let without = index(&tools[..2]);
    let view = whole.view(|place| place < 2);
    for request in ["delete it", "get rid of a row", "drop the table"] {
        assert_eq!(
            whole.find(request, 10, &view),
            without.find(request, 10, without.all_visible()),
            "{request}"
        );
    }
}

#[test]
fn two_words_beat_one_of_everyday_language() {
    let index = index(&[
        ("search_users", "Searches users by their names"),
        ("read_book", "Reads a quarterly ledger"),
        ("list_plants", "Lists plants"),
        ("water_plants", "Waters the plants of a garden"),
    ]);
    let request = "search the quarterly ledger";
    let hits = index.find(request, 5, index.all_visible());
    assert_eq!(hits.first().map(|hit| hit.place), Some(1), "{hits:?}");
}

fn by_letters(documents: &[ToolDocument<'_>]) -> ToolSearcher {
    ToolSearcher::with_model(documents, Arc::new(Letters))
        .unwrap_or_else(|error| unreachable!("{error}"))
}

#[test]
fn meaning_finds_what_words_do_not() {
    let tools = [("abc", "def"), ("xyz", "uvw")];
    let finder = by_letters(&documents(&tools));
    let places = |request: &str| {
        finder
            .find(request, 5, finder.all_visible())
            .iter()
            .map(|hit| hit.place)
            .collect::<Vec<_>>()
    };
    assert_eq!(places("zyxwvuu"), [1]);
    assert_eq!(places("fedd cba"), [0]);
    assert_eq!(
        places("7"),
        [0; 0],
        "nothing is near to what has no direction"
    );
}

#[test]
fn a_model_reads_again_only_what_changed() -> Result<(), EmbedError> {
    #[derive(Default)]
    struct Counting(AtomicUsize);
    impl Embedder for Counting {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Letters.embed(texts)
        }
    }
    let model = Arc::new(Counting::default());
    let before = ToolSearcher::with_model(
        &documents(&[("abc", "def"), ("xyz", "uvw"), ("mno", "pqr")]),
        model.clone(),
    )?;
    assert_eq!(model.0.swap(0, Ordering::Relaxed), 6, "two texts of each");
    let now = [("mno", "pqr"), ("xyz", "gh"), ("abc", "def")];
    let news: Vec<_> = documents(&now).into_iter().enumerate().collect();
    let after = before.update(3, &news);
    assert_eq!(model.0.swap(0, Ordering::Relaxed), 2);
    let anew = by_letters(&documents(&now));
    for request in ["fedd cba", "hg", "wvu", "nop"] {
        let found = after.find_by(SearchMode::Meaning, request, 5, after.all_visible())?;
        assert_eq!(
            found,
            anew.find_by(SearchMode::Meaning, request, 5, anew.all_visible())?,
            "{request}"
        );
    }
    Ok(())
}

#[test]
fn words_alone_decide_when_the_model_fails() -> Result<(), EmbedError> {
    let finder = ToolSearcher::with_model(&documents(TOOLS), Arc::new(Broken))?;
    let words = index(TOOLS);
    assert_eq!(
        finder.find("delete", 5, finder.all_visible()),
        words.find("delete", 5, words.all_visible())
    );
    let failed = finder
        .find_by(SearchMode::Both, "delete", 5, finder.all_visible())
        .map_err(|error| error.to_string());
    assert_eq!(
        failed,
        Err("the embedding model failed: no connection".to_owned())
    );
    Ok(())
}

#[test]
fn a_model_that_miscounts_is_refused() {
    struct Half;
    impl Embedder for Half {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Ok(vec![vec![1.0]; texts.len() / 2])
        }
    }
    assert!(ToolSearcher::with_model(&documents(TOOLS), Arc::new(Half)).is_err());
}

#[test]
fn equals_keep_their_order() {
    let index = index(&[("read_a", "same"), ("read_b", "same"), ("read_c", "same")]);
    let places = |limit| {
        index
            .find("same", limit, index.all_visible())
            .iter()
            .map(|hit| hit.place)
            .collect::<Vec<_>>()
    };
    assert_eq!(places(5), [0, 1, 2]);
    assert_eq!(places(2), [0, 1]);
    let standing_out = |request| {
        index
            .find(request, 5, index.all_visible())
            .iter()
            .map(|hit| hit.stands_out)
            .collect::<Vec<_>>()
    };
    assert_eq!(standing_out("same"), [false, false, false]);
    assert_eq!(standing_out("read_b"), [true, false, false]);
}

#[test]
fn nothing_is_found_in_nothing() {
    let index = index(&[]);
    assert_eq!(index.find("x", 5, index.all_visible()), []);
}

/// Tools with many words, most of them rare, as in a large catalog.
fn thousand() -> Vec<(String, String)> {
    let mut numbers = Numbers(1);
    let word = |numbers: &mut Numbers| match numbers.below(3) {
        0 => WORDS[numbers.below(WORDS.len())].to_owned(),
        _ => {
            format!("w{}", (b'a' + numbers.below(26) as u8) as char).repeat(1 + numbers.below(3))
                + WORDS[numbers.below(WORDS.len())]
        }
    };
    let text = |numbers: &mut Numbers, words| {
        (0..words)
            .map(|_| word(numbers))
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..1_000)
        .map(|_| {
            (
                text(&mut numbers, 3).replace(' ', "_"),
                text(&mut numbers, 120),
            )
        })
        .collect()
}

/// The limits are for a release build. A build without optimization gets 200 times as long.
#[test]
fn a_thousand_tools_are_searched_in_microseconds() {
    let slack = if cfg!(debug_assertions) { 200 } else { 1 };
    let tools = thousand();
    let tools: Vec<_> = tools
        .iter()
        .map(|(name, about)| (name.as_str(), about.as_str()))
        .collect();
    let documents = documents(&tools);
    // The fastest of several runs, because other processes use the machine, too.
    let build = |_| {
        let began = ThreadTime::now();
        (WordIndex::new(&documents), began.elapsed())
    };
    let (index, built) = (0..5)
        .map(build)
        .min_by_key(|(_, took)| *took)
        .unwrap_or_else(|| unreachable!("it was built"));
    let bytes = index.bytes();
    let finder = ToolSearcher::new(&documents);
    let mut took: Vec<Duration> = (0..101)
        .map(|request| {
            let began = ThreadTime::now();
            let hits = finder.find(
                &format!(
                    "please list the {} of every commmit {request}",
                    WORDS[request % WORDS.len()]
                ),
                5,
                finder.all_visible(),
            );
            assert_eq!(hits.len(), 5);
            began.elapsed()
        })
        .collect();
    took.sort();
    println!(
        "1,000 tools: built in {built:?}, {bytes} bytes, found in {:?} (median)",
        took[50]
    );
    assert!(bytes < 5_000_000, "{bytes} bytes");
    assert!(built < Duration::from_millis(50) * slack, "{built:?}");
    assert!(
        took[50] < Duration::from_micros(200) * slack,
        "{:?}",
        took[50]
    );
}

#[test]
fn a_long_request_costs_no_more_than_its_beginning() {
    let index = index(TOOLS);
    let long = format!("weather {}", "日历 issue zqzqzq ".repeat(1_000_000));
    let began = ThreadTime::now();
    assert_eq!(
        index.find(&long, 5, index.all_visible()),
        index.find(&long[..4_096], 5, index.all_visible())
    );
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
}
