//! Tests of the contents of each format.

use super::{super::Format, Folder, tool};
use crate::{Bundle, Group, Registry};
use serde_json::{Value, json};

/// A registry with nested groups, a tool in two groups, a bundle, and names that file systems and
/// providers do not accept.
pub(super) fn shop() -> Registry<()> {
    let numbers = json!({ "type": "array", "items": { "type": "integer" } });
    let rare = Group::new("rare", "Count what is rare")
        .tool(tool("delete"))
        .member("find.item");
    let stock = Group::new("stock", "Look at the stock")
        .instructions("Count before you find.")
        .tool(tool("count").output_schema(numbers).scope("stock:read"))
        .tool(tool("find.item").related("count"))
        .group(rare);
    Registry::builder()
        .name("shop")
        .instructions("A small shop.\n\nOpen on Mondays.")
        .tools([tool("find_item").eager(), tool("Count"), tool("nul")])
        .group(stock)
        .group(Group::new("orders", "Look at orders").tool(tool("orders")))
        .bundle(Bundle::new("take-stock", "Count everything").tools(["count", "Count"]))
        .build()
        .unwrap()
}

fn exported(format: Format) -> Folder {
    let folder = Folder::new(&format!("format-{format}"));
    shop().export(format, &folder.0).unwrap();
    folder
}

fn json_of(folder: &Folder, file: &str) -> Value {
    serde_json::from_str(&folder.read(file)).unwrap()
}

/// Returns the path with this beginning and end.
fn path_like(folder: &Folder, begin: &str, end: &str) -> String {
    let found = folder
        .paths()
        .into_iter()
        .find(|path| path.starts_with(begin) && path.ends_with(end));
    found.unwrap_or_else(|| format!("no {begin}…{end} among {:?}", folder.paths()))
}

#[test]
fn tool_descriptions_are_full_and_keep_apart_on_every_file_system() {
    let folder = exported(Format::ToolDescriptions);
    let names: std::collections::HashSet<String> = folder
        .paths()
        .iter()
        .map(|path| path.to_lowercase())
        .collect();
    assert_eq!(names.len(), shop().len(), "{names:?}");
    assert!(!names.contains("nul.json"), "{names:?}");
    // The first tool in the registry keeps the plain name.
    assert_eq!(json_of(&folder, "Count.json")["name"], "Count");
    let count = json_of(&folder, &path_like(&folder, "count_", ".json"));
    assert_eq!(
        (&count["name"], &count["outputSchema"]["type"]),
        (&json!("count"), &json!("array"))
    );
    assert_eq!(
        json_of(&folder, "find.item.json")["related"],
        json!(["count"])
    );
    for file in folder.paths() {
        let description = json_of(&folder, &file);
        assert!(
            description["description"].is_string() && description["inputSchema"].is_object(),
            "{file}"
        );
    }
}

#[test]
fn a_tree_is_read_level_by_level() {
    let folder = exported(Format::Tree);
    let servers = json!([{ "name": "shop", "description": "A small shop." }]);
    assert_eq!(json_of(&folder, "index.json")["servers"], servers);
    let manifest = json_of(&folder, "shop/manifest.json");
    assert_eq!(
        manifest["groups"][0]["groups"][0]["tools"],
        json!(["delete", "find.item"])
    );
    let tools = manifest["tools"].as_array().unwrap();
    assert_eq!(tools.len(), shop().len());
    for tool in tools {
        let file = format!("shop/{}", tool["schema"].as_str().unwrap());
        assert_eq!(json_of(&folder, &file)["name"], tool["name"]);
    }
}

#[test]
fn typescript_has_a_file_a_tool_in_its_groups_directory() {
    let folder = exported(Format::TypeScript);
    let marked = path_like(&folder, "stock/findItem_", ".ts");
    let function = marked.trim_start_matches("stock/").trim_end_matches(".ts");
    let index = folder.read("index.ts");
    assert!(
        index.contains("\nexport { findItem, type FindItemInput } from './findItem.js';\n"),
        "{index}"
    );
    assert!(
        index.contains("\nexport * as orders from './orders/index.js';\n"),
        "{index}"
    );
    let stock = folder.read("stock/index.ts");
    assert!(
        stock.contains("`/stock` Look at the stock\n *\n * Count before you find."),
        "{stock}"
    );
    assert!(
        stock.contains("export * as rare from './rare/index.js';"),
        "{stock}"
    );
    // The second group has no second file of the tool.
    let rare = folder.read("stock/rare/index.ts");
    assert!(
        rare.contains(&format!("export {{ {function}, type "))
            && rare.contains(&format!("from '../{function}.js'")),
        "{rare}"
    );
    assert!(
        rare.contains("export { delete_, type DeleteInput } from './delete_.js';"),
        "{rare}"
    );
    let count = folder.read(&path_like(&folder, "stock/count_", ".ts"));
    assert!(
        count.contains("from '../client.js';") && count.contains("('count', input, true);"),
        "{count}"
    );
    assert!(
        folder.read("count.ts").contains("Promise<ToolContent>"),
        "without an output schema"
    );
}

