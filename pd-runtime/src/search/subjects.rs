//! What tools are about, by their names: the verbs and objects of a line about them, and the groups
//! that they form.

mod groups;
mod labeled_groups;
#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests;

pub use groups::{SubjectGroup, groups};
pub use labeled_groups::labeled_groups;

use super::{
    stem,
    thesaurus::is_verb,
    tokenize::{self, WordKind},
};
use crate::registry::tool_spec::ToolSpec;
use std::collections::HashMap;

/// The longest line about tools, in characters.
const LINE_MAX: usize = 120;

/// The largest number of tools that a line describes by their summaries.
const SUMMARIES_MAX: usize = 3;

/// The largest number of verbs in a line.
const VERBS_MAX: usize = 4;

/// The smallest number of tools with one object that form a group.
const GROUP_MIN: usize = 3;

/// Words before which an object ends: `issues by label` are issues.
const AFTER_OBJECT: [&str; 14] = [
    "for", "by", "in", "of", "from", "to", "with", "on", "at", "as", "and", "or", "via", "using",
];

/// Words that say nothing about an object.
const NO_OBJECT: [&str; 8] = [
    "all", "my", "the", "a", "multiple", "current", "single", "new",
];

/// A tool by its texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct NamedTool<'a> {
    /// The name at its server, without a prefix.
    pub name: &'a str,
    /// Its summary.
    pub summary: &'a str,
}

impl<'a> NamedTool<'a> {
    /// Returns the texts of a tool, unless its definition waits for approval, or no model may know
    /// the tool.
    pub fn of(about: &'a ToolSpec) -> Option<Self> {
        let own = about.source.as_ref().map(|source| &*source.name);
        (!about.is_held && about.app_role().is_for_models).then(|| Self {
            name: own.unwrap_or(&about.name),
            summary: &about.summary,
        })
    }
}

