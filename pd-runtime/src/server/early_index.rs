//! Builds the search index of a large catalog in the background, so that the first search does not
//! wait for it, and the vectors of tools, so that the start does not.

use crate::catalog::Catalog;
use arc_swap::ArcSwap;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The least number of tools for which a search would wait noticeably. A small index is built by
/// the first search, since most clients of small servers never search.
const TOOLS_MIN: usize = 1_000;

/// The thread that builds indexes, if one runs.
#[derive(Debug, Default)]
pub(super) struct EarlyIndex {
    is_running: Arc<AtomicBool>,
}

impl EarlyIndex {
    /// Starts to build the index of the current catalog, unless it is small or has one. Of several
    /// catalogs in short order, only some get an index.
    pub(super) fn start(&self, current: &Arc<ArcSwap<Catalog>>) {
        if !needs_index(&current.load()) || self.is_running.swap(true, Ordering::AcqRel) {
            return;
        }
        let current = current.clone();
        let is_running = self.is_running.clone();
        let first = current.load_full();
        // Before the thread runs, so that no search waits for it to begin.
        first.set_indexing(true);
        let build = move || {
            loop {
                let catalog = current.load_full();
                catalog.set_indexing(true);
                if catalog.awaits_meaning() {
                    catalog.add_meaning();
                } else {
                    catalog.index();
                }
                catalog.set_indexing(false);
                is_running.store(false, Ordering::Release);
                // A catalog that came meanwhile found this thread running, and started none.
                if !needs_index(&current.load()) || is_running.swap(true, Ordering::AcqRel) {
                    return;
                }
            }
        };
        let started = thread::Builder::new()
            .name("pd-search-index".to_owned())
            .spawn(build);
        if started.is_err() {
            // The first search builds the index, as for a small catalog.
            first.set_indexing(false);
            self.is_running.store(false, Ordering::Release);
        }
    }
}

fn needs_index(catalog: &Catalog) -> bool {
    catalog.awaits_meaning() || (catalog.entries.len() >= TOOLS_MIN && !catalog.has_index())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use crate::{
        PdServer, Registry, Tool,
        catalog::{Catalog, visibility_cache::VisibleSet},
        policy::Policy,
        search::{EmbedError, Embedder},
        tool::output::IntoOutput,
    };
    use futures::{FutureExt, future::ready};
    use std::{sync::Arc, thread, time::Duration};

    fn tool(number: usize) -> Tool<()> {
        Tool::new(
            format!("tool{number}"),
            "Count something",
            |_: &(), _, _| ready("counted".into_output()).boxed(),
        )
    }

    fn server(count: usize) -> PdServer<()> {
        let registry = Registry::builder()
            .tools((0..count).map(tool))
            .build()
            .unwrap();
        PdServer::builder(registry, ()).build().unwrap()
    }

    struct Slow;

    impl Embedder for Slow {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            thread::sleep(Duration::from_millis(300));
            Ok(vec![vec![1.0]; texts.len()])
        }
    }

    #[test]
    fn vectors_come_after_the_start() {
        let registry = Registry::<()>::builder().tool(tool(1)).build().unwrap();
        let server = PdServer::builder(registry, ())
            .search_model_in_background(Arc::new(Slow))
            .build()
            .unwrap();
        let by_meaning = || server.host().served().catalog().index().has_model();
        assert!(!by_meaning(), "the start does not wait");
        assert!((0..600).any(|_| {
            thread::sleep(Duration::from_millis(50));
            by_meaning()
        }));
    }

    #[test]
    fn very_many_tools_are_indexed_before_the_first_search() {
        let small = server(super::TOOLS_MIN - 1);
        let large = server(super::TOOLS_MIN);
        let has_index = |server: &PdServer<()>| server.host().served().catalog().has_index();
        let is_indexed = || {
            (0..600).any(|_| {
                thread::sleep(Duration::from_millis(50));
                has_index(&large)
            })
        };
        assert!(is_indexed());
        assert!(!has_index(&small), "a small index waits for a search");
    }

    #[test]
    fn a_search_before_the_index_reads_names_and_summaries() {
        let tools = (0..10_000).map(tool);
        let zebra = Tool::new("zebra", "Feed an animal", |_: &(), _, _| {
            ready("fed".into_output()).boxed()
        });
        let zebra = zebra.description("Gives hay.".to_owned());
        let registry = Registry::builder().tools(tools.chain([zebra]));
        let catalog = Catalog::new(registry.build().unwrap(), &Policy::default()).unwrap();
        assert!(!catalog.is_indexing(), "nothing builds an index");
        catalog.set_indexing(true);
        assert!(catalog.is_indexing());
        let first = |request: &str, sees: fn(usize) -> bool| {
            let sight = VisibleSet::new(10_001, sees);
            let hits = catalog.scan(request, 1, &sight);
            hits.first().map(|hit| hit.place)
        };
        assert_eq!(first("feed an animal", |_| true), Some(10_000));
        assert_eq!(first("feed an animal", |place| place < 10_000), None);
        assert_eq!(first("hay", |_| true), None);
        assert!(!catalog.has_index());
        let whole = catalog.index();
        let hits = whole.find("hay", 1, whole.all_visible());
        assert_eq!(hits.first().map(|hit| hit.place), Some(10_000));
        assert!(!catalog.is_indexing(), "the index is there");
    }
}
