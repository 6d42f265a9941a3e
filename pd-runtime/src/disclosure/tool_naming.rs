//! The words of one answer for tools. A preset of another system has its own.

/// What an answer calls the tools of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ToolNaming {
    /// Tools, by the names that clients call them by.
    #[default]
    Tools,
    /// Actions of servers, by the names that they have there.
    Actions,
}

impl ToolNaming {
    /// Returns the word for one tool at the beginning of a text.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tools => "Tool",
            Self::Actions => "Action",
        }
    }

    /// Returns the request to call the tool once more.
    pub(crate) fn call_again(self) -> &'static str {
        match self {
            Self::Tools => "call the tool again",
            Self::Actions => "execute the action again",
        }
    }
}
