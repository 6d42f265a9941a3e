//! Which meta-tools a server offers, under what names. What they do is in `surface::meta_tools`.

use std::borrow::Cow;

/// Tools about tools, for hosts that speak nothing but tools.
///
/// | | default name | |
/// |---|---|---|
/// | find | `find_tools` | what a query finds; where one tool stands out, with its description |
/// | list | `list_tools` | a group's tools and groups |
/// | describe | `describe_tools` | full descriptions, or only signatures or summaries |
/// | call | `call_tool` | calls a tool by name, for hosts that call only what is listed |
/// | call read-only | `call_read_only_tool` | the same, for tools that say they are `read_only` |
///
/// A host cannot see the hints of a tool that is called through another, so `call_tool` carries the most cautious ones.
///
/// ```
/// use pd_runtime::MetaTools;
///
/// let offered = MetaTools::all().find("search_tools").without_list();
/// # let _ = offered;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaTools {
    /// In the order of the list.
    pub(crate) offers: Vec<Offer>,
    /// Whether a called tool's arguments may stand beside its name.
    pub(crate) flattened: bool,
}

/// One meta-tool under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) role: Role,
    pub(crate) name: Cow<'static, str>,
}

/// Which meta-tool it is: what it takes and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Find,
    List,
    Describe,
    // Those of others, in the order in which they are used.
    Tree(Tree),
    /// lazy-mcp's.
    Category,
    Gram(Gram),
    Strata(Strata),
    Call,
    CallReadOnly,
    /// Calls the tool at a path, which the argument of this name holds.
    CallAt(&'static str),
}

/// The whitepaper's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tree {
    List,
    Describe,
}

/// Gram's search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gram {
    Search,
    Describe,
}

/// Strata's funnel, and what its releases since have beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strata {
    Categories,
    CategoryActions,
    ActionDetails,
    Execute,
    Actions,
    Documentation,
}

impl Strata {
    pub(crate) const ALL: [Self; 6] = [
        Self::Categories,
        Self::CategoryActions,
        Self::ActionDetails,
        Self::Execute,
        Self::Actions,
        Self::Documentation,
    ];
}

/// What a meta-tool is for, whatever it takes and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Find,
    List,
    Describe,
    Call,
    CallReadOnly,
}

impl Role {
    /// Its name unless the author gives it another.
    pub(crate) fn default_name(self) -> &'static str {
        match self {
            Self::Find => "find_tools",
            Self::List | Self::Tree(Tree::List) => "list_tools",
            Self::Describe | Self::Gram(Gram::Describe) => "describe_tools",
            Self::Tree(Tree::Describe) => "describe_tool",
            Self::Category => "get_tools_in_category",
            Self::Gram(Gram::Search) => "search_tools",
            Self::Strata(Strata::Categories) => "discover_server_categories",
            Self::Strata(Strata::CategoryActions) => "get_category_actions",
            Self::Strata(Strata::ActionDetails) => "get_action_details",
            Self::Strata(Strata::Execute) => "execute_action",
            Self::Strata(Strata::Actions) => "discover_server_actions",
            Self::Strata(Strata::Documentation) => "search_documentation",
            Self::Call | Self::CallAt("path") => "call_tool",
            Self::CallAt(_) => "execute_tool",
            Self::CallReadOnly => "call_read_only_tool",
        }
    }

    /// Whether it calls another tool.
    pub(crate) fn calls(self) -> bool {
        matches!(self.purpose(), Purpose::Call | Purpose::CallReadOnly)
    }

    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Self::Find | Self::Gram(Gram::Search) => Purpose::Find,
            Self::Strata(Strata::Categories | Strata::Actions | Strata::Documentation) => Purpose::Find,
            Self::List | Self::Tree(Tree::List) | Self::Category => Purpose::List,
            Self::Strata(Strata::CategoryActions) => Purpose::List,
            Self::Describe | Self::Tree(Tree::Describe) | Self::Gram(Gram::Describe) => Purpose::Describe,
            Self::Strata(Strata::ActionDetails) => Purpose::Describe,
            Self::Call | Self::CallAt(_) | Self::Strata(Strata::Execute) => Purpose::Call,
            Self::CallReadOnly => Purpose::CallReadOnly,
        }
    }
}

