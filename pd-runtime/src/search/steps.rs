//! Splits a request for several steps ("find the flaky test and open an issue about it") into one
//! request for each. The words between steps are English, so a request in another language is one step.

use super::{english, query, thesaurus};

/// The most steps of a request. Further ones belong to the last.
const STEPS_MAX: usize = 5;

/// The most words before the verb of a step, which say little.
const LEAD_MAX: usize = 4;

/// Words between two steps, which belong to neither. Longer ones come first.
const JOINTS: [&str; 12] = [
    " and then ",
    " and also ",
    " after that ",
    " afterwards ",
    " finally ",
    " then ",
    " next ",
    " and ",
    "; ",
    ". ",
    ", ",
    "\n",
];

/// Words that follow a verb, and make the word before them one: `file a bug`, `star it`.
const OBJECTS: [&str; 38] = [
    "a",
    "all",
    "an",
    "another",
    "any",
    "both",
    "each",
    "every",
    "everybody",
    "everyone",
    "her",
    "him",
    "his",
    "it",
    "its",
    "me",
    "my",
    "one",
    "our",
    "some",
    "that",
    "the",
    "their",
    "them",
    "these",
    "this",
    "those",
    "two",
    "us",
    "whatever",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "who",
    "whoever",
    "your",
];

/// Returns the requests for the steps of a request, in order, or nothing if it has only one. A step
/// begins with a verb, so that `logs and metrics` is one thing.
pub(crate) fn split(request: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for (joint, part) in parts(request) {
        let words = words(part);
        let starts = steps.is_empty() || (steps.len() < STEPS_MAX && begins_with_verb(&words));
        match steps.last_mut() {
            Some(step) if !starts => *step += &format!("{joint}{part}"),
            _ => steps.push(part.trim().to_owned()),
        }
    }
    let steps = join_lone_verbs(steps);
    let begins = steps
        .first()
        .is_some_and(|step| begins_with_verb(&words(step)));
    if steps.len() < 2 || !begins {
        return Vec::new();
    }
    let mut object = String::new();
    steps
        .into_iter()
        .map(|step| {
            let rest = object_of(&step);
            if !rest.is_empty() {
                object = rest;
                step
            } else if object.is_empty() {
                step
            } else {
                // `close it` is about what the step before is about.
                format!("{step} {object}")
            }
        })
        .collect()
}

/// Joins a verb alone with the next step, which has its object: `find and replace a text`.
fn join_lone_verbs(steps: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut verb = String::new();
    for step in steps {
        let step = format!("{verb}{step}");
        if words(&step).len() < 2 {
            verb = step + " ";
        } else {
            verb.clear();
            joined.push(step);
        }
    }
    joined
}

/// Cuts a request at the joints. Each part comes with the joint before it.
fn parts(request: &str) -> Vec<(&str, &str)> {
    let mut parts = Vec::new();
    let mut joint = "";
    let mut rest = request;
    // The first joint, and the longest of those that begin there.
    while let Some((at, joint_len)) = JOINTS
        .iter()
        .filter_map(|joint| Some((find(rest, joint)?, joint.len())))
        .min_by_key(|(at, len)| (*at, usize::MAX - len))
    {
        let (part, after) = rest.split_at(at);
        parts.push((joint, part));
        // The space at the end of a joint may begin the next one: `, and `.
        let end = joint_len - usize::from(after.as_bytes().get(joint_len - 1) == Some(&b' '));
        (joint, rest) = after.split_at(end);
    }
    parts.push((joint, rest));
    parts.retain(|(_, part)| !part.trim().is_empty());
    parts
}

fn find(text: &str, joint: &str) -> Option<usize> {
    text.as_bytes()
        .windows(joint.len())
        .position(|window| window.eq_ignore_ascii_case(joint.as_bytes()))
}

fn words(text: &str) -> Vec<String> {
    query::plain_words(text)
}

/// Returns the telling words after the verb of a step.
fn object_of(step: &str) -> String {
    let words = words(step);
    let start = verb_at(&words).map_or(0, |at| at + 1);
    let telling = words
        .iter()
        .skip(start)
        .filter(|word| english::weight(word) >= 1.0);
    telling.map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn begins_with_verb(words: &[String]) -> bool {
    verb_at(words).is_some()
}

/// Returns where a part has its verb: at its beginning, or after words such as `please` and `then`.
fn verb_at(words: &[String]) -> Option<usize> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..=LEAD_MAX)
        .find(|at| english::weight(word(*at)) >= 1.0 || thesaurus::is_verb(word(*at), word(at + 1)))
        .filter(|at| thesaurus::is_verb(word(*at), word(at + 1)) || OBJECTS.contains(&word(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_begins_with_a_verb() {
        for (request, steps) in [
            (
                "find the flaky test and open an issue about it",
                &["find the flaky test", "open an issue about it"][..],
            ),
            (
                "Stage my changes, and commit them.",
                &["Stage my changes", "commit them. changes"],
            ),
            (
                "first read the log; then restart the job and finally tell the team",
                &["first read the log", "restart the job", "tell the team"],
            ),
            (
                "look up the owner and file a bug",
                &["look up the owner", "file a bug"],
            ),
            (
                "list the tags\ndelete the oldest one",
                &["list the tags", "delete the oldest one"],
            ),
            ("list logs and metrics of a pod", &[]),
            ("find and replace a word", &[]),
            ("weather and news", &[]),
            ("search for trains, planes and buses", &[]),
            ("öffne die Datei und lösche sie", &[]),
            ("", &[]),
            (" and and then , ", &[]),
        ] {
            assert_eq!(split(request), steps, "{request}");
        }
    }

    #[test]
    fn a_long_request_has_few_steps() {
        let request = "open a file and ".repeat(1_000);
        assert_eq!(split(&request).len(), STEPS_MAX);
    }
}
