//! Errors of tools: a sentence that a model can act on, as the result of the call.

use parlor_engine::Lang;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData};
use serde::Serialize;
use serde_json::json;

use crate::errors::Failure;

/// Result of a tool call.
pub(super) type ToolResult = Result<CallToolResult, ToolError>;

/// An error of a tool.
#[derive(Debug)]
pub(super) enum ToolError {
    /// The call failed; the model is told why.
    Failed(Failure),
    /// The request itself is wrong.
    Protocol(ErrorData),
}

impl ToolError {
    /// An error in the arguments of a call.
    pub(super) fn arguments(en: impl Into<String>, de: impl Into<String>) -> ToolError {
        ToolError::Failed(Failure::usage(en, de))
    }

    /// The result of the call.
    pub(super) fn into_result(self, lang: Lang) -> Result<CallToolResult, ErrorData> {
        match self {
            ToolError::Failed(failure) => {
                let text = failure.message(lang).unwrap_or_default();
                let mut result = CallToolResult::error(vec![ContentBlock::text(text.clone())]);
                result.structured_content =
                    Some(json!({ "error": { "reason": failure.reason(), "message": text } }));
                Ok(result)
            }
            ToolError::Protocol(error) => Err(error),
        }
    }

    /// The error of a request that is no tool call.
    pub(super) fn into_protocol_error(self, lang: Lang) -> ErrorData {
        match self {
            ToolError::Failed(failure) => {
                ErrorData::internal_error(failure.message(lang).unwrap_or_default(), None)
            }
            ToolError::Protocol(error) => error,
        }
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> ToolError {
        ToolError::Failed(failure)
    }
}

impl From<parlor_sdk::Error> for ToolError {
    fn from(error: parlor_sdk::Error) -> ToolError {
        ToolError::Failed(error.into())
    }
}

/// A result with a text and the same as structured content.
pub(super) fn success(text: String, structured: &impl Serialize) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // Reports are maps with keys of text, which have a JSON form.
    result.structured_content = serde_json::to_value(structured).ok();
    result
}
