//! Registries that nobody would write: any number of tools with any arguments, in any groups, for any scopes.

use futures::{FutureExt, future::ready};
use pd_runtime::{Bundle, Group, IntoOutput, Registry, Tool};
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value, json};

/// A registry and a caller of it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) tools: Vec<PlannedTool>,
    groups: Vec<PlannedGroup>,
    /// The scopes that the caller holds.
    scopes: Vec<u8>,
}

#[derive(Debug, Clone)]
pub(crate) struct PlannedTool {
    pub(crate) name: String,
    marker: String,
    arguments: Vec<Kind>,
    scope: Option<u8>,
    pub(crate) eager: bool,
    read_only: bool,
    alias: Option<String>,
    is_top: bool,
}

#[derive(Debug, Clone)]
struct PlannedGroup {
    /// A group before this one; at the top level where there is none.
    parent: Option<usize>,
    members: Vec<usize>,
    has_instructions: bool,
}

/// What an argument is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Count,
    Flag,
    Choice,
    List,
    Nested,
}

const SCOPES: [&str; 3] = ["read", "write", "admin"];

/// Any plan: 1 to 9 tools in 0 to 5 groups.
pub(crate) fn any() -> impl Strategy<Value = Plan> {
    let tools = vec(tool(), 1..10);
    let groups = vec(
        (option::of(0_usize..5), vec(0_usize..9, 0..5), any_bool()),
        0..6,
    );
    let scopes = vec(0_u8..3, 0..3);
    (tools, groups, scopes).prop_map(|(tools, groups, scopes)| Plan::new(tools, groups, scopes))
}

fn any_bool() -> impl Strategy<Value = bool> {
    prop::bool::ANY
}

fn tool() -> impl Strategy<Value = PlannedTool> {
    let kind = prop_oneof![
        Just(Kind::Text),
        Just(Kind::Count),
        Just(Kind::Flag),
        Just(Kind::Choice),
        Just(Kind::List),
        Just(Kind::Nested)
    ];
    let hints = (prop::bool::weighted(0.2), any_bool(), any_bool());
    let words = (
        "[a-z]{3,8}",
        option::weighted(0.3, "[a-zé]{3,8} [a-z]{3,8}"),
    );
    (
        words,
        vec(kind, 0..5),
        option::weighted(0.4, 0_u8..3),
        hints,
    )
        .prop_map(
            |((name, alias), arguments, scope, (eager, read_only, is_top))| PlannedTool {
                name,
                marker: String::new(),
                arguments,
                scope,
                eager,
                read_only,
                alias,
                is_top,
            },
        )
}

impl Plan {
    fn new(
        mut tools: Vec<PlannedTool>,
        groups: Vec<(Option<usize>, Vec<usize>, bool)>,
        scopes: Vec<u8>,
    ) -> Self {
        for (place, tool) in tools.iter_mut().enumerate() {
            // Words that occur nowhere else, so that a trace of a hidden tool is found wherever it is.
            tool.marker = format!("qz{place}mark");
            tool.name = format!("{}_x{place}name", tool.name);
        }
        let count = tools.len();
        let groups =
            groups
                .into_iter()
                .enumerate()
                .map(|(place, (parent, members, has_instructions))| {
                    let mut members: Vec<_> = members
                        .into_iter()
                        .filter(|member| *member < count)
                        .collect();
                    members.sort_unstable();
                    members.dedup();
                    PlannedGroup {
                        parent: parent.filter(|parent| *parent < place),
                        members,
                        has_instructions,
                    }
                });
        let mut plan = Self {
            groups: groups.collect(),
            tools,
            scopes,
        };
        for (place, tool) in plan.tools.iter_mut().enumerate() {
            tool.is_top |= !plan
                .groups
                .iter()
                .any(|group| group.members.contains(&place));
        }
        plan
    }

    pub(crate) fn sees(&self, tool: &PlannedTool) -> bool {
        tool.scope.is_none_or(|scope| self.scopes.contains(&scope))
    }

    /// The bearer token of the caller, as the test site reads it.
    pub(crate) fn bearer(&self) -> String {
        let scopes = self.scopes.iter().map(|scope| SCOPES[usize::from(*scope)]);
        std::iter::once("alice")
            .chain(scopes)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The groups that hold this tool.
    pub(crate) fn groups_of(&self, name: &str) -> Vec<String> {
        let place = self
            .tools
            .iter()
            .position(|tool| tool.name == name)
            .unwrap();
        let holding = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.members.contains(&place));
        holding.map(|(place, _)| group_name(place)).collect()
    }

