//! Groups of the tools of one server, by the objects in their names.

use super::{GROUP_MIN, NamedTool, Subjects, root_of, words};
use crate::search::thesaurus::is_verb;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of tools from which a group is divided further.
pub(super) const GROUP_MAX: usize = 25;

/// The least similarity by which a tool joins a group of other objects, from 0 to 1.
const SIMILAR: f32 = 0.2;

/// Tools of one server with the same object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectGroup {
    /// A name of `[a-z0-9-]`, such as `pull-requests`.
    pub name: String,
    /// The places of the tools that are in no group below.
    pub tools: Vec<usize>,
    /// The groups below.
    pub groups: Vec<SubjectGroup>,
}

impl SubjectGroup {
    /// Returns the places of all tools, also of those in groups below.
    pub fn all_tools(&self) -> Vec<usize> {
        let below = self.groups.iter().flat_map(Self::all_tools);
        self.tools.iter().copied().chain(below).collect()
    }
}

/// Divides the tools of one server into groups by the objects in their names. A tool whose object
/// no two others have joins the group whose words are most like its own. Returns no groups if the
/// names give none. The same tools give the same groups, and a further tool moves few others.
pub fn groups(tools: &[NamedTool<'_>]) -> Vec<SubjectGroup> {
    let subjects = Subjects::new(tools);
    let places: Vec<usize> = (0..tools.len()).collect();
    let groups = subjects.partition(&places, GroupLevel::TOP, &WordVectors::new(tools));
    let others = groups
        .iter()
        .filter(|group| group.name == OTHERS)
        .map(|group| group.tools.len())
        .sum::<usize>();
    // One group, or one that has most tools for want of a better one, is no help.
    let divides = groups.len() > 1 && others * 3 <= tools.len() * 2;
    if divides { groups } else { Vec::new() }
}

/// What groups are made by.
#[derive(Clone, Copy)]
struct GroupLevel {
    /// The place of the word in the objects.
    word: usize,
    /// Whether groups may be divided further.
    is_top: bool,
}

impl GroupLevel {
    const TOP: Self = Self {
        word: 0,
        is_top: true,
    };
}

/// The name of the group of tools that are in no other one.
pub(super) const OTHERS: &str = "others";

impl Subjects {
    fn partition(
        &self,
        places: &[usize],
        GroupLevel { word, is_top }: GroupLevel,
        vectors: &WordVectors,
    ) -> Vec<SubjectGroup> {
        let (mut kept, mut rest): (Vec<_>, Vec<_>) = self
            .by_root(places, word)
            .into_iter()
            .partition(|(root, places)| !root.is_empty() && places.len() >= GROUP_MIN);
        // In the order of the tools. What was kept is compared as it was, so that the order of the
        // rest does not matter.
        rest.sort_by_key(|(_, places)| places.first().copied());
        let centers: Vec<_> = kept
            .iter()
            .map(|(_, places)| vectors.center(places))
            .collect();
        let mut others = Vec::new();
        for place in rest.into_iter().flat_map(|(_, places)| places) {
            match vectors.most_similar(place, &centers) {
                Some(group) => kept
                    .get_mut(group)
                    .into_iter()
                    .for_each(|(_, places)| places.push(place)),
                None => others.push(place),
            }
        }
        let mut names = HashSet::new();
        let mut groups: Vec<_> = kept
            .into_iter()
            .map(|(root, places)| {
                let own: Vec<usize> = places
                    .iter()
                    .copied()
                    .filter(|place| {
                        self.tools
                            .get(*place)
                            .and_then(|tool| tool.roots.get(word))
                            .is_some_and(|own| own == root)
                    })
                    .collect();
                let label = self.label(&own);
                let name = unused(group_name(&label), &mut names);
                let mut group = SubjectGroup {
                    name,
                    tools: places,
                    groups: Vec::new(),
                };
                // One level: clients and registries bound how deep groups nest.
                if is_top && group.tools.len() > GROUP_MAX {
                    let level = GroupLevel {
                        word: label.len().max(word + 1),
                        is_top: false,
                    };
                    let below = self.partition(&group.tools, level, vectors);
                    if below.len() > 1 {
                        group.groups = below;
                        group.tools = Vec::new();
                        group.take_others();
                    }
                }
                group
            })
            .collect();
        if !others.is_empty() {
            groups.push(SubjectGroup {
                name: unused(OTHERS.to_owned(), &mut names),
                tools: others,
                groups: Vec::new(),
            });
        }
        groups
    }
}

impl SubjectGroup {
    /// Takes the tools that are in no group below.
    fn take_others(&mut self) {
        let (others, groups): (Vec<_>, Vec<_>) = std::mem::take(&mut self.groups)
            .into_iter()
            .partition(|group| group.name == OTHERS);
        self.groups = groups;
        self.tools = others.into_iter().flat_map(|group| group.tools).collect();
    }
}

/// The words of a tool: 1 for each root of its name and summary, weighted by its rarity. Sorted,
/// because the sum of floats depends on the order, and groups must not.
type WordVector = BTreeMap<String, f32>;

struct WordVectors {
    tools: Vec<WordVector>,
}

impl WordVectors {
    fn new(tools: &[NamedTool<'_>]) -> Self {
        let roots: Vec<HashSet<String>> = tools
            .iter()
            .map(|tool| {
                let mut roots = HashSet::new();
                for text in [tool.name, tool.summary] {
                    let words = words(text);
                    let things = words.iter().filter(|word| !is_verb(word, ""));
                    roots.extend(things.map(|word| root_of(word)));
                }
                roots
            })
            .collect();
        let mut having: HashMap<&str, f32> = HashMap::new();
        for root in roots.iter().flatten() {
            *having.entry(root).or_default() += 1.0;
        }
        let count = tools.len() as f32;
        let vectors = roots.iter().map(|roots| {
            let weight = |root: &String| (count / having.get(root.as_str()).unwrap_or(&1.0)).ln();
            normalized(
                roots
                    .iter()
                    .map(|root| (root.clone(), weight(root)))
                    .collect(),
            )
        });
        Self {
            tools: vectors.collect(),
        }
    }

    fn center(&self, places: &[usize]) -> WordVector {
        let mut center = WordVector::new();
        for vector in places.iter().filter_map(|place| self.tools.get(*place)) {
            for (root, weight) in vector {
                *center.entry(root.clone()).or_default() += weight;
            }
        }
        normalized(center)
    }

    /// Returns the center that a tool is most like, if it is like any.
    fn most_similar(&self, place: usize, centers: &[WordVector]) -> Option<usize> {
        let vector = self.tools.get(place)?;
        let similarity = |center: &WordVector| -> f32 {
            let products = vector
                .iter()
                .filter_map(|(root, weight)| Some(weight * center.get(root)?));
            products.sum()
        };
        let (best, most) = centers
            .iter()
            .map(similarity)
            .enumerate()
            // Of equals the first.
            .max_by(|one, next| one.1.total_cmp(&next.1).then(next.0.cmp(&one.0)))?;
        (most >= SIMILAR).then_some(best)
    }
}

fn normalized(mut vector: WordVector) -> WordVector {
    let squares = vector.values().map(|weight| weight * weight);
    let length = squares.sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    for weight in vector.values_mut() {
        *weight /= length;
    }
    vector
}

/// Returns the name of a group: the words that a name may have.
fn group_name(label: &[String]) -> String {
    let words: Vec<&str> = label
        .iter()
        .map(String::as_str)
        .filter(|word| word.bytes().all(|letter| letter.is_ascii_alphanumeric()))
        .collect();
    words.join("-")
}

/// Takes a name that no other group has.
pub(super) fn unused(name: String, taken: &mut HashSet<String>) -> String {
    let name = if name.is_empty() {
        "tools".to_owned()
    } else {
        name
    };
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}-{number}");
        number += 1;
    }
    candidate
}