#[test]
fn skills_are_of_groups_bundles_and_the_top_level() {
    let folder = exported(Format::Skills);
    let skills =
        ["orders", "rare", "shop", "stock", "take-stock"].map(|name| format!("{name}/SKILL.md"));
    let manuals: Vec<String> = folder
        .paths()
        .into_iter()
        .filter(|path| path.ends_with("SKILL.md"))
        .collect();
    assert_eq!(manuals, skills);
    let shop = folder.read("shop/SKILL.md");
    assert!(
        shop.starts_with("---\nname: \"shop\"\ndescription: \"A small shop. Use it for tasks that need: find_item"),
        "{shop}"
    );
    assert!(
        shop.contains("- `stock` (../stock/SKILL.md): Look at the stock\n"),
        "{shop}"
    );
    assert!(shop.contains("on the MCP server `shop`"), "{shop}");
    let stock = folder.read("stock/SKILL.md");
    for line in stock.lines().filter(|line| line.starts_with("- [")) {
        let link = line.split(['(', ')']).nth(1).unwrap();
        let name = line.split('`').nth(1).unwrap();
        assert_eq!(
            json_of(&folder, &format!("stock/{link}"))["name"],
            name,
            "{line}"
        );
    }
    assert_eq!(stock.matches("\n- [").count(), 2, "{stock}");
}

#[test]
fn a_skills_own_files_are_written_byte_by_byte() {
    let bytes = b"\x89PNG\xff\0\r\n";
    let group = Group::new("stock", "Look at the stock")
        .tool(tool("count"))
        .file("assets/logo.png", bytes);
    let bundle = Bundle::new("take-stock", "Count everything")
        .tool("count")
        .file("scripts/run.sh", "#!/bin/sh");
    let registry = Registry::builder()
        .group(group)
        .bundle(bundle)
        .build()
        .unwrap();
    let folder = Folder::new("own-files");
    registry.export(Format::Skills, &folder.0).unwrap();
    assert_eq!(
        std::fs::read(folder.path("stock/assets/logo.png")).unwrap(),
        bytes
    );
    assert_eq!(folder.read("take-stock/scripts/run.sh"), "#!/bin/sh");
    assert!(
        folder
            .read("stock/SKILL.md")
            .contains("- [`assets/logo.png`](assets/logo.png)\n")
    );
    let again = registry.export(Format::Skills, &folder.0).unwrap();
    assert!(
        again.written.is_empty() && again.unchanged.len() == 6,
        "{again:?}"
    );
}

#[test]
fn a_skill_that_windows_cannot_keep_is_refused() {
    let registry = Registry::builder()
        .group(Group::new("aux", "Help out").tool(tool("a")))
        .build()
        .unwrap();
    let folder = Folder::new("device");
    let why = registry
        .export(Format::Skills, folder.path("inner"))
        .unwrap_err()
        .to_string();
    assert!(
        why.starts_with("`aux` is a reserved name on Windows"),
        "{why}"
    );
    assert!(!folder.path("inner").exists());
    registry.export(Format::TypeScript, &folder.0).unwrap();
    assert!(
        folder.paths().iter().all(|path| !path.starts_with("aux/")),
        "{:?}",
        folder.paths()
    );
}

#[test]
fn the_top_levels_skill_steps_aside_for_a_group() {
    let group = Group::new("my-shop", "Look at the stock").tool(tool("count"));
    let registry = Registry::builder()
        .name("My  Shop!")
        .tool(tool("find"))
        .group(group);
    let folder = Folder::new("aside");
    registry
        .build()
        .unwrap()
        .export(Format::Skills, &folder.0)
        .unwrap();
    assert!(folder.read("top-level/SKILL.md").contains("[`find`]"));
    assert!(folder.read("my-shop/SKILL.md").contains("[`count`]"));
}

#[test]
fn requests_defer_all_but_eager_tools_and_keep_names_apart() {
    let folder = exported(Format::Anthropic);
    let tools = json_of(&folder, "tools.json");
    let tools = tools["tools"].as_array().unwrap();
    assert_eq!(
        (tools.len(), tools[0]["type"].as_str().unwrap()),
        (1 + shop().len(), "tool_search_tool_bm25_20251119")
    );
    let undeferred: Vec<_> = tools[1..]
        .iter()
        .filter(|tool| tool["defer_loading"].is_null())
        .collect();
    assert_eq!(
        undeferred
            .iter()
            .map(|tool| &tool["name"])
            .collect::<Vec<_>>(),
        ["find_item"]
    );
    let names: std::collections::HashSet<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), tools.len());
    let renamed = json_of(&folder, "names.json");
    let (name, own) = renamed.as_object().unwrap().iter().next().unwrap();
    assert!(
        names.contains(name.as_str()) && name.starts_with("find_item_"),
        "{renamed}"
    );
    assert_eq!(
        (own, renamed.as_object().unwrap().len()),
        (&json!("find.item"), 1)
    );
}

#[test]
fn groups_are_namespaces_and_each_tool_stands_once() {
    let folder = exported(Format::OpenAi);
    let request = json_of(&folder, "tools.json");
    let spaces: Vec<&Value> = request["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["type"] == "namespace")
        .collect();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    assert_eq!(
        spaces.iter().map(|space| name(space)).collect::<Vec<_>>(),
        ["stock", "rare", "orders"]
    );
    let inside: Vec<usize> = spaces
        .iter()
        .map(|space| space["tools"].as_array().unwrap().len())
        .collect();
    assert_eq!(inside, [2, 1, 1]);
    assert_eq!(
        folder.read("tools.json").matches("\"function\"").count(),
        shop().len()
    );
}

#[test]
fn a_selective_tool_is_a_function_that_takes_columns_and_answers_text() {
    use crate::prelude::*;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Alert {
        event: String,
    }

    #[pd_tool(summary = "List weather alerts", selective)]
    fn alerts(area: String) -> Json<Vec<Alert>> {
        Json(vec![Alert { event: area }])
    }

    let registry: Registry<()> = crate::registry! { alerts };
    let folder = Folder::new("format-selective");
    registry.export(Format::TypeScript, &folder.0).unwrap();
    let text = folder.read(&path_like(&folder, "", "alerts.ts"));
    for part in [
        "area: string",
        "abstract_domains?: string",
        "mode?: \"async\" | \"sync\"",
        "Promise<ToolContent>",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}