macro_rules! roles {
    ($($role:ident: $on:ident, $off:ident, $what:literal;)*) => {$(
        #[doc = concat!("Offers the meta-tool that ", $what, ", under this name.")]
        #[must_use]
        pub fn $on(self, name: impl Into<Cow<'static, str>>) -> Self {
            self.with(Role::$role, name.into())
        }

        #[doc = concat!("Offers no meta-tool that ", $what, ".")]
        #[must_use]
        pub fn $off(self) -> Self {
            self.without(Role::$role)
        }
    )*};
}

impl MetaTools {
    /// None.
    pub fn none() -> Self {
        Self { offers: Vec::new(), flattened: false }
    }

    /// `describe_tools` alone: the default where all tools are listed.
    pub fn describing() -> Self {
        Self::none().with_default(Role::Describe)
    }

    /// `find_tools`, `list_tools`, `describe_tools` and `call_tool`: the default of [`Listing::Grouped`](crate::Listing::Grouped).
    pub fn all() -> Self {
        Self::of(&[Role::Find, Role::List, Role::Describe, Role::Call])
    }

    pub(crate) fn of(roles: &[Role]) -> Self {
        roles.iter().copied().fold(Self::none(), Self::with_default)
    }

    roles! {
        Find: find, without_find, "finds tools by a query";
        List: list, without_list, "lists a group";
        Describe: describe, without_describe, "describes tools";
        Call: call, without_call, "calls any tool";
        CallReadOnly: call_read_only, without_call_read_only, "calls read-only tools";
    }

    pub(crate) fn with_default(self, role: Role) -> Self {
        self.with(role, Cow::Borrowed(role.default_name()))
    }

    /// Also takes the arguments of a called tool where they stand beside its name, `{"name": "log", "path": "src"}`, as some
    /// models send them whatever the schema says.
    ///
    /// A tool's own argument `name` can then be sent only inside `arguments`.
    #[must_use]
    pub fn flattened(self) -> Self {
        Self { flattened: true, ..self }
    }

    fn with(self, role: Role, name: Cow<'static, str>) -> Self {
        let mut rest = self.without(role);
        let place = rest.offers.partition_point(|offer| offer.role < role);
        rest.offers.insert(place, Offer { role, name });
        rest
    }

    pub(crate) fn without(mut self, role: Role) -> Self {
        self.offers.retain(|offer| offer.role != role);
        self
    }

    /// The meta-tool of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.name == name)
    }

    /// The name of the first that is for this.
    pub(crate) fn name_of(&self, purpose: Purpose) -> Option<&str> {
        self.offers.iter().find(|offer| offer.role.purpose() == purpose).map(|offer| offer.name.as_ref())
    }

    /// The name under which it plays this role.
    pub(crate) fn name_as(&self, role: Role) -> Option<&str> {
        self.offers.iter().find(|offer| offer.role == role).map(|offer| offer.name.as_ref())
    }

    pub(crate) fn offers(&self, role: Role) -> bool {
        self.offers.iter().any(|offer| offer.role == role)
    }

    /// A name that stands twice.
    pub(crate) fn collision(&self) -> Option<&str> {
        let twice =
            |(place, offer): &(usize, &Offer)| self.offers.iter().take(*place).any(|one| one.name == offer.name);
        self.offers.iter().enumerate().find(twice).map(|(_, offer)| offer.name.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(offered: &MetaTools) -> Vec<&str> {
        offered.offers.iter().map(|offer| offer.name.as_ref()).collect()
    }

    #[test]
    fn they_keep_their_order_whatever_they_are_called() {
        assert_eq!(names(&MetaTools::all()), ["find_tools", "list_tools", "describe_tools", "call_tool"]);
        let renamed = MetaTools::all().call_read_only("read").find("search").without_list();
        assert_eq!(names(&renamed), ["search", "describe_tools", "call_tool", "read"]);
        assert_eq!(renamed.named("search").map(|offer| offer.role), Some(Role::Find));
        assert_eq!(renamed.name_of(Purpose::List), None);
    }

    #[test]
    fn two_of_one_name_are_found() {
        assert_eq!(MetaTools::all().collision(), None);
        assert_eq!(MetaTools::all().find("call_tool").collision(), Some("call_tool"));
    }
}
