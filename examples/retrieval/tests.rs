//! That search goes on finding, on parts of public sets (`tests/data/README.md` says whose they are).

use super::{
    Measured, Search, SearchMode, Set, confusable::PairCoverage, search, set::SetError, suggest,
};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

type Tested = Result<(), Box<dyn Error>>;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/retrieval")
        .join(name)
}

/// Recall at 1 and 5, and for how many requests a hit must stand out. Of those, one in twenty may be wrong, and one more: some
/// sets have few.
fn holds(
    set: &Set,
    search: &Search,
    mode: SearchMode,
    first: f64,
    fifth: f64,
    clear: f64,
) -> Tested {
    let measured = Measured::of(&set.requests, search, mode)?;
    println!("{}, {mode:?}: {measured}", set.name);
    assert!(
        measured.recall_at(1) >= Some(first),
        "{mode:?} of {}: {measured}",
        set.name
    );
    assert!(
        measured.recall_at(5) >= Some(fifth),
        "{mode:?} of {}: {measured}",
        set.name
    );
    let (precision, coverage) = measured.standing_out();
    assert!(
        precision >= 0.95 - 1.0 / (coverage * measured.requests() as f64) && coverage >= clear,
        "{mode:?} of {}: {measured}",
        set.name
    );
    Ok(())
}

#[test]
fn words_find() -> Tested {
    for (name, first, fifth, clear) in [
        ("azure", 0.88, 0.97, 0.45),
        ("metatool", 0.48, 0.67, 0.1),
        ("catalogues", 0.59, 0.84, 0.1),
    ] {
        let set = Set::read(&folder(name))?;
        let search = search(&set, None)?;
        holds(&set, &search, SearchMode::Words, first, fifth, clear)?;
    }
    Ok(())
}

/// Requests as people say them, and requests of two or three steps. `natural` and half of those of
/// several steps were held out.
#[test]
fn natural_requests_and_steps_find_their_tools() -> Tested {
    for (name, least) in [
        ("natural", 0.8),
        ("natural-dev", 0.65),
        ("steps", 0.85),
        ("steps-held-out", 0.9),
    ] {
        let set = Set::read(&folder(name))?;
        let measured = Measured::of(&set.requests, &search(&set, None)?, SearchMode::Words)?;
        println!("{name}: {measured}");
        assert!(measured.met() >= least, "{name}: {measured}");
    }
    Ok(())
}

#[cfg(feature = "semantic")]
#[test]
fn meaning_finds_more() -> Tested {
    let Some(model) = std::env::var_os("PD_MODEL") else {
        println!("skipped: set PD_MODEL to the folder of a sentence model, or run `just semantic`");
        return Ok(());
    };
    let model = super::load(Path::new(&model))?;
    for (name, first, fifth, clear) in [("azure", 0.90, 0.985, 0.5), ("metatool", 0.59, 0.79, 0.15)]
    {
        let set = Set::read(&folder(name))?;
        let search = search(&set, Some(model.clone()))?;
        holds(&set, &search, SearchMode::Both, first, fifth, clear)?;
    }
    Ok(())
}

/// A list that names more than a third of the tools cannot be worked through. Within it, texts say
/// little about what callers confuse, and the requests that tools declare say more.
#[test]
fn confusable_pairs_name_few_tools_and_explain_more_with_declared_requests() -> Tested {
    let set = Set::read(&folder("azure"))?;
    let (texts, declared) = (
        PairCoverage::of_texts(&set),
        PairCoverage::of_declared(&set),
    );
    for found in [&texts, &declared] {
        assert!(
            found.flagged <= 0.35 && found.pairs_of_tool <= 3 && found.wrong > 5,
            "{found:?}"
        );
    }
    assert!(texts.share() >= 0.2, "{texts:?}");
    assert!(declared.share() >= 0.4, "{declared:?}");
    Ok(())
}

/// Suggestions from one half of the requests improve the search for the other half, and the search
/// for the tools of other sets does not get worse.
#[tokio::test]
async fn suggestions_from_use_find_more() -> Tested {
    let sets = ["metatool", "azure", "catalogues"].map(|name| Set::read(&folder(name)));
    let sets = sets.into_iter().collect::<Result<Vec<_>, _>>()?;
    let sets: Vec<Set> = sets.iter().map(suggest::as_served).collect();
    for (set, gain) in sets.iter().zip([0.03, -0.01, -0.01]) {
        let found =
            suggest::measure(set, &suggest::replayed_half(set), &suggest::other_half(set)).await?;
        let change = |limit| {
            found
                .after
                .recall_at(limit)
                .zip(found.before.recall_at(limit))
                .map(|(after, before)| after - before)
        };
        println!(
            "{}: {:?} first, {:?} among five",
            set.name,
            change(1),
            change(5)
        );
        assert!(
            change(1) >= Some(gain) && change(5) >= Some(-0.01),
            "{}: {:?} {:?}",
            set.name,
            change(1),
            change(5)
        );
    }
    Ok(())
}

/// A folder with these two files; its name says which test it is of.
fn written(name: &str, tools: &str, requests: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("pd-retrieval-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("tools.jsonl"), tools)?;
    fs::write(folder.join("queries.jsonl"), requests)?;
    Ok(folder)
}

#[test]
fn odd_sets_are_taken() -> Tested {
    let tools = "{\"name\": \"日本 tool!\", \"description\": null}\n\n{\"name\": \"twice\"}\n{\"name\": \"twice\", \"inputSchema\": {}}\n";
    let requests = "{\"text\": \"twice\", \"relevant\": [\"twice\"]}\n{\"query\": \"日本\", \"relevant\": [\"日本 tool!\"]}\n\
        {\"text\": \"\", \"relevant\": [\"absent\"]}\n{\"text\": \"x\", \"relevant\": []}";
    let folder = written("odd", tools, requests)?;
    let set = Set::read(&folder)?;
    fs::remove_dir_all(folder)?;
    assert_eq!(set.remarks().len(), 2, "{:?}", set.remarks());
    let measured = Measured::of(&set.requests, &search(&set, None)?, SearchMode::Both)?;
    assert_eq!(measured.recall_at(1), Some(0.5));
    let row = super::row(&set, "lexical", &measured, true);
    let number = |pointer| row.pointer(pointer).and_then(serde_json::Value::as_f64);
    assert_eq!(
        (number("/requests"), number("/measured/recall_at/1")),
        (Some(4.0), Some(0.5)),
        "{row}"
    );
    let misses = row.get("misses").and_then(|misses| misses.as_array());
    assert_eq!(misses.map(Vec::len), Some(2), "{row}");
    Ok(())
}

#[test]
fn a_bad_line_is_pointed_at() -> Tested {
    let folder = written("bad", "{\"name\": \"a\"}\n{\"nam\": \"b\"}\n", "")?;
    let told = Set::read(&folder)
        .map(|_| ())
        .map_err(|error| error.to_string());
    fs::write(folder.join("tools.jsonl"), "{\"name\": \"a\"}")?;
    let empty = Set::read(&folder).map(|_| ());
    fs::remove_dir_all(&folder)?;
    let line = format!(
        "{}, line 2: missing field `name`",
        folder.join("tools.jsonl").display()
    );
    assert!(
        told.as_ref().is_err_and(|told| told.starts_with(&line)),
        "{told:?}"
    );
    assert!(matches!(empty, Err(SetError::Empty { .. })));
    assert!(matches!(
        Set::read(Path::new("/nowhere")).map(|_| ()),
        Err(SetError::Read { .. })
    ));
    Ok(())
}