/// Returns a line about tools, of at most 120 characters: their summaries, their names, or their
/// verbs and objects. Returns `None` if there are none.
pub fn line(tools: &[NamedTool<'_>]) -> Option<String> {
    if tools.is_empty() {
        return None;
    }
    let summaries: Vec<&str> = tools.iter().map(|tool| tool.summary).collect();
    let joined = summaries.join("; ");
    let fits = |line: &str| line.chars().count() <= LINE_MAX;
    if tools.len() <= SUMMARIES_MAX && !summaries.contains(&"") && fits(&joined) {
        return Some(joined);
    }
    let subjects = Subjects::new(tools);
    let names = subjects.names();
    let all_names = names.join(", ");
    let line = subjects
        .verbs_of_one_object()
        .or_else(|| fits(&all_names).then(|| all_names.clone()))
        .or_else(|| subjects.verbs_and_objects())
        .unwrap_or_else(|| first_of(&names, LINE_MAX));
    Some(capitalized(&line))
}

/// The verbs and objects of tools' names.
struct Subjects {
    tools: Vec<Subject>,
}

#[derive(Default)]
struct Subject {
    /// The words of the name, without those that all names begin with.
    words: Vec<String>,
    verb: Option<String>,
    object: Vec<String>,
    /// The roots of the object's words.
    roots: Vec<String>,
}

impl Subjects {
    fn new(tools: &[NamedTool<'_>]) -> Self {
        let names: Vec<Vec<String>> = tools.iter().map(|tool| words(tool.name)).collect();
        // Two names may begin alike by chance.
        let shared = if names.len() >= GROUP_MIN {
            shared_beginning(&names)
        } else {
            0
        };
        let names: Vec<_> = names
            .into_iter()
            .map(|mut words| words.split_off(shared.min(words.len())))
            .collect();
        // Some nouns are verbs elsewhere: in `compute_disk_create`, the verb is the last word.
        let with_verb = |at: fn(&[String]) -> Option<&String>| {
            let verbs = names.iter().filter_map(|words| at(words));
            verbs.filter(|word| is_verb(word, "")).count()
        };
        let is_verb_last = with_verb(<[String]>::last) > with_verb(<[String]>::first);
        let tools = names.into_iter();
        Self {
            tools: tools
                .map(|words| Subject::new(words, is_verb_last))
                .collect(),
        }
    }

    fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.words.join(" ")).collect()
    }

    /// Returns the verbs of tools with one and the same object: `create, get and list gists`.
    fn verbs_of_one_object(&self) -> Option<String> {
        let (first, others) = self.tools.split_first()?;
        let is_one = !first.object.is_empty()
            && others.iter().all(|tool| tool.roots == first.roots)
            && self.tools.iter().all(|tool| tool.verb.is_some());
        let places: Vec<usize> = (0..self.tools.len()).collect();
        let line = || {
            format!(
                "{} {}",
                listed(&self.verbs()),
                self.label(&places).join(" ")
            )
        };
        is_one
            .then(line)
            .filter(|line| line.chars().count() <= LINE_MAX)
    }

    /// Returns the most frequent verbs and the objects, if most tools have both.
    fn verbs_and_objects(&self) -> Option<String> {
        let objects = self.objects();
        let with_both = self
            .tools
            .iter()
            .filter(|tool| tool.verb.is_some() && !tool.object.is_empty());
        if with_both.count() * 2 <= self.tools.len() || objects.is_empty() {
            return None;
        }
        let mut verbs = self.verbs();
        verbs.truncate(VERBS_MAX);
        let verbs = listed(&verbs);
        let room = LINE_MAX.saturating_sub(verbs.chars().count() + 1);
        Some(format!("{verbs} {}", first_of(&objects, room)))
    }

    /// Returns the verbs, the most frequent first.
    fn verbs(&self) -> Vec<String> {
        let mut verbs = Counts::default();
        for verb in self.tools.iter().filter_map(|tool| tool.verb.as_deref()) {
            verbs.add(verb, verb);
        }
        verbs.most_frequent()
    }

    /// Returns the objects, the most frequent first: by their first words, or whole if those are
    /// the same.
    fn objects(&self) -> Vec<String> {
        let places: Vec<usize> = (0..self.tools.len()).collect();
        let mut by_first: Vec<_> = self.by_root(&places, 0);
        by_first.retain(|(root, _)| !root.is_empty());
        if by_first.len() > 1 {
            // A stable sort, so equally frequent objects keep the order of the tools.
            by_first.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
            return by_first
                .iter()
                .map(|(_, places)| self.label(places).join(" "))
                .collect();
        }
        let mut whole = Counts::default();
        for tool in self.tools.iter().filter(|tool| !tool.object.is_empty()) {
            whole.add(&tool.roots.join(" "), &tool.object.join(" "));
        }
        whole.most_frequent()
    }

    /// Groups places by the root at `depth` of their objects, in the order of the first of each.
    fn by_root(&self, places: &[usize], depth: usize) -> Vec<(&str, Vec<usize>)> {
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for place in places {
            let root = self
                .tools
                .get(*place)
                .and_then(|tool| tool.roots.get(depth))
                .map_or("", String::as_str);
            let at = *known.entry(root).or_insert_with(|| {
                groups.push((root, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, places)) = groups.get_mut(at) {
                places.push(*place);
            }
        }
        groups
    }

    /// Returns the words that the objects of these tools begin with, in the longest form.
    fn label(&self, places: &[usize]) -> Vec<String> {
        let tools: Vec<&Subject> = places
            .iter()
            .filter_map(|place| self.tools.get(*place))
            .collect();
        let roots: Vec<&[String]> = tools.iter().map(|tool| tool.roots.as_slice()).collect();
        let shared = shared_by(&roots);
        (0..shared)
            .map(|at| {
                // Only the end of an object is in its plural: `issues`, but `issue comments`.
                let ends = tools.iter().filter(|tool| tool.object.len() == at + 1);
                let forms = ends.chain(&tools).filter_map(|tool| tool.object.get(at));
                let mut longest: &str = "";
                for form in forms {
                    if longest.is_empty() || (at + 1 == shared && form.len() > longest.len()) {
                        longest = form;
                    }
                }
                longest.to_owned()
            })
            .collect()
    }
}

impl Subject {
    fn new(words: Vec<String>, is_verb_last: bool) -> Self {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let last = words.len().saturating_sub(1);
        // `list_issues`, or `storage_account_list`.
        let begins = is_verb(word(0), word(1));
        let ends = is_verb(word(last), "");
        let (verb, object) = match (begins, ends) {
            (true, _) if last == 0 => (Some(0), None),
            (_, true) if is_verb_last || !begins => (Some(last), words.get(..last)),
            (true, _) if !is_verb_last => (Some(0), words.get(1..)),
            _ => (None, Some(&words[..])),
        };
        let verb = verb.map(|at| word(at).to_owned());
        let object: Vec<String> = object
            .unwrap_or_default()
            .iter()
            .skip_while(|word| NO_OBJECT.contains(&word.as_str()))
            .take_while(|word| !AFTER_OBJECT.contains(&word.as_str()))
            .cloned()
            .collect();
        let roots = object.iter().map(|word| singular(word)).collect();
        Self {
            verb,
            object,
            roots,
            words,
        }
    }
}

/// Words with their counts, in the order of the first of each.
#[derive(Default)]
struct Counts {
    /// The key, its longest form and its count.
    counted: Vec<(String, String, usize)>,
}

impl Counts {
    fn add(&mut self, key: &str, form: &str) {
        match self.counted.iter_mut().find(|(known, ..)| known == key) {
            Some((_, longest, count)) => {
                *count += 1;
                if form.len() > longest.len() {
                    *longest = form.to_owned();
                }
            }
            None => self.counted.push((key.to_owned(), form.to_owned(), 1)),
        }
    }

    fn most_frequent(mut self) -> Vec<String> {
        // A stable sort, so equally frequent words keep their order.
        self.counted
            .sort_by_key(|(.., count)| std::cmp::Reverse(*count));
        self.counted.into_iter().map(|(_, form, _)| form).collect()
    }
}

/// Returns the words of a text, in lower case; identifiers are split.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokenize::each(text, &mut |word, kind| {
        if kind == WordKind::Plain {
            words.push(word.to_owned());
        }
    });
    words
}

