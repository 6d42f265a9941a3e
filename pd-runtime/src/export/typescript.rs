//! `typescript`: tools as code (the whitepaper's "Code-as-Tools"). An agent reads the file of the
//! tool that it needs and writes a script that combines several tools. Only the script's output
//! goes back to the model.

mod comment;
mod declarations;
mod function;
mod identifier;

use super::{ExportFile, names::FileNames};
#[cfg(feature = "presets")]
use crate::policy::preset_role::{GramRole, PresetRole, StrataRole, TreeRole};
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    policy::meta_tools::{MetaToolRole, MetaTools},
};
use comment::DocComment;
use identifier::camel;
use std::{collections::HashMap, fmt::Write, sync::Arc};

/// The module that every tool imports. It is the same for all servers except for the call that
/// describes tools.
const CLIENT: &str = include_str!("typescript/client.ts");
const DESCRIBE: &str = "'describe_tools'";
const DESCRIBE_ARGUMENTS: &str = "{ names: [name] }";
const DESCRIPTION_EXPRESSION: &str = "at(leading(firstText(described)), name)";
/// The meta-tools that describe tools, the arguments of each, and the expression for the
/// description in its answer.
const DESCRIBE_TOOLS: &[(MetaToolRole, &str, &str)] = &[
    (
        MetaToolRole::Describe,
        DESCRIBE_ARGUMENTS,
        DESCRIPTION_EXPRESSION,
    ),
    #[cfg(feature = "presets")]
    (
        MetaToolRole::Preset(PresetRole::Tree(TreeRole::Describe)),
        "{ path: name }",
        "leading(firstText(described))",
    ),
    #[cfg(feature = "presets")]
    (
        MetaToolRole::Preset(PresetRole::Gram(GramRole::Describe)),
        "{ tool_names: [name] }",
        "at(at(leading(firstText(described)), 'tools'), '0')",
    ),
    #[cfg(feature = "presets")]
    (
        MetaToolRole::Preset(PresetRole::Strata(StrataRole::ActionDetails)),
        "{ server_name: '', action_name: name }",
        "at(leading(firstText(described)), 'action')",
    ),
];
/// The exports of `client.ts`, and the files next to tools. No tool gets one of these names.
const RESERVED: [&str; 7] = [
    "client",
    "index",
    "callMCPTool",
    "setClient",
    "ToolFailed",
    "McpClient",
    "ToolContent",
];
const HEADER: &str =
    "// Written by pd-runtime; the server's command `export --format typescript` renews it.\n\n";

pub(super) fn files(view: &CallerView<'_>) -> Vec<ExportFile> {
    let mut library = TypeScriptLibrary {
        view,
        names: FileNames::with_taken(&RESERVED),
        homes: HashMap::new(),
        files: vec![ExportFile::new("client.ts", client(view.meta_tools()))],
    };
    library.write_group(None, "");
    library.files
}

/// Renders `client.ts` with the name of the server's own meta-tool that describes tools.
fn client(offered: &MetaTools) -> String {
    // The first meta-tool that the server has. Without one, the default stays; `client.ts` calls it
    // only if a refusal contains neither a description nor its URI.
    let mut describing = DESCRIBE_TOOLS
        .iter()
        .filter_map(|(role, arguments, expression)| {
            Some((offered.name_as(*role)?, *arguments, *expression))
        });
    let (name, arguments, expression) = describing.next().unwrap_or((
        MetaToolRole::Describe.default_name(),
        DESCRIBE_ARGUMENTS,
        DESCRIPTION_EXPRESSION,
    ));
    let client = CLIENT
        .replace(DESCRIBE, &format!("'{name}'"))
        .replace(DESCRIBE_ARGUMENTS, arguments)
        .replace(DESCRIPTION_EXPRESSION, expression);
    format!("{HEADER}{client}")
}

/// The files of the library, while they are written.
struct TypeScriptLibrary<'a> {
    view: &'a CallerView<'a>,
    /// The names of the functions, unique in the whole library.
    names: FileNames,
    /// The file and the function name of each tool, by the tool's index.
    homes: HashMap<usize, (String, String)>,
    files: Vec<ExportFile>,
}

