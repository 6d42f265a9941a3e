//! The modules of a crate with the items that each file defines and the paths that it names.

use proc_macro2::{Delimiter, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, UseTree, ext::IdentExt};

/// The names of a path, such as `["crate", "tool", "ToolError"]`.
type PathNames = Vec<String>;

/// A crate without its tests.
pub(crate) struct SourceTree {
    modules: Vec<SourceModule>,
}

/// A module in its own file, or in braces in the file of its parent.
struct SourceModule {
    file: PathBuf,
    parent: Option<usize>,
    /// One name may have two modules, under opposite `cfg`s.
    children: BTreeMap<String, Vec<usize>>,
    items: BTreeSet<String>,
    /// The path of each name that a `use` brings into scope.
    imports: Vec<(String, PathNames)>,
    /// The names of imports that are not re-exports.
    private_imports: BTreeSet<String>,
    /// The paths before `::*`.
    globs: Vec<PathNames>,
    /// The paths that code and private imports name, each with its line.
    named: Vec<(PathNames, usize)>,
}

/// A file names an item that another file defines.
pub(crate) struct SourceImport {
    pub(crate) importer: PathBuf,
    pub(crate) definer: PathBuf,
    /// The path as the importer writes it.
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// The modules and the files of items that one name may mean.
#[derive(Default)]
struct NameMeanings {
    modules: Vec<usize>,
    definers: BTreeSet<PathBuf>,
}

impl SourceTree {
    /// Reads the crate with this `lib.rs`.
    pub(crate) fn read(root: &Path) -> Self {
        let mut tree = Self {
            modules: Vec::new(),
        };
        tree.read_file(root, root.parent().unwrap(), None);
        tree
    }

    /// Returns each place where a file names an item that another file defines. A re-export counts
    /// as the item, so the definer is the file with the item itself.
    pub(crate) fn imports(&self) -> Vec<SourceImport> {
        let mut imports = Vec::new();
        for (index, module) in self.modules.iter().enumerate() {
            for glob in &module.globs {
                assert!(
                    self.resolve(index, glob, &mut Vec::new())
                        .modules
                        .is_empty(),
                    "{}: `{}::*` hides which names it imports",
                    module.file.display(),
                    glob.join("::")
                );
            }
            let named = module.named.iter();
            for (path, line) in named.filter(|(path, _)| !self.repeats_import(index, path)) {
                let definers = self.resolve(index, path, &mut Vec::new()).definers;
                let others = definers.into_iter().filter(|file| *file != module.file);
                imports.extend(others.map(|definer| SourceImport {
                    importer: module.file.clone(),
                    definer,
                    path: path.join("::"),
                    line: *line,
                }));
            }
        }
        imports
    }

    /// Returns whether a path begins with an item that a private import names already.
    fn repeats_import(&self, module: usize, path: &[String]) -> bool {
        let first = &path[..1];
        self.modules[module].private_imports.contains(&path[0])
            && self
                .resolve(module, first, &mut Vec::new())
                .modules
                .is_empty()
    }

    /// Reads the module of a file, and the modules in `directory` that the file declares.
    fn read_file(&mut self, file: &Path, directory: &Path, parent: Option<usize>) -> usize {
        let parsed = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
        self.read_module(file, directory, parent, parsed.items)
    }

    fn read_module(
        &mut self,
        file: &Path,
        directory: &Path,
        parent: Option<usize>,
        items: Vec<Item>,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(SourceModule {
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: Vec::new(),
            private_imports: BTreeSet::new(),
            globs: Vec::new(),
            named: Vec::new(),
        });
        for item in items {
            match item {
                Item::Mod(item) => self.read_child(index, directory, item),
                item => self.modules[index].read_item(item),
            }
        }
        index
    }

    fn read_child(&mut self, parent: usize, directory: &Path, item: ItemMod) {
        if item
            .attrs
            .iter()
            .any(|attribute| is_for_tests(attribute.meta.to_token_stream()))
        {
            return;
        }
        let name = item.ident.unraw().to_string();
        let below = directory.join(&name);
        let child = if let Some((_, contents)) = item.content {
            let file = self.modules[parent].file.clone();
            self.read_module(&file, &below, Some(parent), contents)
        } else {
            let file = match path_attribute(&item.attrs) {
                // Such a path starts at the file that has it.
                Some(path) => self.modules[parent].file.with_file_name(path),
                None => directory.join(format!("{name}.rs")),
            };
            self.read_file(&file, &below, Some(parent))
        };
        let children = &mut self.modules[parent].children;
        children.entry(name).or_default().push(child);
    }