/// Returns a word without a plural ending. Unlike a root, it is not cut: `azurebackup` and
/// `azuremigrate` are two objects.
fn singular(word: &str) -> String {
    let mut word = word.to_owned();
    stem::drop_plural(&mut word);
    word
}

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write_root(word, &mut root);
    root
}

/// Returns how many words all names begin with, so that each keeps one.
fn shared_beginning(names: &[Vec<String>]) -> usize {
    let known = names.iter().filter(|name| !name.is_empty());
    let slices: Vec<&[String]> = known.map(Vec::as_slice).collect();
    let shortest = slices.iter().map(|name| name.len()).min().unwrap_or(0);
    shared_by(&slices).min(shortest.saturating_sub(1))
}

/// Returns how many elements all lists begin with.
fn shared_by(lists: &[&[String]]) -> usize {
    let Some((first, others)) = lists.split_first() else {
        return 0;
    };
    let is_shared = |(at, element): &(usize, &String)| {
        others.iter().all(|list| list.get(*at) == Some(*element))
    };
    first.iter().enumerate().take_while(is_shared).count()
}

/// Joins the first texts that fit, and says if there are more.
fn first_of(texts: &[String], max: usize) -> String {
    const MORE: &str = " and more";
    let mut line = String::new();
    for (place, text) in texts.iter().enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        let is_last = place + 1 == texts.len();
        let room = max.saturating_sub(if is_last { 0 } else { MORE.len() });
        let length = line.chars().count() + separator.len() + text.chars().count();
        if length > room {
            line.push_str(MORE);
            break;
        }
        line.push_str(separator);
        line.push_str(text);
    }
    line
}

/// Joins words as a sentence does.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect()
}