impl<'a> TypeScriptLibrary<'a> {
    /// Writes the directory of a group, or the top level. The path ends with a slash, or is empty.
    fn write_group(&mut self, group: Option<&'a TreeNode>, path: &str) {
        let place = self.files.len();
        let mut index = self.index_header(group);
        let mut functions: Vec<String> = Vec::new();
        for entry in self.tools(group) {
            let (file, function) = self.home(entry, path);
            let types = function::exported_types(entry, &function);
            let _ = writeln!(
                index,
                "export {{ {function}{types} }} from '{}';",
                import_path(path, &file)
            );
            functions.push(function);
        }
        let mut namespaces = FileNames::with_taken(
            &functions
                .iter()
                .map(String::as_str)
                .chain(RESERVED)
                .collect::<Vec<_>>(),
        );
        let mut directories = FileNames::default();
        for inner in self.view.groups_in(group) {
            let directory = directories.take(&inner.name);
            let namespace = namespaces.take(&camel(&inner.name));
            let _ = writeln!(
                index,
                "export * as {namespace} from './{directory}/index.js';"
            );
            self.write_group(Some(inner), &format!("{path}{directory}/"));
        }
        self.files
            .insert(place, ExportFile::new(format!("{path}index.ts"), index));
    }

    fn tools(&self, group: Option<&'a TreeNode>) -> Vec<&'a Arc<CatalogEntry>> {
        match group {
            Some(group) => self.view.tools_of(group).collect(),
            None => self
                .view
                .catalog
                .root
                .tools
                .iter()
                .filter_map(|name| self.view.find(name))
                .collect(),
        }
    }

    /// Returns the file and the function name of a tool. A tool in several groups has its file in
    /// the first one, and is written when it is first met.
    fn home(&mut self, entry: &CatalogEntry, path: &str) -> (String, String) {
        if let Some(home) = self.homes.get(&entry.place) {
            return home.clone();
        }
        let function = self.names.take(&camel(entry.name()));
        let file = format!("{path}{function}.ts");
        let text = function::render(entry, &function, &import_path(path, "client.ts"));
        self.files
            .push(ExportFile::new(&*file, format!("{HEADER}{text}")));
        let home = (file, function);
        self.homes.insert(entry.place, home.clone());
        home
    }

    /// Renders the beginning of an index, before its exports.
    fn index_header(&self, group: Option<&TreeNode>) -> String {
        let info = &self.view.catalog.info;
        let whole = info.whole_instructions();
        let (name, summary, instructions) = match group {
            Some(group) => (
                &*group.path,
                self.view.summary_of(group),
                &*group.instructions,
            ),
            None => (&*info.name, "".into(), &*whole),
        };
        let mut comment = DocComment::default();
        comment.paragraph(&format!("`{name}` {summary}"));
        comment.paragraph(instructions);
        let mut text = format!("{HEADER}{}\n", comment.render(""));
        if group.is_none() {
            text.push_str("export { callMCPTool, setClient, ToolFailed } from './client.js';\n");
            text.push_str("export type { McpClient, ToolContent } from './client.js';\n");
        }
        text
    }
}

/// Returns the module path by which a file in this directory imports another file.
fn import_path(directory: &str, file: &str) -> String {
    let module = file.strip_suffix(".ts").unwrap_or(file);
    let both = directory
        .split_inclusive('/')
        .zip(module.split_inclusive('/'));
    let shared: usize = both
        .take_while(|(own, other)| own == other)
        .map(|(own, _)| own.len())
        .sum();
    let own = directory.get(shared..).unwrap_or_default();
    let other = module.get(shared..).unwrap_or_default();
    // Each remaining directory of the importing file is one level up. ECMAScript modules need the
    // `./` and the extension `.js`.
    match own.matches('/').count() {
        0 => format!("./{other}.js"),
        levels => format!("{}{other}.js", "../".repeat(levels)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_knows_the_servers_own_name_for_describing() {
        assert_eq!(client(&MetaTools::none()), format!("{HEADER}{CLIENT}"));
        let renamed = client(&MetaTools::none().describe("explain"));
        assert!(
            renamed.contains("callTool({ name: 'explain', arguments: { names: [name] } })"),
            "{renamed}"
        );
    }

    #[cfg(feature = "presets")]
    #[test]
    fn the_client_knows_what_a_presets_own_takes_and_where_it_tells() {
        for (role, call, expression) in [
            (
                MetaToolRole::Preset(PresetRole::Tree(TreeRole::Describe)),
                "'describe_tool', arguments: { path: name }",
                "leading(firstText(described))",
            ),
            (
                MetaToolRole::Preset(PresetRole::Gram(GramRole::Describe)),
                "'describe_tools', arguments: { tool_names: [name] }",
                "'tools'), '0')",
            ),
            (
                MetaToolRole::Preset(PresetRole::Strata(StrataRole::ActionDetails)),
                "'get_action_details', arguments: { server_name: '', action_name: name }",
                "'action')",
            ),
        ] {
            let client = client(&MetaTools::with_roles(&[role]));
            assert!(
                client.contains(&format!("callTool({{ name: {call} }})")),
                "{client}"
            );
            assert!(
                client.contains(&format!("{expression}, described)")),
                "{client}"
            );
        }
    }
}
