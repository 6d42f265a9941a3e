//! A signature read back into a JSON Schema, by what its grammar promises a model.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The schema of the arguments.
///
/// # Errors
///
/// The text from which it cannot be read.
pub(crate) fn schema(signature: &str) -> Result<Value, String> {
    let mut reader = Reader { rest: signature };
    let (arguments, types) = reader.signature().ok_or(reader.rest)?;
    let mut schema = arguments.schema(false, &types);
    let definitions = types
        .iter()
        .map(|(name, tree)| ((*name).to_owned(), tree.schema(false, &types)));
    schema["$defs"] = Value::Object(definitions.collect());
    Ok(schema)
}

type Types<'a> = BTreeMap<&'a str, Tree<'a>>;

/// What stands in one place.
enum Tree<'a> {
    Schema(Value),
    Named {
        name: &'a str,
        is_exact: bool,
    },
    Object {
        members: Vec<(String, bool, Self)>,
        others: Vec<(&'static str, String, Self)>,
        is_exact: bool,
    },
    List {
        item: Box<Self>,
        limits: Map<String, Value>,
    },
    Tuple {
        items: Vec<Self>,
        least: usize,
        rest: Option<Box<Self>>,
        limits: Map<String, Value>,
    },
    Several(&'static str, Vec<Self>),
}

impl Tree<'_> {
    /// An object takes what it names; one among forms that are held against the same value takes what the others name as well.
    fn schema(&self, among: bool, types: &Types<'_>) -> Value {
        let all = |trees: &[Self], among| {
            trees
                .iter()
                .map(|tree| tree.schema(among, types))
                .collect::<Value>()
        };
        match self {
            Self::Schema(schema) => schema.clone(),
            Self::Named {
                name,
                is_exact: false,
            } if among => types[name].schema(true, types),
            Self::Named { name, .. } => json!({ "$ref": format!("#/$defs/{name}") }),
            Self::Several(keyword @ ("allOf" | "oneOf"), trees) => {
                let mut schema =
                    Value::Object(Map::from_iter([((*keyword).to_owned(), all(trees, true))]));
                if !among {
                    schema["unevaluatedProperties"] = json!(false);
                }
                schema
            }
            Self::Several(keyword, trees) => {
                Value::Object(Map::from_iter([((*keyword).to_owned(), all(trees, among))]))
            }
            Self::List { item, limits } => {
                let mut schema = json!({ "type": "array", "items": item.schema(false, types) });
                schema.as_object_mut().unwrap().extend(limits.clone());
                schema
            }
            Self::Tuple {
                items,
                least,
                rest,
                limits,
            } => {
                let rest = rest
                    .as_ref()
                    .map_or(json!(false), |rest| rest.schema(false, types));
                let mut schema = json!({ "type": "array", "prefixItems": all(items, false), "minItems": least, "items": rest });
                schema.as_object_mut().unwrap().extend(limits.clone());
                schema
            }
            Self::Object {
                members,
                others,
                is_exact,
            } => {
                let properties: Map<_, _> = members
                    .iter()
                    .map(|(name, _, tree)| (name.clone(), tree.schema(false, types)))
                    .collect();
                let required: Vec<_> = members
                    .iter()
                    .filter(|(_, needed, _)| *needed)
                    .map(|(name, ..)| name)
                    .collect();
                let mut schema =
                    json!({ "type": "object", "properties": properties, "required": required });
                if *is_exact || !among {
                    schema["additionalProperties"] = json!(false);
                }
                for (keyword, name, tree) in others {
                    match *keyword {
                        "additionalProperties" => schema[*keyword] = tree.schema(false, types),
                        _ => schema[*keyword][name] = tree.schema(false, types),
                    }
                }
                schema
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn signature(&mut self) -> Option<(Tree<'a>, Types<'a>)> {
        self.space();
        self.until('(')?;
        let arguments = self.form()?;
        self.take(")")?;
        if self.take(":").is_some() {
            self.form()?; // results
        }
        let mut types = Types::new();
        self.space();
        while self.take("type ").is_some() {
            let name = self.word();
            self.take(" = ")?;
            types.insert(name, self.form()?);
            self.space();
        }
        self.rest.is_empty().then_some((arguments, types))
    }

    /// Blanks, line breaks and comments.
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
        while let Some(comment) = self.rest.strip_prefix("//") {
            self.rest = comment
                .split_once('\n')
                .map_or("", |(_, next)| next)
                .trim_start();
        }
    }

    fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn until(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn word(&mut self) -> &'a str {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.$".contains(letter);
        let end = self
            .rest
            .find(|letter| !is_letter(letter))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn form(&mut self) -> Option<Tree<'a>> {
        self.several("|", "anyOf", |reader| {
            reader.several(" & ", "allOf", Self::with_brackets)
        })
    }

    fn several(
        &mut self,
        sign: &str,
        keyword: &'static str,
        one: impl Fn(&mut Self) -> Option<Tree<'a>>,
    ) -> Option<Tree<'a>> {
        let mut trees = vec![one(self)?];
        while self.take(sign).is_some() {
            trees.push(one(self)?);
        }
        if trees.len() > 1 {
            Some(Tree::Several(keyword, trees))
        } else {
            trees.pop()
        }
    }

    fn with_brackets(&mut self) -> Option<Tree<'a>> {
        self.space();
        let mut tree = self.one()?;
        while self.take("[").is_some() {
            let limits = self.limits(["minItems", "maxItems"], ']')?;
            tree = Tree::List {
                item: Box::new(tree),
                limits,
            };
        }
        Some(tree)
    }

    fn one(&mut self) -> Option<Tree<'a>> {
        if self.take("schema(").is_some() {
            let schema = self.json()?;
            self.take(")")?;
            return Some(Tree::Schema(schema));
        }
        if self.take("oneOf(").is_some() {
            let branches = match self.form()? {
                Tree::Several("anyOf", branches) => branches,
                only => vec![only],
            };
            self.take(")")?;
            return Some(Tree::Several("oneOf", branches));
        }
        if self.take("(").is_some() {
            let tree = self.form()?;
            return self.take(")").map(|()| tree);
        }
        let is_exact = self.take("exact ").is_some();
        let before = self.rest;
        if !self.rest.starts_with("{}")
            && let Some(value) = self.json()
        {
            return Some(Tree::Schema(json!({ "const": value })));
        }
        self.rest = before;
        if self.take("{").is_some() {
            return self.object(is_exact);
        }
        if self.take("[").is_some() {
            return self.tuple();
        }
        self.kind(is_exact)
    }

    fn kind(&mut self, is_exact: bool) -> Option<Tree<'a>> {
        let (kind, limits) = match self.word() {
            "any" => return Some(Tree::Schema(json!({}))),
            "never" => return Some(Tree::Schema(json!(false))),
            "object" => {
                return Some(Tree::Schema(
                    json!({ "type": "object", "additionalProperties": true }),
                ));
            }
            "boolean" => return Some(Tree::Schema(json!({ "type": "boolean" }))),
            "string" => ("string", ["minLength", "maxLength"]),
            "int" => ("integer", ["minimum", "maximum"]),
            "number" => ("number", ["minimum", "maximum"]),
            "" => return None,
            name => return Some(Tree::Named { name, is_exact }),
        };
        let mut schema = if self.take("(").is_some() {
            self.limits(limits, ')')?
        } else {
            Map::new()
        };
        schema.insert("type".to_owned(), json!(kind));
        Some(Tree::Schema(Value::Object(schema)))
    }

    fn object(&mut self, is_exact: bool) -> Option<Tree<'a>> {
        let (mut members, mut others) = (Vec::new(), Vec::new());
        loop {
            self.space();
            if self.take("}").is_some() {
                return Some(Tree::Object {
                    members,
                    others,
                    is_exact,
                });
            }
            if self.take("...").is_some() {
                others.push((
                    "additionalProperties",
                    String::new(),
                    Tree::Schema(json!(true)),
                ));
            } else if self.take("[key]: ").is_some() {
                others.push(("additionalProperties", String::new(), self.form()?));
            } else if self.take("[/").is_some() {
                let pattern = self.expression()?;
                self.take("]: ")?;
                others.push(("patternProperties", pattern, self.form()?));
            } else {
                members.push(self.member()?);
            }
            let _ = self.take(",");
        }
    }

    fn member(&mut self) -> Option<(String, bool, Tree<'a>)> {
        let name = match self.rest.starts_with('"') {
            true => self.json()?.as_str()?.to_owned(),
            false => self.word().to_owned(),
        };
        let is_optional = self.take("?").is_some();
        self.take(": ")?;
        let tree = self.form()?;
        if self.take(" = ").is_some() {
            self.json()?;
        }
        Some((name, !is_optional, tree))
    }

    fn tuple(&mut self) -> Option<Tree<'a>> {
        let (mut items, mut least, mut rest) = (Vec::new(), 0, None);
        while self.take("]").is_none() {
            if self.take("...").is_some() {
                let Tree::List { item, .. } = self.with_brackets()? else {
                    return None;
                };
                rest = Some(item);
            } else {
                items.push(self.with_brackets()?);
                least += usize::from(self.take("?").is_none());
            }
            let _ = self.take(", ");
        }
        let limits = if self.take("(").is_some() {
            self.limits(["minItems", "maxItems"], ')')?
        } else {
            Map::new()
        };
        Some(Tree::Tuple {
            items,
            least,
            rest,
            limits,
        })
    }

    fn limits(&mut self, [least, most]: [&str; 2], end: char) -> Option<Map<String, Value>> {
        let mut limits = Map::new();
        let end = end.to_string();
        while self.take(&end).is_none() {
            for (sign, key) in [
                (">=", least),
                ("<=", most),
                (">", "exclusiveMinimum"),
                ("<", "exclusiveMaximum"),
                ("multiple of ", "multipleOf"),
            ] {
                if self.take(sign).is_some() {
                    limits.insert(key.to_owned(), self.number()?);
                }
            }
            if self.take("/").is_some() {
                limits.insert("pattern".to_owned(), json!(self.expression()?));
            } else if self.take("unique").is_some() {
                limits.insert("uniqueItems".to_owned(), json!(true));
            } else if self
                .rest
                .starts_with(|first: char| first.is_ascii_digit() || first == '-')
            {
                limits.insert(least.to_owned(), self.number()?);
                self.take("..")?;
                limits.insert(most.to_owned(), self.number()?);
            } else if self
                .rest
                .starts_with(|first: char| first.is_ascii_alphabetic())
            {
                limits.insert("format".to_owned(), json!(self.word()));
            }
            if !self.rest.starts_with(&end) {
                self.take(", ")?;
            }
        }
        Some(limits)
    }

    fn expression(&mut self) -> Option<String> {
        let mut pattern = String::new();
        loop {
            let (part, _) = self.rest.split_once('/')?;
            pattern.push_str(part);
            self.rest = &self.rest[part.len() + 1..];
            match pattern.strip_suffix('\\') {
                Some(before) => pattern = format!("{before}/"),
                None => return Some(pattern),
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let text = self.rest.split("..").next()?;
        let end = text
            .find(|letter: char| !(letter.is_ascii_digit() || "+-.eE".contains(letter)))
            .unwrap_or(text.len());
        let (number, _) = self.rest.split_at(end);
        self.rest = &self.rest[end..];
        serde_json::from_str(number).ok()
    }

    fn json(&mut self) -> Option<Value> {
        for (word, value) in [
            ("true", json!(true)),
            ("false", json!(false)),
            ("null", Value::Null),
        ] {
            if self.take(word).is_some() {
                return Some(value);
            }
        }
        if self
            .rest
            .starts_with(|first: char| first.is_ascii_digit() || first == '-')
        {
            return self.number();
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next()?.ok()?;
        self.rest = &self.rest[values.byte_offset()..];
        Some(value)
    }
}
