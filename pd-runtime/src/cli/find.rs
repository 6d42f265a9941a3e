//! `find`: the tools for a request, ranked as `find_tools` ranks them, and why.

use super::{CliError, json_output, overlay::OverlayOptions, search::SearchFlags, style};
use crate::{
    ServerBuilder,
    catalog::Catalog,
    policy::access::CallerAuthority,
    search::{explain::HitExplanation, request_check::MatchedWord, searcher::DocumentHit},
    text::escape,
};
use clap::Args;
use rmcp::ServerHandler;
use serde_json::{Value, json};

/// The smallest share that an explanation shows, in percent of the score. JSON has all shares.
const PERCENT_MIN: f32 = 1.0;

/// The request, and the form of the answer.
#[derive(Debug, Clone, Args)]
pub struct FindOptions {
    /// What to find a tool for, in the words of a user
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// The maximum number of tools; `find_tools` shows at most 5
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// Show which words of the request match each tool, in which field, and their shares of the
    /// score
    #[arg(long)]
    explain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: SearchFlags,
    #[command(flatten)]
    texts: OverlayOptions,
}

/// A hit with the texts of its tool.
struct FoundTool<'a> {
    name: &'a str,
    summary: &'a str,
    hit: DocumentHit,
    explanation: Option<HitExplanation>,
}

pub(super) fn find<S, H>(
    options: &FindOptions,
    builder: ServerBuilder<S, H>,
) -> Result<(), CliError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    let server = options
        .texts
        .build(options.model.set(builder, ServerBuilder::search_model)?)?;
    let catalog = server.host().served().catalog();
    let tools = search(options, &catalog);
    if options.json {
        return json_output::print(
            &json!({ "tools": tools.iter().map(render_json).collect::<Vec<_>>() }),
        );
    }
    if tools.is_empty() {
        style::print(format_args!(
            "nothing matches; write other words, or see all tools with `list`\n"
        ))?;
        return Ok(());
    }
    let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    tools.iter().try_for_each(|tool| print_tool(tool, width))
}

fn search<'a>(options: &FindOptions, catalog: &'a Catalog) -> Vec<FoundTool<'a>> {
    // Without quotes, a shell passes each word as an argument.
    let request = options.query.join(" ");
    let finder = catalog.finder();
    // The operator sees every tool that a model can find.
    let sight = catalog.visible_set(&CallerAuthority::Owner);
    let view = &finder.view(|place| sight.sees(place));
    let hits = finder.find(&request, usize::from(options.limit), view);
    let places: Vec<usize> = hits.iter().map(|hit| hit.place).collect();
    let explanations = if options.explain {
        finder.explain(&request, &places, view)
    } else {
        Vec::new()
    };
    // Endless, so that `zip` drops no hit.
    let explanations = explanations
        .into_iter()
        .map(Some)
        .chain(std::iter::repeat(None));
    let found = hits
        .into_iter()
        .zip(explanations)
        .filter_map(|(hit, explanation)| {
            let about = &catalog.entries.get(hit.place)?.tool.about;
            // A hit for a step is explained by the whole request, and shares add up to their score.
            let score = explanation.as_ref().map_or(hit.score, |whole| whole.score);
            let hit = DocumentHit { score, ..hit };
            Some(FoundTool {
                name: &about.name,
                summary: about.summary.trim(),
                hit,
                explanation,
            })
        });
    found.collect()
}

fn print_tool(tool: &FoundTool<'_>, width: usize) -> Result<(), CliError> {
    let padding = " ".repeat(width.saturating_sub(tool.name.len()));
    let clear = if tool.hit.stands_out {
        style::dim("  stands out")
    } else {
        String::new()
    };
    let score = match &tool.explanation {
        Some(_) => style::dim(format!("  {:.2}", tool.hit.score)),
        None => String::new(),
    };
    let summary = escape::one_line(tool.summary);
    style::print(format_args!(
        "{}{padding}  {summary}{score}{clear}\n",
        style::green(tool.name)
    ))?;
    tool.explanation
        .iter()
        .try_for_each(|explanation| print_explanation(explanation))
}

/// Prints one line for each word of the request, the largest share first.
fn print_explanation(explanation: &HitExplanation) -> Result<(), CliError> {
    // A score of 0 has only shares of 0, and must not divide by 0.
    let percent = |share: f32| 100.0 * share / explanation.score.max(f32::MIN_POSITIVE);
    let words = explanation.by_word();
    let (telling, others): (Vec<_>, Vec<_>) = words
        .iter()
        .partition(|word| percent(word.share) >= PERCENT_MIN);
    telling
        .iter()
        .try_for_each(|word| print_share(percent(word.share), &render_fields(word, percent)))?;
    // The small shares are on one line, so that all lines add up to the score.
    if !others.is_empty() {
        print_share(
            percent(others.iter().map(|word| word.share).sum()),
            "other words",
        )?;
    }
    if explanation.name > 0.0 {
        print_share(percent(explanation.name), "the request mentions its name")?;
    }
    if explanation.meaning > 0.0 {
        print_share(percent(explanation.meaning), "the meaning, by the model")?;
    }
    if !explanation.missing.is_empty() {
        let missing = explanation.missing.join(", ");
        style::print(format_args!(
            "{}\n",
            style::dim(format!("          no match for: {missing}"))
        ))?;
    }
    Ok(())
}

fn print_share(percent: f32, what: &str) -> std::io::Result<()> {
    style::print(format_args!(
        "  {percent:>4.0} %  {}\n",
        escape::one_line(what)
    ))
}

/// Renders "removed → delete: name 31 %, summary 12 %".
fn render_fields(word: &MatchedWord<'_>, percent: impl Fn(f32) -> f32) -> String {
    let telling = word
        .fields
        .iter()
        .filter(|(_, share)| percent(*share) >= PERCENT_MIN);
    let fields: Vec<String> = match word.fields.as_slice() {
        // A single field has the whole share, which the line begins with.
        [(field, _)] => vec![field.as_str().to_owned()],
        _ => telling
            .map(|(field, share)| format!("{} {:.0} %", field.as_str(), percent(*share)))
            .collect(),
    };
    format!("{}: {}", word.render_words(), fields.join(", "))
}

fn render_json(tool: &FoundTool<'_>) -> Value {
    let FoundTool {
        name,
        summary,
        hit,
        explanation,
    } = tool;
    let mut value = json!({
        "name": name,
        "summary": summary,
        "score": hit.score,
        "stands_out": hit.stands_out,
    });
    if let (Some(explanation), Some(members)) = (explanation, value.as_object_mut()) {
        members.insert(
            "explanation".to_owned(),
            render_json_explanation(explanation),
        );
    }
    value
}

/// Renders the shares, which sum to the score.
fn render_json_explanation(explanation: &HitExplanation) -> Value {
    let matches = explanation.matches.iter().map(|one| {
        json!({
            "word": one.word,
            "matched": one.matched,
            "kind": one.kind.as_str(),
            "field": one.field.as_str(),
            "share": one.share,
        })
    });
    json!({
        "matches": matches.collect::<Vec<_>>(),
        "name": explanation.name,
        "meaning": explanation.meaning,
        "missing": explanation.missing,
    })
}
