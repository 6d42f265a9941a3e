//! What a page does, as far as its text shows it: what it loads, where it connects, and which tools
//! it calls. A page can hide all of it in a program, so this finds mistakes and proves nothing.

/// A page, read once.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) has_doctype: bool,
    connects: Vec<PageUrl>,
    loads: Vec<PageUrl>,
    frames: Vec<PageUrl>,
    bases: Vec<PageUrl>,
    /// The names of tools in `callServerTool({ name: "…" })`, without duplicates.
    pub(super) calls: Vec<String>,
}

/// A URL in a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageUrl {
    /// Its scheme and host.
    pub(super) origin: String,
    /// The line, from 1.
    pub(super) line: usize,
}

/// The functions and keywords before the URL that a script loads or connects to.
const LOADS: [&str; 3] = ["from", "import", "import("];
const CONNECTS: [&str; 3] = ["fetch(", "WebSocket(", "EventSource("];

impl Page {
    pub(super) fn read(text: &str) -> Self {
        let mut page = Self {
            has_doctype: has_doctype(text),
            ..Self::default()
        };
        let mut at = 0;
        while let Some(start) = find(text, at, "<") {
            at = match rest(text, start) {
                comment if comment.starts_with("<!--") => {
                    find(text, start, "-->").map_or(text.len(), |end| end + 3)
                }
                // HTML, section 13.2.5.6: any other character makes the `<` a text.
                sign if !rest(sign, 1)
                    .starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') =>
                {
                    start + 1
                }
                tag => {
                    let end = start + tag_length(tag);
                    page.read_tag(text, start, end)
                }
            };
        }
        page
    }

    /// Returns the URLs in the order of the lists in `csp`.
    pub(super) fn urls(&self) -> [&[PageUrl]; 4] {
        [&self.connects, &self.loads, &self.frames, &self.bases]
    }

    /// Reads a tag and, of a script or a style, its text. Returns where the next tag may begin.
    fn read_tag(&mut self, text: &str, start: usize, end: usize) -> usize {
        let tag = text.get(start + 1..end).unwrap_or_default();
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        let line = line_of(text, start);
        for (attribute, value) in attributes(tag) {
            let urls = match (name.as_str(), attribute.as_str()) {
                ("iframe", "src") => &mut self.frames,
                ("base", "href") => &mut self.bases,
                ("link", "href") | (_, "src" | "poster") => &mut self.loads,
                _ => continue,
            };
            urls.extend(origin(value).map(|origin| PageUrl { origin, line }));
        }
        if name != "script" && name != "style" {
            return end;
        }
        let close = find_ignoring_case(text, end, &format!("</{name}")).unwrap_or(text.len());
        let body = text.get(end..close).unwrap_or_default();
        let first = line_of(text, end);
        if name == "script" {
            self.read_script(body, first);
        } else {
            for word in ["url(", "@import"] {
                self.loads.extend(urls_after(body, word, first));
            }
        }
        close
    }

    fn read_script(&mut self, body: &str, first: usize) {
        for word in LOADS {
            self.loads.extend(urls_after(body, word, first));
        }
        for word in CONNECTS {
            self.connects.extend(urls_after(body, word, first));
        }
        for start in all(body, "callServerTool(") {
            let name = called_name(rest(body, start + "callServerTool(".len()));
            self.calls.extend(
                name.map(str::to_owned)
                    .filter(|name| !self.calls.contains(name)),
            );
        }
    }
}

fn has_doctype(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let doctype = "<!doctype html";
    start
        .get(..doctype.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(doctype))
}

