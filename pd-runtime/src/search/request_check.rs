//! The check that requests find their tools, and the report of those that do not.

use super::{
    document::DocumentField,
    explain::{HitExplanation, WordMatch},
    searcher::ToolSearcher,
};
use crate::{
    registry::{Registry, tool_spec::ToolSpec},
    text::escape::one_line,
};
use std::fmt;

/// The number of tools before a missed one that a report shows.
const AHEAD_SHOWN: usize = 5;

/// The number of words that a report shows for each tool.
const WORDS_SHOWN: usize = 4;

/// The smallest share that a report shows, of the whole that it belongs to.
const SHARE_MIN: f32 = 0.1;

/// A request, and the tools that answer it. One of them must be among the first hits.
#[derive(Debug)]
pub(crate) struct ExpectedRequest {
    pub(crate) text: String,
    /// The tools, as indexes into the registry.
    pub(crate) tools: Vec<usize>,
    /// The source location, or the file and line, for messages.
    pub(crate) origin: String,
}

/// A request that does not find its tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MissedRequest {
    /// The request.
    pub request: String,
    /// The name of the tool that it should find; of several, the one that ranks best.
    pub tool: String,
    /// The source location of the request; empty if it is unknown.
    pub origin: String,
    /// The rank of the tool, from 1; `None` if it has no word of the request.
    pub rank: Option<usize>,
    /// The number of first hits that should contain the tool.
    pub within: usize,
    /// The tools before it, best first, and the tool itself, a line for each. Explanations are
    /// larger, and a file may have thousands of requests.
    hits: Vec<String>,
    /// The words of the request that the tool does not have.
    missing: Vec<String>,
}

/// A hit, and why it has its rank.
struct RankedTool<'a> {
    rank: Option<usize>,
    name: &'a str,
    explanation: &'a HitExplanation,
}

/// The requests that do not find their tools.
#[derive(Clone, PartialEq)]
pub struct MissedRequests(Vec<MissedRequest>);

impl MissedRequests {
    /// Returns the requests.
    pub fn iter(&self) -> impl Iterator<Item = &MissedRequest> {
        self.0.iter()
    }
}

impl IntoIterator for MissedRequests {
    type Item = MissedRequest;
    type IntoIter = std::vec::IntoIter<MissedRequest>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<S: 'static> Registry<S> {
    /// Checks that each tool is among the first `within` hits for its own requests, which
    /// `#[pd_tool(found_by(…))]` and [`Tool::found_by`](crate::Tool::found_by) set. `find_tools`
    /// shows at most five hits. Returns the number of requests.
    ///
    /// The search is [`Registry::search`], which ranks by words. A test in the author's crate:
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// /// The authors of a file's lines.
    /// #[pd_tool(summary = "Show who last changed each line", found_by("who broke this line"))]
    /// fn blame(path: String) -> String { path }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { blame } }
    ///
    /// // #[test]
    /// fn each_tool_is_found() -> Result<(), pd_runtime::check::MissedRequests> {
    ///     registry().check_found(5).map(drop)
    /// }
    /// # each_tool_is_found().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the requests whose tool is not among the first hits. The message shows which tools
    /// come before it, with the words that they match.
    pub fn check_found(&self, within: usize) -> Result<usize, MissedRequests> {
        let requests = self.own_requests();
        self.check_requests(&requests, within)
            .map(|()| requests.len())
    }

