//! The meta-tools that a server offers, and their names. The module `surface::meta_tools`
//! implements them.

use super::{meta_tool_purpose::MetaToolPurpose, preset_role::PresetRole};
use crate::large_results::READ_MORE;
use std::borrow::Cow;

/// Tools about tools, for hosts that support only tools.
///
/// | | default name | |
/// |---|---|---|
/// | find | `find_tools` | searches tools; a clear best hit comes with its description |
/// | list | `list_tools` | lists the tools and groups of a group; `find_tools` does so, too, for the group's path |
/// | describe | `describe_tools` | returns full descriptions, signatures or summaries |
/// | call | `call_tool` | calls a tool by name, for hosts that call only listed tools |
/// | call read-only | `call_read_only_tool` | the same, for tools annotated as `read_only` |
/// | run code | `run_code` | runs a program that calls tools (feature `code`) |
///
/// A host cannot see the annotations of a tool that is called through another one, so `call_tool`
/// has the most cautious annotations. Hosts approve calls by the name of the listed tool, so tools
/// that only read have a second meta-tool, which is annotated as read-only.
///
/// ```
/// use pd_runtime::config::MetaTools;
///
/// let offered = MetaTools::all().find("search_tools").without_list();
/// # let _ = offered;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaTools {
    /// The meta-tools in list order. A list that names the tools of those that call puts these
    /// first.
    pub(crate) offers: Vec<OfferedMetaTool>,
    /// Whether the arguments of a called tool may be next to its name.
    pub(crate) flattened: bool,
}

/// One meta-tool with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedMetaTool {
    pub(crate) role: MetaToolRole,
    pub(crate) name: Cow<'static, str>,
    /// Whether lists and texts name it. One that is not listed can be called all the same.
    pub(crate) is_listed: bool,
}

/// The kind of a meta-tool, which determines its arguments and results. The order is the list
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MetaToolRole {
    Find,
    List,
    Describe,
    /// A meta-tool of another system.
    #[cfg_attr(not(feature = "presets"), expect(dead_code, reason = "presets use it"))]
    Preset(PresetRole),
    Call,
    CallReadOnly,
    #[cfg(feature = "code")]
    RunCode,
}

impl MetaToolRole {
    /// Returns the name that the tool has by default.
    pub(crate) fn default_name(self) -> &'static str {
        match self {
            Self::Find => "find_tools",
            Self::List => "list_tools",
            Self::Describe => "describe_tools",
            Self::Preset(role) => role.default_name(),
            Self::Call => "call_tool",
            Self::CallReadOnly => "call_read_only_tool",
            #[cfg(feature = "code")]
            Self::RunCode => "run_code",
        }
    }

    /// Returns whether the meta-tool calls another tool.
    pub(crate) fn calls(self) -> bool {
        matches!(
            self.purpose(),
            MetaToolPurpose::Call | MetaToolPurpose::CallReadOnly
        )
    }

    pub(crate) fn purpose(self) -> MetaToolPurpose {
        match self {
            Self::Find => MetaToolPurpose::Find,
            Self::List => MetaToolPurpose::List,
            Self::Describe => MetaToolPurpose::Describe,
            Self::Preset(role) => role.purpose(),
            Self::Call => MetaToolPurpose::Call,
            Self::CallReadOnly => MetaToolPurpose::CallReadOnly,
            #[cfg(feature = "code")]
            Self::RunCode => MetaToolPurpose::RunCode,
        }
    }
}

macro_rules! roles {
    ($($role:ident: $on:ident, $off:ident, $what:literal;)*) => {$(
        #[doc = concat!("Offers the meta-tool that ", $what, ", under this name.")]
        #[must_use]
        pub fn $on(self, name: impl Into<Cow<'static, str>>) -> Self {
            self.with(MetaToolRole::$role, name.into())
        }

        #[doc = concat!("Offers no meta-tool that ", $what, ".")]
        #[must_use]
        pub fn $off(self) -> Self {
            self.without(MetaToolRole::$role)
        }
    )*};
}

