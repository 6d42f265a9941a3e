//! Tools whose results are of every kind that MCP has.

use crate::samples::{PNG, WAV};
use pd_runtime::{
    prelude::*,
    rmcp::model::{ContentBlock, ResourceContents},
};

/// Text and nothing else.
#[pd_tool(summary = "Answer with text", eager)]
pub(crate) fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// One pixel.
#[pd_tool(summary = "Answer with an image", eager)]
pub(crate) fn test_image_content() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}

/// A moment of silence.
#[pd_tool(summary = "Answer with a sound", eager)]
pub(crate) fn test_audio_content() -> ContentBlock {
    ContentBlock::audio(WAV, "audio/wav")
}

/// A resource with its text, inside the result.
#[pd_tool(summary = "Answer with a resource", eager)]
pub(crate) fn test_embedded_resource() -> ContentBlock {
    ContentBlock::embedded_text(
        "test://embedded-resource",
        "This is an embedded resource content.",
    )
}

/// Text, an image and a resource, in this order.
#[pd_tool(summary = "Answer with text, an image and a resource", eager)]
pub(crate) fn test_multiple_content_types() -> Vec<ContentBlock> {
    let data = ResourceContents::text(
        r#"{"test":"data","value":123}"#,
        "test://mixed-content-resource",
    );
    vec![
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(PNG, "image/png"),
        ContentBlock::resource(data.with_mime_type("application/json")),
    ]
}

/// Fails every time.
#[pd_tool(summary = "Fail", eager)]
pub(crate) fn test_error_handling() -> Result<(), ToolError> {
    Err(ToolError::new(
        "INTENDED",
        "This tool intentionally returns an error for testing",
    ))
}
