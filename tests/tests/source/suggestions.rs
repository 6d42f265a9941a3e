//! The compiler and a server follow the same rules. The macros cannot import the runtime, so the limits are written twice.

const SOURCES: [&str; 2] = [
    include_str!("../../../pd-macros/src/nearest.rs"),
    include_str!("../../../pd-runtime/schema/src/suggest.rs"),
];

/// The text of a function, up to the brace that closes it.
fn function<'a>(source: &'a str, name: &str) -> &'a str {
    let start = source.find(&format!("fn {name}(")).unwrap();
    source[start..].split("\n}").next().unwrap()
}

#[test]
fn the_macros_and_the_runtime_allow_as_many_edits() {
    let [macros, runtime] = SOURCES.map(|source| function(source, "edits_allowed"));
    assert_eq!(macros, runtime);
}

#[test]
fn the_macros_and_the_runtime_allow_the_same_requests() {
    let limits = |source: &str| -> Vec<String> {
        let limits = source.lines().filter(|line| line.contains("const REQUEST"));
        limits
            .map(|line| line.trim_start_matches("pub(crate) ").to_owned())
            .collect()
    };
    let macros = limits(include_str!("../../../pd-macros/src/check/found_by.rs"));
    assert_eq!(macros.len(), 2, "{macros:?}");
    assert_eq!(
        macros,
        limits(include_str!("../../../pd-runtime/src/registry/found_by.rs"))
    );
}

#[test]
fn the_macros_and_the_runtime_allow_the_same_views() {
    let sources = [
        include_str!("../../../pd-macros/src/check/view.rs"),
        include_str!("../../../pd-runtime/src/registry/view.rs"),
    ];
    for name in ["check_setting", "is_origin"] {
        let [macros, runtime] = sources.map(|source| function(source, name));
        assert_eq!(macros, runtime);
    }
    let [macros, runtime] = sources.map(|source| {
        let start = source.find("/// The maximum size of a page").unwrap();
        source[start..]
            .split("\"clipboardWrite\"")
            .next()
            .unwrap()
            .replace("pub(crate) ", "")
    });
    assert_eq!(macros, runtime);
}
