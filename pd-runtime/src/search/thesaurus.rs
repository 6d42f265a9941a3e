//! English words that tools use for other words of a request: synonyms, and phrases.

use super::stem;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Returns the roots of the synonyms of this root.
pub(super) fn synonyms(root: &str) -> &'static [String] {
    THESAURUS.get(root).map_or(&[], Vec::as_slice)
}

/// Returns the roots of the words that tools use for this word, and for it and the next one.
pub(super) fn phrases(word: &str, next: &str) -> impl Iterator<Item = &'static String> {
    let pair = PHRASE_ROOTS.get([word, next].join(" ").as_str());
    PHRASE_ROOTS.get(word).into_iter().chain(pair).flatten()
}

/// Returns whether a word can be a verb in a request. `next` is the word after it.
pub(super) fn is_verb(word: &str, next: &str) -> bool {
    VERB_WORDS.contains(word) || VERB_WORDS.contains([word, next].join(" ").as_str())
}

// The roots are computed at the first search, because stemming is not const.
static THESAURUS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<String, Vec<String>> = HashMap::new();
    // A word may belong to several groups, as `show` does.
    for group in VERBS.iter().chain(THINGS) {
        // Documents are indexed by roots, so synonyms are roots, too.
        let roots: Vec<String> = group.split(' ').map(root_of).collect();
        for own in &roots {
            let others = synonyms.entry(own.clone()).or_default();
            for other in roots.iter().filter(|root| *root != own) {
                if !others.contains(other) {
                    others.push(other.clone());
                }
            }
        }
    }
    synonyms
});

static VERB_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    VERBS
        .iter()
        .flat_map(|group| group.split(' '))
        .chain(OTHER_VERBS.split(' '))
        // Phrases of two words begin with a verb: `set up`, `look for`.
        .chain(
            PHRASES
                .iter()
                .map(|(phrase, _)| *phrase)
                .filter(|phrase| phrase.contains(' ')),
        )
        .collect()
});

static PHRASE_ROOTS: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
    PHRASES
        .iter()
        .map(|(phrase, words)| (*phrase, words.split(' ').map(root_of).collect()))
        .collect()
});

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write_root(word, &mut root);
    root
}

/// Groups of synonyms for verbs. These verbs are not stop words: `get` and `delete` distinguish
/// tools.
const VERBS: &[&str] = &[
    "get fetch retrieve read show view display give see check",
    "list enumerate show",
    "create add make new insert generate",
    "delete remove erase drop destroy",
    "update edit modify change set alter revise adjust",
    "search find lookup query seek locate discover",
    "send post deliver submit message",
    "run execute start launch invoke trigger",
    "stop cancel abort terminate halt end",
    "upload import attach",
    "download export save",
    "copy duplicate clone",
    "move transfer relocate",
    "merge combine join",
    "compare diff difference",
    "convert transform translate",
    "calculate compute evaluate",
    "summarize summary digest",
    "schedule plan book reserve",
    "enable activate",
    "disable deactivate",
    "answer reply respond",
    "approve accept confirm allow",
    "reject decline refuse deny",
    "close finish complete resolve",
    "assign delegate",
    "ask request",
    "buy purchase order",
    "clear empty reset wipe",
    "clone fork copy",
    "draw paint sketch",
    "emulate simulate imitate pretend",
    "fail break crash",
    "fix repair correct solve",
    "hide conceal",
    "install deploy setup",
    "invite add",
    "follow subscribe watch",
    "unfollow unsubscribe",
    "leave exit quit",
    "mute silence snooze suppress",
    "mock stub fake intercept",
    "monitor watch observe track",
    "navigate visit browse goto",
    "notify inform alert",
    "open launch",
    "pause suspend wait",
    "pick choose select",
    "press hit push tap click",
    "publish release ship",
    "recommend suggest propose",
    "record capture",
    "rename retitle",
    "replace substitute swap",
    "restore recover undo revert",
    "rollback revert undo reset",
    "rerun retry restart",
    "scan inspect examine analyze",
    "share distribute",
    "sign authenticate login",
    "split divide",
    "sum total add",
    "test verify validate assert",
    "type enter write input",
    "write compose draft",
    "zip compress archive",
    "filter narrow",
    "sort order rank",
    "count number total",
    "lock protect",
    "unlock release",
    "measure quantify",
    "forward redirect",
    "tag label mark",
    "rate score",
];

