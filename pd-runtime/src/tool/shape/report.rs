//! The text of a compile error: each fault of a value, with its path.

use super::const_json::JsonCursor;
use crate::text::const_message::ConstMessage;
use pd_schema::suggest;

/// The longest value that a message quotes, in bytes.
const QUOTED_MAX: usize = 40;

/// The faults that were found so far, as one message.
pub(super) struct FaultReport {
    message: ConstMessage,
    faults: usize,
}

/// The position of a value inside an argument. It is a linked list on the stack, because const
/// functions cannot allocate.
pub(super) struct ValuePath<'a> {
    parent: Option<&'a ValuePath<'a>>,
    step: PathStep<'a>,
}

/// One step of a path.
pub(super) enum PathStep<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> ValuePath<'a> {
    pub(super) const fn new(parent: Option<&'a ValuePath<'a>>, step: PathStep<'a>) -> Self {
        Self { parent, step }
    }

    /// Returns whether the path leads to an argument itself.
    pub(super) const fn is_outermost(&self) -> bool {
        self.parent.is_none()
    }
}

impl FaultReport {
    pub(super) const fn new() -> Self {
        Self {
            message: ConstMessage::new(),
            faults: 0,
        }
    }

    /// Returns all faults as one message, or `None` if no fault was found.
    pub(super) const fn faults(&self) -> Option<&str> {
        if self.faults == 0 {
            None
        } else {
            Some(self.message.as_str())
        }
    }

    /// Reports "`page.size` is "big", not a number".
    pub(super) const fn fault(&mut self, value: JsonCursor<'_>, what: &str, path: &ValuePath<'_>) {
        self.begin(path);
        let source = value.source();
        let quoted = quotable_part(source);
        let cut = if quoted.len() < source.len() {
            "…, "
        } else {
            ", "
        };
        self.message = self.message.text(" is ").text(quoted).text(cut).text(what);
    }

    /// Reports "`page.size` is 300, outside of 0 to 255".
    pub(super) const fn outside(
        &mut self,
        value: JsonCursor<'_>,
        min: i128,
        max: i128,
        path: &ValuePath<'_>,
    ) {
        self.fault(value, "outside of ", path);
        self.message = self.message.number(min).text(" to ").number(max);
    }

    /// Reports "`range` is `[1]`, not a list of 2".
    pub(super) const fn not_a_list_of(
        &mut self,
        value: JsonCursor<'_>,
        length: usize,
        path: &ValuePath<'_>,
    ) {
        self.fault(value, "not a list of ", path);
        self.message = self.message.number(length as i128);
    }

    /// Reports "`order` is "newst", none of "newest", "oldest"; did you mean `newest`?".
    pub(super) const fn none_of(
        &mut self,
        value: JsonCursor<'_>,
        word: &str,
        names: &[&str],
        path: &ValuePath<'_>,
    ) {
        self.fault(value, "none of ", path);
        let mut rest = names;
        while let [name, after @ ..] = rest {
            self.message = self
                .message
                .text("\"")
                .text(name)
                .text(if after.is_empty() { "\"" } else { "\", " });
            rest = after;
        }
        self.suggest(suggest::nearest(word, names));
    }

    /// Reports "`page.size` is missing; add it, or make it optional".
    pub(super) const fn missing(&mut self, path: &ValuePath<'_>) {
        self.begin(path);
        self.message = self
            .message
            .text(" is missing; add it, or make it optional");
    }

    /// Reports "`page.sise` is not a field of its type; did you mean `size`?".
    pub(super) const fn no_field(&mut self, suggestion: Option<&str>, path: &ValuePath<'_>) {
        self.begin(path);
        let what = if path.is_outermost() {
            " is not an argument of this tool"
        } else {
            " is not a field of its type"
        };
        self.message = self.message.text(what);
        self.suggest(suggestion);
    }

    /// Reports "`page.n` is an alias that callers are not shown; write `number`".
    pub(super) const fn alias(&mut self, name: &str, path: &ValuePath<'_>) {
        self.begin(path);
        self.message = self
            .message
            .text(" is an alias that callers are not shown; write `")
            .text(name)
            .text("`");
    }

    const fn suggest(&mut self, suggestion: Option<&str>) {
        if let Some(name) = suggestion {
            self.message = self.message.text("; did you mean `").text(name).text("`?");
        }
    }

    const fn begin(&mut self, path: &ValuePath<'_>) {
        self.message = self
            .message
            .text(if self.faults == 0 { "`" } else { "; `" });
        self.faults += 1;
        self.steps(path);
        self.message = self.message.text("`");
    }

    const fn steps(&mut self, path: &ValuePath<'_>) {
        // The list leads from the innermost step outwards, and the message starts at the outermost
        // one.
        if let Some(parent) = path.parent {
            self.steps(parent);
        }
        self.message = match path.step {
            PathStep::Name(name) if path.parent.is_some() => self.message.text(".").text(name),
            PathStep::Name(name) => self.message.text(name),
            PathStep::Index(index) => self.message.text("[").number(index as i128).text("]"),
        };
    }
}

/// Returns the part of a value that a message quotes, cut at a character boundary.
const fn quotable_part(source: &str) -> &str {
    let mut end = source.len();
    if end > QUOTED_MAX {
        end = QUOTED_MAX;
        while !source.is_char_boundary(end) {
            end -= 1;
        }
    }
    source.split_at(end).0
}