    /// Finds what a path means in a module. `open` are the paths of imports that led here, to which
    /// the search does not return.
    fn resolve(
        &self,
        module: usize,
        path: &[String],
        open: &mut Vec<(usize, PathNames)>,
    ) -> NameMeanings {
        let mut meanings = NameMeanings::default();
        let key = (module, path.to_owned());
        if open.contains(&key) {
            return meanings;
        }
        open.push(key);
        for (place, name) in path.iter().enumerate() {
            let scopes = if place == 0 {
                vec![module]
            } else {
                meanings.modules.clone()
            };
            let next = match &**name {
                "crate" => vec![0].into(),
                "self" => scopes.into(),
                "super" => {
                    let parents = scopes
                        .iter()
                        .filter_map(|scope| self.modules[*scope].parent);
                    parents.collect::<Vec<_>>().into()
                }
                _ => self.look_up(&scopes, name, open),
            };
            if next.modules.is_empty() && next.definers.is_empty() {
                // A macro defined the item, or an item before this name contains it.
                let files = meanings
                    .modules
                    .iter()
                    .map(|scope| self.modules[*scope].file.clone());
                meanings.definers.extend(files);
                break;
            }
            meanings = next;
        }
        open.pop();
        meanings
    }

    fn look_up(
        &self,
        scopes: &[usize],
        name: &str,
        open: &mut Vec<(usize, PathNames)>,
    ) -> NameMeanings {
        let mut meanings = NameMeanings::default();
        for &scope in scopes {
            let module = &self.modules[scope];
            let children = module.children.get(name).into_iter().flatten();
            meanings.modules.extend(children);
            if module.items.contains(name) {
                meanings.definers.insert(module.file.clone());
            }
            for (_, path) in module.imports.iter().filter(|(alias, _)| alias == name) {
                let imported = self.resolve(scope, path, open);
                meanings.modules.extend(imported.modules);
                meanings.definers.extend(imported.definers);
            }
        }
        meanings
    }
}

impl From<Vec<usize>> for NameMeanings {
    fn from(modules: Vec<usize>) -> Self {
        Self {
            modules,
            definers: BTreeSet::new(),
        }
    }
}

impl SourceModule {
    fn read_item(&mut self, item: Item) {
        let defined = match &item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.items
            .extend(defined.map(|name| name.unraw().to_string()));
        self.read_tokens(item.into_token_stream());
    }

    /// Collects the imports and the paths of code, without code for tests and generated code.
    fn read_tokens(&mut self, tokens: TokenStream) {
        use TokenTree::{Group, Ident, Punct};
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &*tokens;
        loop {
            rest = match rest {
                [] => break,
                [Punct(hash), Group(attribute), after @ ..] if hash.as_char() == '#' => {
                    if is_for_tests(attribute.stream()) {
                        after_item(after)
                    } else {
                        self.read_attribute(attribute.stream());
                        after
                    }
                }
                [Ident(public), Group(_), Ident(name), ..] if public == "pub" && name == "use" => {
                    self.read_import(&rest[2..], true)
                }
                [Ident(public), Ident(name), ..] if public == "pub" && name == "use" => {
                    self.read_import(&rest[1..], true)
                }
                [Ident(name), Ident(_) | Group(_), ..] if name == "use" => {
                    self.read_import(rest, false)
                }
                [Ident(name), Punct(mark), Group(_), after @ ..]
                    if mark.as_char() == '!' && is_quotation(&name.to_string()) =>
                {
                    after
                }
                [Ident(_), ..] => self.read_path(rest),
                // A lifetime, a variable of `quote!`, or a member.
                [Punct(mark), Ident(_), after @ ..] if "'#.".contains(mark.as_char()) => after,
                [Punct(dot), Punct(other), after @ ..]
                    if dot.as_char() == '.' && other.as_char() == '.' =>
                {
                    after
                }
                [Punct(one), Punct(two), Ident(_), after @ ..] if is_path_separator(one, two) => {
                    after
                }
                [Group(group), after @ ..] => {
                    self.read_tokens(group.stream());
                    after
                }
                [_, after @ ..] => after,
            };
        }
    }