    /// Returns the requests that the tools declare.
    pub(crate) fn own_requests(&self) -> Vec<ExpectedRequest> {
        let request = |place: usize, about: &ToolSpec, text: &str| ExpectedRequest {
            text: text.to_owned(),
            tools: vec![place],
            origin: about.origin.to_string(),
        };
        self.abouts()
            .into_iter()
            .enumerate()
            .flat_map(|(place, about)| {
                about
                    .discovery
                    .found_by
                    .iter()
                    .map(|text| request(place, about, text))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Checks that each request has one of its tools among the first `within` hits.
    pub(crate) fn check_requests(
        &self,
        requests: &[ExpectedRequest],
        within: usize,
    ) -> Result<(), MissedRequests> {
        // Without requests, no index is built.
        if requests.is_empty() {
            return Ok(());
        }
        let abouts = self.abouts();
        let names: Vec<&str> = abouts.iter().map(|about| about.name.as_ref()).collect();
        // One index for all requests, because building it costs more than a search.
        let searcher = ToolSearcher::new(&self.documents(&abouts));
        let missed: Vec<_> = requests
            .iter()
            .filter_map(|request| find_miss(request, within, &searcher, &names))
            .collect();
        if missed.is_empty() {
            Ok(())
        } else {
            Err(MissedRequests(missed))
        }
    }
}

fn find_miss(
    request: &ExpectedRequest,
    within: usize,
    searcher: &ToolSearcher,
    names: &[&str],
) -> Option<MissedRequest> {
    let view = searcher.all_visible();
    // All hits, because the tool may have any rank.
    let hits = searcher.find(&request.text, names.len(), view);
    let best = hits
        .iter()
        .position(|hit| request.tools.contains(&hit.place));
    if best.is_some_and(|best| best < within) {
        return None;
    }
    // A tool without any word of the request is explained as well, by the words that it lacks.
    let own = best
        .and_then(|best| hits.get(best))
        .map(|hit| hit.place)
        .or(request.tools.first().copied())?;
    let ahead = hits
        .iter()
        .map(|hit| hit.place)
        .take(best.unwrap_or(hits.len()).min(AHEAD_SHOWN));
    let places: Vec<usize> = ahead.chain([own]).collect();
    let mut explanations = searcher.explain(&request.text, &places, view);
    let lines = places
        .iter()
        .zip(&explanations)
        .map(|(place, explanation)| {
            let name = names.get(*place).copied().unwrap_or_default();
            RankedTool {
                rank: hits
                    .iter()
                    .position(|hit| hit.place == *place)
                    .map(|rank| rank + 1),
                name,
                explanation,
            }
            .to_string()
        })
        .collect();
    Some(MissedRequest {
        request: request.text.clone(),
        tool: names.get(own)?.to_string(),
        origin: request.origin.clone(),
        rank: best.map(|best| best + 1),
        within,
        hits: lines,
        // The tool itself is the last one.
        missing: explanations
            .pop()
            .map(|own| own.missing)
            .unwrap_or_default(),
    })
}

impl fmt::Display for MissedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = one_line(&self.tool);
        let request = one_line(&self.request);
        match self.within {
            1 => write!(f, "`{tool}` is not the first hit for \"{request}\": ")?,
            within => write!(
                f,
                "`{tool}` is not among the first {within} for \"{request}\": "
            )?,
        }
        match self.rank {
            Some(rank) => write!(f, "it is number {rank}")?,
            None => f.write_str("it matches no word of it")?,
        }
        self.hits
            .iter()
            .try_for_each(|hit| write!(f, "\n  {hit}"))?;
        if !self.missing.is_empty() {
            write!(f, "\n     without a match for: {}", self.missing.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for RankedTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rank,
            name,
            explanation,
        } = self;
        let rank = rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        write!(f, "{rank:>2}  {}  {:.2}", one_line(name), explanation.score)?;
        let words = explanation.by_word();
        let least = explanation.score * SHARE_MIN;
        let telling: Vec<_> = words
            .iter()
            .filter(|word| word.share >= least)
            .take(WORDS_SHOWN)
            .collect();
        telling.iter().try_for_each(|word| write!(f, "  {word}"))?;
        if telling.len() < words.len() {
            f.write_str("  …")?;
        }
        if explanation.name > 0.0 {
            write!(f, "  its name {:.2}", explanation.name)
        } else {
            Ok(())
        }
    }
}

/// A word of the request, with the fields of one tool in which it matches.
#[derive(Debug)]
pub(crate) struct MatchedWord<'a> {
    pub(crate) word: &'a str,
    pub(crate) matched: &'a str,
    pub(crate) share: f32,
    /// The fields with their shares, the largest first.
    pub(crate) fields: Vec<(DocumentField, f32)>,
}

impl HitExplanation {
    /// Returns the matches by pairs of words, the largest share first.
    pub(crate) fn by_word(&self) -> Vec<MatchedWord<'_>> {
        let mut words: Vec<MatchedWord<'_>> = Vec::new();
        for WordMatch {
            word,
            matched,
            field,
            share,
            ..
        } in &self.matches
        {
            // A request has few words, so a linear search is enough.
            match words
                .iter_mut()
                .find(|known| (known.word, known.matched) == (word, matched))
            {
                Some(known) => {
                    known.share += share;
                    known.fields.push((*field, *share));
                }
                None => words.push(MatchedWord {
                    word,
                    matched,
                    share: *share,
                    fields: vec![(*field, *share)],
                }),
            }
        }
        // Sorted once more, because shares were added to some words.
        words.sort_by(|one, other| other.share.total_cmp(&one.share));
        words
    }
}