/// Groups of synonyms for things.
const THINGS: &[&str] = &[
    "accommodation hotel lodging",
    "account profile user",
    "address location place",
    "agenda calendar schedule",
    "airfare flight airline",
    "alert alarm warning",
    "answer response",
    "apartment house home property",
    "app application program",
    "appointment meeting event",
    "article news story headline",
    "author writer",
    "balance account funds",
    "bill invoice receipt",
    "blog article post",
    "bookmark favorite star",
    "bug issue ticket defect",
    "build pipeline workflow job",
    "car vehicle auto",
    "chart graph plot diagram panel",
    "chat conversation message dm",
    "city town location",
    "client customer",
    "codebase repository project",
    "colleague coworker teammate",
    "comment remark note annotation",
    "commit revision changeset",
    "company business corporation firm",
    "config configuration setting preference",
    "connection connectivity network",
    "connection internet online",
    "cost price fee expense",
    "course class lesson tutorial",
    "credential password secret token",
    "currency money forex",
    "cv resume",
    "database db",
    "dashboard board",
    "dependency package library module",
    "dialog popup modal alert",
    "directory folder",
    "discount coupon deal promo",
    "disk drive storage volume",
    "doc document",
    "document file page",
    "domain website",
    "dropdown combobox select menu option",
    "duration latency time",
    "email mail inbox",
    "emoji reaction smiley",
    "employee staff worker",
    "epic parent",
    "equity stock share",
    "error exception failure fault",
    "error bug",
    "event incident outage",
    "exercise workout fitness training",
    "field column property attribute",
    "film movie",
    "food meal dish recipe",
    "forecast weather",
    "function method routine",
    "game play",
    "gist snippet",
    "graph metric",
    "gym fitness",
    "health medical medicine",
    "history log",
    "image picture photo",
    "image screenshot picture",
    "instance server machine vm",
    "job career vacancy",
    "keyboard key",
    "label tag category",
    "language translation",
    "lawyer legal law",
    "leak exposure",
    "link url hyperlink",
    "log trace",
    "logs events",
    "luggage baggage",
    "magazine journal",
    "map direction route",
    "measure metric statistic",
    "member user person people",
    "memory ram",
    "milestone deadline",
    "mouse cursor pointer",
    "music song track audio",
    "news headline",
    "note memo page",
    "offer deal",
    "offline disconnected network",
    "oncall pager shift duty",
    "outage incident downtime",
    "owner assignee",
    "paper research publication",
    "people user",
    "percentile quantile histogram",
    "permission access right role",
    "phone mobile telephone",
    "picture photo screenshot",
    "podcast episode",
    "pod container",
    "price quote",
    "processor cpu",
    "product item goods",
    "profile performance cpu",
    "quote quotation",
    "question query",
    "reminder todo",
    "repo repository",
    "restaurant dining food",
    "review feedback rating",
    "reviewer approver",
    "route path",
    "row record entry",
    "salary pay wage",
    "sale revenue",
    "school university education college",
    "section heading chapter",
    "security vulnerability vulnerable",
    "site website webpage page",
    "slide presentation deck",
    "snapshot backup",
    "song lyric",
    "space workspace",
    "spreadsheet sheet table excel",
    "statistic analytics metric stats",
    "stock ticker",
    "store shop",
    "subscription notification",
    "subtask child",
    "symptom disease",
    "tab window",
    "table dataset",
    "task todo",
    "team group",
    "teammate member",
    "text content",
    "thread conversation",
    "ticket issue",
    "timeline history",
    "topic subject",
    "tour trip travel journey vacation",
    "traffic network",
    "trend analytics",
    "tweet post",
    "version release tag",
    "video clip recording",
    "vulnerability cve advisory",
    "warning alert",
    "weather temperature",
    "wiki page",
    "zone region",
];