    /// Whether it stands in the top level, whatever groups it is in besides.
    pub(crate) fn is_top(&self, name: &str) -> bool {
        self.tools
            .iter()
            .any(|tool| tool.name == name && tool.is_top)
    }

    /// Whether the caller sees any group: one with a tool that exists for it.
    pub(crate) fn shows_groups(&self) -> bool {
        self.tools
            .iter()
            .any(|tool| self.sees(tool) && !self.groups_of(&tool.name).is_empty())
    }

    pub(crate) fn registry(&self) -> Registry<()> {
        let mut placed = vec![false; self.tools.len()];
        let mut registry = Registry::builder().name("story").instructions("A story.");
        for (place, tool) in self
            .tools
            .iter()
            .enumerate()
            .filter(|(_, tool)| tool.is_top)
        {
            registry = registry.tool(tool.tool());
            placed[place] = true;
        }
        let tops = (0..self.groups.len()).filter(|place| self.groups[*place].parent.is_none());
        for place in tops {
            registry = registry.group(self.group(place, &mut placed));
        }
        let all = self.tools.iter().map(|tool| tool.name.clone());
        let bundle = Bundle::new("everything", "All there is")
            .instructions("Use them in order.")
            .tools(all);
        registry.bundle(bundle).build().expect("a sound registry")
    }

    fn group(&self, place: usize, placed: &mut [bool]) -> Group<()> {
        let planned = &self.groups[place];
        let mut group = Group::new(group_name(place), format!("Things of kind {place}"));
        if planned.has_instructions {
            group = group.instructions(format!("Mind the order of kind {place}."));
        }
        for member in &planned.members {
            group = match std::mem::replace(&mut placed[*member], true) {
                true => group.member(self.tools[*member].name.clone()),
                false => group.tool(self.tools[*member].tool()),
            };
        }
        let inside = (place + 1..self.groups.len())
            .filter(|inner| self.groups[*inner].parent == Some(place));
        inside.fold(group, |group, inner| group.group(self.group(inner, placed)))
    }
}

fn group_name(place: usize) -> String {
    format!("kind-{place}")
}

impl PlannedTool {
    /// A word that its summary, description and alias have, and nothing else.
    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) fn schema(&self) -> Value {
        let kinds = self.arguments.iter().enumerate();
        let properties: Map<_, _> = kinds
            .clone()
            .map(|(place, kind)| (argument(place), kind.schema()))
            .collect();
        let required: Vec<_> = kinds
            .filter(|(place, _)| place % 2 == 0)
            .map(|(place, _)| argument(place))
            .collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// Arguments that fit.
    pub(crate) fn arguments(&self) -> Value {
        let sent = self
            .arguments
            .iter()
            .enumerate()
            .filter(|(place, _)| place % 2 == 0);
        Value::Object(
            sent.map(|(place, kind)| (argument(place), kind.value()))
                .collect(),
        )
    }

    fn tool(&self) -> Tool<()> {
        let hints = pd_runtime::tool::ToolAnnotations {
            read_only: self.read_only.then_some(true),
            ..pd_runtime::tool::ToolAnnotations::NONE
        };
        let tool = Tool::new(
            self.name.clone(),
            format!("Do {}", self.marker),
            |(), _, _| ready("ran".into_output()).boxed(),
        );
        let mut tool = tool
            .description(format!("How to do {}.\n\nIn two paragraphs.", self.marker))
            .input_schema(self.schema())
            .example("The least", self.arguments())
            .with_annotations(hints);
        if let Some(scope) = self.scope {
            tool = tool.scope(SCOPES[usize::from(scope)]);
        }
        if let Some(alias) = &self.alias {
            tool = tool.alias(format!("{alias} {}", self.marker));
        }
        if self.eager { tool.eager() } else { tool }
    }
}

fn argument(place: usize) -> String {
    format!("argument_{place}")
}

impl Kind {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string", "description": "A text.", "minLength": 1 }),
            Self::Count => json!({ "type": "integer", "minimum": 0, "maximum": 9, "default": 3 }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Choice => json!({ "type": "string", "enum": ["a", "b"] }),
            Self::List => json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3 }),
            Self::Nested => json!({
                "type": "object",
                "properties": { "inner": { "type": "number" } },
                "required": ["inner"],
            }),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Text => json!("x"),
            Self::Count => json!(4),
            Self::Flag => json!(true),
            Self::Choice => json!("b"),
            Self::List => json!(["y"]),
            Self::Nested => json!({ "inner": 1.5 }),
        }
    }
}
