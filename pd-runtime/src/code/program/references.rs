//! The tools that a program names in its text.

use super::{
    header::line_at,
    scanner::{Token, scan},
};

/// A tool, or a group, that a program names: `tools.log`, `tools.history.log`, `tools["log"]`,
/// `tools.call("log")`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolReference {
    /// The names after `tools`.
    pub(crate) path: Vec<String>,
    pub(crate) line: u32,
    /// Whether the program calls it there.
    pub(crate) is_call: bool,
}

/// Finds the tools that a program names. Names that the program computes are not found.
pub(crate) fn references(code: &str) -> Vec<ToolReference> {
    let tokens = scan(code);
    let places = tokens.iter().enumerate().filter(|(place, (_, token))| {
        // `other.tools` is a member of another object.
        let is_member = place
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .map(|(_, token)| token)
            == Some(&Token::Mark('.'));
        // `...tools` spreads the object, and is not a member.
        let is_spread = place
            .checked_sub(2)
            .and_then(|before| tokens.get(before))
            .map(|(_, token)| token)
            == Some(&Token::Mark('.'));
        *token == Token::Word("tools") && (!is_member || is_spread)
    });
    let found = places.filter_map(|(place, (offset, _))| {
        let mut tokens = tokens.iter().skip(place + 1).map(|(_, token)| token);
        let (path, is_call) = read_path(&mut tokens)?;
        Some(ToolReference {
            path,
            line: line_at(code, *offset),
            is_call,
        })
    });
    found.collect()
}

/// Reads the names after `tools`. Returns `None` if there is none, or the program computes one.
fn read_path<'a>(
    tokens: &mut (impl Iterator<Item = &'a Token<'a>> + Clone),
) -> Option<(Vec<String>, bool)> {
    let mut path: Vec<String> = Vec::new();
    loop {
        match (tokens.next(), path.as_slice()) {
            (Some(Token::Mark('?')), _) if tokens.clone().next() == Some(&Token::Mark('.')) => {
                tokens.next();
                // `tools?.log`, `tools.log?.()` and `tools?.["log"]`.
                if let Some(Token::Word(name)) = tokens.clone().next() {
                    tokens.next();
                    path.push((*name).to_owned());
                }
            }
            (Some(Token::Mark('.')), _) => match tokens.next() {
                Some(Token::Word(name)) => path.push((*name).to_owned()),
                _ => return None,
            },
            (Some(Token::Mark('[')), _) => match (tokens.next(), tokens.next()) {
                (Some(Token::Text(name)), Some(Token::Mark(']'))) => path.push((*name).to_owned()),
                _ => return None,
            },
            (Some(Token::Mark('(')), [own]) if own == "call" || own == "describe" => {
                return named_in_text(tokens).map(|name| (vec![name], true));
            }
            // These are functions of `tools` itself. A computed name of `call` names no tool that
            // is known here.
            (_, [own]) if ["call", "find", "describe"].contains(&own.as_str()) => return None,
            (_, []) => return None,
            (next, _) => return Some((path, next == Some(&Token::Mark('(')))),
        }
    }
}

/// Reads the first argument of a call, if it is a text and nothing is added to it.
fn named_in_text<'a>(tokens: &mut impl Iterator<Item = &'a Token<'a>>) -> Option<String> {
    match (tokens.next(), tokens.next()) {
        (Some(Token::Text(name)), Some(Token::Mark(',' | ')'))) => Some((*name).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> Vec<String> {
        references(code)
            .into_iter()
            .map(|found| format!("{}:{}", found.line, found.path.join(".")))
            .collect()
    }

    #[test]
    fn calls_are_found_in_every_form() {
        let code = r#"const a = await tools.log({ path });
tools.history.blame({}); tools["get-issue"]({}); tools.history['log']?.({});
await tools.call("search", {}); tools?.other(); tools
  .later({ text: `${tools.inner({ at: `x${tools.deep()}` })} tools.no()` });
const { length } = await tools.list`x`; f(...tools.spread());
const group = tools.history;"#;
        let expected = [
            "1:log",
            "2:history.blame",
            "2:get-issue",
            "2:history.log",
            "3:search",
            "3:other",
            "3:later",
            "4:inner",
            "4:deep",
            "5:list",
            "5:spread",
            "6:history",
        ];
        assert_eq!(names(code), expected);
        assert!(
            references("tools.log({})")
                .iter()
                .all(|found| found.is_call)
        );
        assert!(
            references("const log = tools.log; log()")
                .iter()
                .all(|found| !found.is_call)
        );
    }

    #[test]
    fn comments_texts_and_computed_names_are_no_calls() {
        for code in [
            "// tools.log()",
            "/* tools.log()\n tools.log() */",
            r#"const a = "tools.log()" + 'it\'s tools.log()' + `tools.log()`;"#,
            r#"const a = /tools.log()['"]/.test(b) / 2;"#,
            "return /[/]tools.log()/g",
            "other.tools.log(); my_tools.log(); tools$.log()",
            "tools[name](); tools['a' + b](); tools.history[name]()",
            r"tools['l\u006fg']()",
            "tools.call(name); tools.call('a' + b); tools.find('log'); const { log } = tools;",
            "const a = { tools: 1 };",
            "tools.",
            "`${",
        ] {
            assert_eq!(names(code), Vec::<String>::new(), "{code}");
        }
    }

    #[test]
    fn a_division_hides_no_call() {
        let code = "const share = total / 2; tools.a(); (b) / c; tools.b(); d[0] / e; tools.c(); // '\n'\n tools.d()";
        assert_eq!(names(code), ["1:a", "1:b", "1:c", "3:d"]);
    }
}