/// Phrases, and the words that tools use for them.
const PHRASES: &[(&str, &str)] = &[
    ("pr", "pull request"),
    ("prs", "pull request"),
    ("mr", "merge request"),
    ("ci", "workflow job"),
    ("k8s", "kubernetes"),
    ("kick off", "run trigger start"),
    ("look over", "review"),
    ("look up", "search find get"),
    ("look for", "search find"),
    ("look at", "get show"),
    ("find out", "get search"),
    ("get rid", "delete remove"),
    ("throw away", "delete clear"),
    ("write down", "create write"),
    ("note down", "create write"),
    ("set up", "create configure"),
    ("turn on", "enable activate"),
    ("turn off", "disable deactivate"),
    ("switch on", "enable"),
    ("switch off", "disable"),
    ("switch to", "checkout select"),
    ("log in", "login authenticate"),
    ("sign in", "login authenticate"),
    ("sign up", "register create"),
    ("log out", "logout session"),
    ("fill in", "fill form"),
    ("fill out", "fill form"),
    ("go back", "back previous"),
    ("go to", "navigate open"),
    ("check out", "checkout"),
    ("roll back", "rollback revert"),
    ("shut down", "stop terminate"),
    ("take down", "remove delete"),
    ("pull up", "get show"),
    ("bring up", "get show"),
    ("put off", "postpone reschedule"),
    ("call off", "cancel"),
    ("hand over", "assign transfer"),
    ("sign off", "approve"),
    ("back up", "backup snapshot"),
    ("how many", "count statistics"),
    ("how much", "price cost count"),
    ("how far", "distance"),
    ("how long", "duration time"),
    ("how slow", "latency duration"),
    ("how fast", "latency speed"),
    ("on call", "oncall"),
    ("on duty", "oncall shift"),
    ("thumbs up", "reaction emoji like"),
    ("dark mode", "color scheme theme"),
    ("light mode", "color scheme theme"),
    ("no internet", "offline network"),
    ("to do", "task todo"),
    ("real estate", "property house"),
    ("pull request", "pr"),
    ("ask for", "request"),
    ("tomorrow", "forecast date"),
    ("tonight", "current today"),
    ("now", "current"),
    ("right now", "current"),
    ("latest", "newest recent"),
    ("newest", "latest recent"),
    ("most recent", "latest"),
    ("broken", "error failure"),
    ("failing", "failed failure"),
    ("reported", "issue duplicate"),
    ("vulnerable", "vulnerability security alert"),
    ("blocks", "blocked dependency"),
    ("blocker", "dependency blocked"),
    ("logged", "log"),
];

/// Verbs of requests that have no synonym here.
const OTHER_VERBS: &str = "acknowledge apply attach bring call categorize check commit configure \
    connect count describe drag email escalate estimate explain extract fill flag format freeze \
    group handle hover identify index keep label learn leave load look map name pay ping post \
    predict prepare print prioritize process pull push put react read refresh register reload \
    report resize resume review save scale schedule scroll shorten stage subscribe sync tell \
    thank tick toggle track turn upgrade use wait warn";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_like() {
        assert!(synonyms(&root_of("removing")).contains(&root_of("delete")));
        assert!(synonyms(&root_of("tickets")).contains(&root_of("issue")));
        assert!(synonyms("xyz").is_empty());
        let phrase: Vec<_> = phrases("kick", "off").collect();
        assert!(phrase.contains(&&root_of("run")), "{phrase:?}");
        assert_eq!(phrases("", "").count(), 0);
    }

    #[test]
    fn verbs_are_told_from_things() {
        assert!(is_verb("delete", "") && is_verb("set", "up"));
        assert!(!is_verb("dashboard", "of"));
    }
}
