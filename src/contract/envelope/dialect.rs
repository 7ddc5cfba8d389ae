//! The dialects and the places where an envelope travels.

/// In which family of shapes an error was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The canonical envelope: `code`, `message`, `details`, `temporary`, `retry_after_ms`,
    /// `repair`, `request_id`.
    AgentFacing,
    /// Servers built on `@cyanheads/mcp-ts-core`: `error {code, message, data {reason, ...}}`.
    TsCore,
    /// Text alone.
    Text,
}

impl Dialect {
    /// The name as in ASSERTIONS and reports.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::AgentFacing => "agent-facing",
            Dialect::TsCore => "ts-core",
            Dialect::Text => "text",
        }
    }
}

/// Where an envelope travelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnvelopeCarrier {
    /// `structuredContent` of a result with `isError: true`.
    StructuredContent,
    /// `data` of a JSON-RPC error.
    ErrorData,
    /// The first text block of a result with `isError: true`.
    ContentText,
}

impl EnvelopeCarrier {
    /// JSON pointer of the carrier in the message.
    pub fn pointer(self) -> &'static str {
        match self {
            EnvelopeCarrier::StructuredContent => "/result/structuredContent",
            EnvelopeCarrier::ErrorData => "/error/data",
            EnvelopeCarrier::ContentText => "/result/content/0/text",
        }
    }
}