    /// Collects the path at the start of the tokens, and returns what follows it.
    fn read_path<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        let line = tokens[0].span().start().line;
        let mut path = vec![plain_name(&tokens[0])];
        let mut rest = &tokens[1..];
        while let [
            TokenTree::Punct(one),
            TokenTree::Punct(two),
            name @ TokenTree::Ident(_),
            after @ ..,
        ] = rest
            && is_path_separator(one, two)
        {
            path.push(plain_name(name));
            rest = after;
        }
        self.named.push((path, line));
        rest
    }

    /// Collects the names of the `use` at the start of the tokens, and returns what follows it. A
    /// re-export is not a dependency of the file that contains it.
    fn read_import<'a>(&mut self, tokens: &'a [TokenTree], is_reexport: bool) -> &'a [TokenTree] {
        let is_end =
            |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
        let end = tokens.iter().position(is_end).unwrap() + 1;
        let item: ItemUse = syn::parse2(tokens[..end].iter().cloned().collect()).unwrap();
        let (first, first_glob) = (self.imports.len(), self.globs.len());
        if item.leading_colon.is_none() {
            self.read_use_tree(&item.tree, &[]);
        }
        if !is_reexport {
            let line = tokens[0].span().start().line;
            for (name, path) in &self.imports[first..] {
                self.private_imports.insert(name.clone());
                self.named.push((path.clone(), line));
            }
            let globs = self.globs[first_glob..].iter().cloned();
            self.named.extend(globs.map(|path| (path, line)));
        }
        &tokens[end..]
    }

    fn read_use_tree(&mut self, tree: &UseTree, outer: &[String]) {
        let inner = |name: &Ident| match &*name.unraw().to_string() {
            "self" if !outer.is_empty() => outer.to_vec(),
            name => [outer, &[name.to_owned()]].concat(),
        };
        match tree {
            UseTree::Path(path) => self.read_use_tree(&path.tree, &inner(&path.ident)),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use_tree(tree, outer);
                }
            }
            UseTree::Name(name) => {
                let path = inner(&name.ident);
                self.imports.push((path.last().unwrap().clone(), path));
            }
            UseTree::Rename(name) => {
                let path = inner(&name.ident);
                self.imports.push((name.rename.unraw().to_string(), path));
            }
            UseTree::Glob(_) => self.globs.push(outer.to_vec()),
        }
    }

    /// Collects the paths of an attribute. Serde has them in literals, as in
    /// `serialize_with = "time::seconds"`.
    fn read_attribute(&mut self, attribute: TokenStream) {
        for token in attribute.clone() {
            if let TokenTree::Group(group) = token {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for entry in tokens.split(|token| token.to_string() == ",") {
                    if let [name, _, TokenTree::Literal(value)] = entry
                        && name.to_string().ends_with("with")
                    {
                        let path = value.to_string().trim_matches('"').parse().unwrap();
                        self.read_tokens(path);
                    }
                }
            }
        }
        self.read_tokens(attribute);
    }
}

fn plain_name(token: &TokenTree) -> String {
    token.to_string().trim_start_matches("r#").to_owned()
}

fn is_path_separator(one: &Punct, two: &Punct) -> bool {
    one.as_char() == ':' && one.spacing() == Spacing::Joint && two.as_char() == ':'
}

/// Returns whether a macro of this name contains the code that another macro emits.
fn is_quotation(name: &str) -> bool {
    ["quote", "quote_spanned", "parse_quote"].contains(&name)
}

/// Returns whether an attribute is `cfg(test)`, or a `cfg` of tests and something else.
fn is_for_tests(attribute: TokenStream) -> bool {
    let text = attribute.to_string().replace(' ', "");
    [
        "cfg(test)",
        "cfg(all(test,",
        "cfg(doctest)",
        "cfg(all(doctest,",
    ]
    .iter()
    .any(|condition| text.starts_with(condition))
}

/// Returns what follows an item, a member or a statement.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => [';', ','].contains(&mark.as_char()),
        _ => false,
    };
    let end = tokens.iter().position(is_end);
    end.map_or(&[], |end| &tokens[end + 1..])
}

/// Returns the file that `#[path = "…"]` names.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        let is_path = pair.path.is_ident("path");
        is_path.then(|| {
            pair.value
                .to_token_stream()
                .to_string()
                .trim_matches('"')
                .to_owned()
        })
    })
}