impl MetaTools {
    /// Offers no meta-tools.
    pub fn none() -> Self {
        Self {
            offers: Vec::new(),
            flattened: false,
        }
    }

    /// Offers `describe_tools` only. This is the default of listings that show all tools.
    pub fn describing() -> Self {
        Self::none().with_default(MetaToolRole::Describe)
    }

    /// Offers `find_tools`, `describe_tools`, `call_tool` and `call_read_only_tool`. This is the
    /// default of [`Listing::Grouped`](crate::Listing::Grouped) and
    /// [`Listing::Eager`](crate::Listing::Eager).
    ///
    /// `find_tools` also lists a group if its query is the group's path, so a model needs no other
    /// tool to walk through groups. `list_tools` can be called, but no list names it.
    pub fn searching() -> Self {
        let mut offered = Self::all();
        for offer in &mut offered.offers {
            offer.is_listed = offer.role != MetaToolRole::List;
        }
        offered
    }

    /// Offers `find_tools`, `list_tools`, `describe_tools`, `call_tool` and `call_read_only_tool`.
    ///
    /// A caller that sees no read-only tool is listed `call_tool` alone, and one that sees no other
    /// tool `call_read_only_tool` alone. Both can be called all the same.
    pub fn all() -> Self {
        use MetaToolRole::{Call, CallReadOnly, Describe, Find, List};
        Self::with_roles(&[Find, List, Describe, Call, CallReadOnly])
    }

    /// Offers `find_tools`, `describe_tools` and `run_code`. This is the default of
    /// [`code_mode`](crate::ServerBuilder::code_mode). (Feature `code`.)
    #[cfg(feature = "code")]
    pub fn code() -> Self {
        Self::with_roles(&[
            MetaToolRole::Find,
            MetaToolRole::Describe,
            MetaToolRole::RunCode,
        ])
    }

    pub(crate) fn with_roles(roles: &[MetaToolRole]) -> Self {
        roles.iter().copied().fold(Self::none(), Self::with_default)
    }

    roles! {
        Find: find, without_find, "finds tools by a query";
        List: list, without_list, "lists a group";
        Describe: describe, without_describe, "describes tools";
        Call: call, without_call, "calls any tool";
        CallReadOnly: call_read_only, without_call_read_only, "calls read-only tools";
    }

    #[cfg(feature = "code")]
    roles! {
        RunCode: run_code, without_run_code, "runs programs that call tools";
    }

    pub(crate) fn with_default(self, role: MetaToolRole) -> Self {
        self.with(role, Cow::Borrowed(role.default_name()))
    }

    /// Also accepts the arguments of a called tool next to its name, as in `{"name": "log", "path":
    /// "src"}`. Some models send them this way regardless of the schema. A read-only tool that
    /// declares all of them takes them without this setting, too.
    ///
    /// An argument of the tool that is itself called `name` must then be inside `arguments`.
    #[must_use]
    pub fn flattened(self) -> Self {
        Self {
            flattened: true,
            ..self
        }
    }

    /// Gives the meta-tool that calls any tool another name, if there is one.
    pub(crate) fn with_call_name(mut self, name: &str) -> Self {
        let calling = self
            .offers
            .iter_mut()
            // By purpose, because presets have calling meta-tools of other roles.
            .filter(|offer| offer.role.purpose() == MetaToolPurpose::Call);
        calling.for_each(|offer| offer.name = Cow::Owned(name.to_owned()));
        self
    }

    fn with(self, role: MetaToolRole, name: Cow<'static, str>) -> Self {
        // Removing the role first lets an author rename a meta-tool. The partition point keeps the
        // list order, which models read from top to bottom.
        let mut rest = self.without(role);
        let place = rest.offers.partition_point(|offer| offer.role < role);
        rest.offers.insert(
            place,
            OfferedMetaTool {
                role,
                name,
                is_listed: true,
            },
        );
        rest
    }