/// Returns the length of a tag with its `>`. A `>` in a quoted value does not end it.
fn tag_length(tag: &str) -> usize {
    let mut quote = None;
    for (at, letter) in tag.char_indices() {
        match (quote, letter) {
            (None, '>') => return at + 1,
            // A quote is one behind `=` only: the text `a < b's` is no tag with a quoted value.
            (None, '"' | '\'') if rest_before(tag, at).trim_end().ends_with('=') => {
                quote = Some(letter);
            }
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Returns the attributes of a tag that have values.
fn attributes(tag: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(equals) = find(tag, at, "=") {
        let name = rest_before(tag, equals)
            .trim_end()
            .rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/'))
            .next()
            .unwrap_or_default();
        let value = rest(tag, equals + 1);
        let skipped = value.len() - value.trim_start().len();
        let value = value.trim_start();
        let (value, length) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = rest(value, 1);
                let end = inner.find(quote).unwrap_or(inner.len());
                (rest_before(inner, end), end + 2)
            }
            _ => {
                let end = value.find(|c: char| c.is_whitespace() || c == '>');
                let end = end.unwrap_or(value.len());
                (rest_before(value, end), end)
            }
        };
        found.push((name.to_ascii_lowercase(), value));
        at = equals + 1 + skipped + length;
    }
    found
}

/// Returns the URLs in quotes, or bare in `url(…)`, right behind a word.
fn urls_after(body: &str, word: &str, first: usize) -> Vec<PageUrl> {
    all(body, word)
        .filter_map(|start| {
            let before = rest_before(body, start).chars().next_back();
            let behind = rest(body, start + word.len()).trim_start();
            let url = behind.trim_start_matches(['"', '\'', '`']);
            let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let is_quoted = url.len() < behind.len() || word == "url(";
            (is_word && is_quoted).then_some(())?;
            Some(PageUrl {
                origin: origin(url)?,
                line: first + line_of(body, start) - 1,
            })
        })
        .collect()
}

/// Returns the scheme and host of an absolute URL. One without a scheme has that of the page.
fn origin(url: &str) -> Option<String> {
    let url = url.trim_start();
    let (scheme, rest) = match url.strip_prefix("//") {
        Some(rest) => ("https", rest),
        None => url.split_once("://")?,
    };
    let scheme = scheme.to_ascii_lowercase();
    let is_known = ["https", "http", "wss", "ws"].contains(&scheme.as_str());
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
    let host: String = rest.chars().take_while(|c| is_host(*c)).collect();
    (is_known && !host.is_empty()).then(|| format!("{scheme}://{}", host.to_ascii_lowercase()))
}

/// Returns the name in `{ name: "…" }`.
fn called_name(arguments: &str) -> Option<&str> {
    let fields = arguments.trim_start().strip_prefix('{')?.trim_start();
    let fields = fields.trim_start_matches(['"', '\'']);
    let value = fields.strip_prefix("name")?;
    let value = value.trim_start_matches(['"', '\'']).trim_start();
    let value = value.strip_prefix(':')?.trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let name = rest(value, 1);
    let name = rest_before(name, name.find(quote)?);
    // A template with a placeholder is no literal.
    (!name.contains("${")).then_some(name)
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn rest_before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

fn find(text: &str, at: usize, what: &str) -> Option<usize> {
    rest(text, at).find(what).map(|found| at + found)
}

fn find_ignoring_case(text: &str, at: usize, what: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(at..)?;
    bytes
        .windows(what.len())
        .position(|window| window.eq_ignore_ascii_case(what.as_bytes()))
        .map(|found| at + found)
}

fn all<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(what).map(|(at, _)| at)
}

/// Returns the line of a place, from 1.
fn line_of(text: &str, at: usize) -> usize {
    rest_before(text, at).matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(origin: &str, line: usize) -> PageUrl {
        PageUrl {
            origin: origin.to_owned(),
            line,
        }
    }

    #[test]
    fn what_a_page_uses_is_found_with_its_line() {
        let page = Page::read(
            r#"<!DOCTYPE html>
<base href='https://base.example/'>
<link rel=stylesheet href=https://css.example/a.css>
<script type="module" src="https://js.example:8443/a.js"></script>
<iframe title="a > b" src="//frame.example/x"></iframe>
<!-- <img src="https://comment.example/"> -->
<a href="https://link.example/">elsewhere</a> a < b's
<style>body { background: url(https://image.example/a.png) }
@import "https://font.example/a.css";</style>
<script>
  import { App } from "https://import.example/app.js";
  const late = await import('https://late.example/x.js');
  await fetch(`https://api.example/${id}`);
  new WebSocket("wss://socket.example");
  const text = "https://text.example/", refetch = prefetch("https://other.example/");
</script>
<img src="data:image/png;base64,AAAA"><img src="https://img.example/a.png">"#,
        );
        assert!(page.has_doctype);
        assert_eq!(page.bases, [url("https://base.example", 2)]);
        assert_eq!(page.frames, [url("https://frame.example", 5)]);
        assert_eq!(
            page.connects,
            [
                url("https://api.example", 13),
                url("wss://socket.example", 14)
            ]
        );
        assert_eq!(
            page.loads,
            [
                url("https://css.example", 3),
                url("https://js.example:8443", 4),
                url("https://image.example", 8),
                url("https://font.example", 9),
                url("https://import.example", 11),
                url("https://late.example", 12),
                url("https://img.example", 17),
            ]
        );
    }

    #[test]
    fn called_tools_are_found_in_source_and_minified() {
        let page = Page::read(
            "<script>app.callServerTool({ name: 'move_card', arguments: {} });\
             a.callServerTool({name:\"move_card\"});b.callServerTool( {\n \"name\" : \"add\" });\
             c.callServerTool({ name: `${x}` }); d.callServerTool({ arguments: {}, name }); e.callServerTool(</script>",
        );
        assert_eq!(page.calls, ["move_card", "add"]);
    }

    #[test]
    fn odd_texts_end() {
        for odd in [
            "",
            "<",
            "<script>",
            "<!--",
            "<a b='",
            "<style",
            "é<é=é",
            "<script src=",
            "</script><",
        ] {
            let page = Page::read(odd);
            assert!(page.loads.is_empty(), "{odd}");
        }
    }
}
