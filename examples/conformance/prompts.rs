//! The prompts: plain, with arguments, with a resource or an image, and one that asks first.

use crate::{
    forms,
    input::{Answers, ask, form},
    samples::PNG,
};
use pd_runtime::rmcp::{
    ErrorData,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject,
        Prompt, PromptArgument, PromptMessage, Role,
    },
};

/// All prompts; `with_added`: also the one that comes and goes.
pub(crate) fn list(with_added: bool) -> Vec<Prompt> {
    let prompt = |name: &str, about: &str, arguments| Prompt::new(name, Some(about), arguments);
    let argument = |name: &str, about: &str| {
        PromptArgument::new(name)
            .with_description(about)
            .with_required(true)
    };
    let mut all = vec![
        prompt("test_simple_prompt", "A prompt without arguments", None),
        prompt(
            "test_prompt_with_arguments",
            "A prompt with arguments",
            Some(vec![
                argument("arg1", "The first argument"),
                argument("arg2", "The second argument"),
            ]),
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            "A prompt with a resource inside",
            Some(vec![argument("resourceUri", "The resource's URI")]),
        ),
        prompt("test_prompt_with_image", "A prompt with an image", None),
        prompt(
            "test_input_required_result_prompt",
            "A prompt that asks for its context first",
            None,
        ),
    ];
    all.extend(
        with_added.then(|| prompt("test_added_prompt", "A prompt that comes and goes", None)),
    );
    all
}

/// One prompt, or what it has to know first.
pub(crate) fn get(params: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let arguments = params.arguments.as_ref();
    let messages = match params.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument(arguments, "arg1")?, argument(arguments, "arg2")?);
            vec![text(format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = argument(arguments, "resourceUri")?;
            let resource =
                ContentBlock::embedded_text(uri, "Embedded resource content for testing.");
            vec![
                user(resource),
                text("Please process the embedded resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => {
            vec![
                user(ContentBlock::image(PNG, "image/png")),
                text("Please analyze the image above.".to_owned()),
            ]
        }
        "test_input_required_result_prompt" => {
            match Answers(params.input_responses.as_ref())
                .field::<String>("user_context", "context")
            {
                Some(context) => vec![text(format!("Use this context: {context}"))],
                None => {
                    let question = form(
                        "What context should the prompt use?",
                        forms::text("context"),
                    );
                    return Ok(ask([("user_context", question)]).into());
                }
            }
        }
        "test_added_prompt" => vec![text("Here now.".to_owned())],
        unknown => {
            return Err(ErrorData::invalid_params(
                format!("there is no prompt `{unknown}`; see prompts/list"),
                None,
            ));
        }
    };
    Ok(GetPromptResult::new(messages).into())
}

fn user(content: ContentBlock) -> PromptMessage {
    PromptMessage::new(Role::User, content)
}

fn text(text: String) -> PromptMessage {
    user(ContentBlock::text(text))
}

fn argument<'a>(arguments: Option<&'a JsonObject>, name: &str) -> Result<&'a str, ErrorData> {
    let given = arguments
        .and_then(|arguments| arguments.get(name))
        .and_then(|value| value.as_str());
    given.ok_or_else(|| {
        ErrorData::invalid_params(
            format!("the prompt needs the text `{name}` in `arguments`"),
            None,
        )
    })
}