    pub(crate) fn without(mut self, role: MetaToolRole) -> Self {
        self.offers.retain(|offer| offer.role != role);
        self
    }

    /// Returns the meta-tool with this name.
    pub(crate) fn find_name(&self, name: &str) -> Option<&OfferedMetaTool> {
        self.offers.iter().find(|offer| offer.name == name)
    }

    /// Returns the name of the first listed meta-tool with this purpose.
    pub(crate) fn name_of(&self, purpose: MetaToolPurpose) -> Option<&str> {
        let mut listed = self.offers.iter().filter(|offer| offer.is_listed);
        listed
            .find(|offer| offer.role.purpose() == purpose)
            .map(|offer| offer.name.as_ref())
    }

    /// Returns the name of the meta-tool with this role.
    #[cfg(any(feature = "export", feature = "presets"))]
    pub(crate) fn name_as(&self, role: MetaToolRole) -> Option<&str> {
        self.offers
            .iter()
            .find(|offer| offer.role == role)
            .map(|offer| offer.name.as_ref())
    }

    /// Returns whether the meta-tool that describes tools takes their paths.
    pub(crate) fn describes_by_path(&self) -> bool {
        self.offers.iter().any(
            |offer| matches!(offer.role, MetaToolRole::Preset(role) if role.describes_by_path()),
        )
    }

    pub(crate) fn offers(&self, role: MetaToolRole) -> bool {
        self.offers.iter().any(|offer| offer.role == role)
    }

    /// Returns a name that two meta-tools share, if any.
    pub(crate) fn collision(&self) -> Option<&str> {
        let mut offers = self.offers.iter().enumerate();
        let second = offers.find(|(place, offer)| {
            self.offers
                // Each offer is compared with those before it, so the second of a pair is reported.
                .iter()
                .take(*place)
                .any(|one| one.name == offer.name)
        });
        second.map(|(_, offer)| offer.name.as_ref())
    }
}

/// Returns whether a meta-tool of any listing or preset has this name by default.
pub fn is_default_name(name: &str) -> bool {
    use MetaToolRole::{Call, CallReadOnly, Describe, Find, List};
    let roles = [Find, List, Describe, Call, CallReadOnly];
    #[cfg(feature = "code")]
    let roles = roles.into_iter().chain([MetaToolRole::RunCode]);
    #[cfg(feature = "presets")]
    let roles = roles
        .into_iter()
        .chain(PresetRole::ALL.into_iter().map(MetaToolRole::Preset));
    // The tool that reads on in large results is none of them, and a name of this server as well.
    name == READ_MORE || roles.into_iter().any(|role| role.default_name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(offered: &MetaTools) -> Vec<&str> {
        offered
            .offers
            .iter()
            .map(|offer| offer.name.as_ref())
            .collect()
    }

    #[test]
    fn they_keep_their_order_whatever_they_are_called() {
        let all = [
            "find_tools",
            "list_tools",
            "describe_tools",
            "call_tool",
            "call_read_only_tool",
        ];
        assert_eq!(names(&MetaTools::all()), all);
        let searching = MetaTools::searching();
        assert_eq!(
            searching.name_of(MetaToolPurpose::List),
            None,
            "no list names it"
        );
        assert!(
            searching.find_name("list_tools").is_some(),
            "it can be called"
        );
        assert_eq!(searching.list("list_tools"), MetaTools::all());
        let renamed = MetaTools::all()
            .call_read_only("read")
            .find("search")
            .without_list();
        assert_eq!(
            names(&renamed),
            ["search", "describe_tools", "call_tool", "read"]
        );
        assert_eq!(
            renamed.find_name("search").map(|offer| offer.role),
            Some(MetaToolRole::Find)
        );
        assert_eq!(renamed.name_of(MetaToolPurpose::List), None);
    }

    #[test]
    fn two_of_one_name_are_found() {
        assert_eq!(MetaTools::all().collision(), None);
        assert_eq!(
            MetaTools::all().find("call_tool").collision(),
            Some("call_tool")
        );
    }
}