impl MatchedWord<'_> {
    /// Renders the word of the request, and that of the tool if it is another one.
    pub(crate) fn render_words(&self) -> String {
        let word = one_line(self.word);
        let matched = one_line(self.matched);
        if word == matched {
            word.into_owned()
        } else {
            format!("{word} → {matched}")
        }
    }
}

impl fmt::Display for MatchedWord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.render_words())?;
        let telling = self
            .fields
            .iter()
            .filter(|(_, share)| *share >= self.share * SHARE_MIN);
        for (index, (field, share)) in telling.enumerate() {
            write!(
                f,
                "{}{} {share:.2}",
                if index > 0 { ", " } else { "" },
                field.as_str()
            )?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for MissedRequests {}

impl fmt::Display for MissedRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, verb) = if self.0.len() == 1 {
            ("request", "does")
        } else {
            ("requests", "do")
        };
        write!(f, "{} {subject} {verb} not find the tool:", self.0.len())?;
        for missed in &self.0 {
            let origin = if missed.origin.is_empty() {
                String::new()
            } else {
                format!("{}: ", one_line(&missed.origin))
            };
            write!(f, "\n- {origin}{missed}")?;
        }
        Ok(())
    }
}

// `unwrap` in a test prints the `Debug` form, so it is the readable message.
impl fmt::Debug for MissedRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{IntoOutput, Tool};
    use futures::FutureExt;

    fn tool(name: &'static str, summary: &'static str) -> Tool<()> {
        Tool::new(name, summary, |(), _, _| async { ().into_output() }.boxed()).origin("tools.rs:1")
    }

    #[test]
    fn a_missed_request_names_the_tools_before_its_own() {
        let tools = [
            tool("list_commits", "List commits")
                .found_by("list the commits")
                .found_by("who moved it last"),
            tool("count_commits", "Count commits").found_by("list the commits"),
            tool("blame", "Show who changed a line"),
        ];
        let registry: Registry<()> = Registry::builder().tools(tools).build().unwrap();
        let missed: Vec<MissedRequest> = registry.check_found(1).unwrap_err().into_iter().collect();
        let found =
            |missed: &MissedRequest| (missed.tool.clone(), missed.request.clone(), missed.rank);
        let expected = [
            (
                "list_commits".to_owned(),
                "who moved it last".to_owned(),
                None,
            ),
            (
                "count_commits".to_owned(),
                "list the commits".to_owned(),
                Some(2),
            ),
        ];
        assert_eq!(missed.iter().map(found).collect::<Vec<_>>(), expected);
        let report = missed.first().unwrap().to_string();
        let (head, hits) = report.split_once('\n').unwrap();
        assert_eq!(
            head,
            "`list_commits` is not the first hit for \"who moved it last\": it matches no word of it"
        );
        let lines: Vec<&str> = hits
            .lines()
            .map(|line| line.split(" (").next().unwrap_or_default())
            .collect();
        assert!(
            matches!(lines.as_slice(), [first, ..] if first.starts_with("   1  blame  ")),
            "{report}"
        );
        assert!(
            report.ends_with("\n   –  list_commits  0.00\n     without a match for: moved, last"),
            "{report}"
        );
        // Of two hits, both commits' tools come before nothing else.
        let second = registry.check_found(2).unwrap_err().to_string();
        assert!(
            second.starts_with(
                "1 request does not find the tool:\n- tools.rs:1: `list_commits` is not"
            ),
            "{second}"
        );
    }
}
