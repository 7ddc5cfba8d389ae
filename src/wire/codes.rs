//! JSON-RPC error codes and the bands that they lie in.

/// Codes with a meaning fixed by JSON-RPC 2.0 or by MCP.
pub mod code {
    /// Invalid JSON was received.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are invalid; also "resource not found" and "unknown tool".
    pub const INVALID_PARAMS: i64 = -32602;
    /// Internal error.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// 2026-07-28: an HTTP routing header is missing or disagrees with the body.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// 2026-07-28: the request needs a client capability that was not declared.
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// 2026-07-28: the protocol version of the request is not supported.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// Handshake eras: resource not found (replaced by `INVALID_PARAMS` in 2026-07-28).
    pub const LEGACY_RESOURCE_NOT_FOUND: i64 = -32002;
}

/// Where a numeric JSON-RPC error code lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    /// One of the five codes that JSON-RPC 2.0 defines.
    JsonRpc,
    /// `-32020..=-32099`: reserved for the MCP specification from 2026-07-28 on.
    McpReserved,
    /// `-32000..=-32019`: implementation-defined by JSON-RPC, legacy in MCP.
    LegacyServer,
    /// Any other code between `-32768` and `-32000`: reserved by JSON-RPC.
    JsonRpcReserved,
    /// Outside every reserved band.
    Application,
}

/// Gives the band of a code.
pub fn band(code: i64) -> Band {
    match code {
        -32700 | -32600 | -32601 | -32602 | -32603 => Band::JsonRpc,
        -32099..=-32020 => Band::McpReserved,
        -32019..=-32000 => Band::LegacyServer,
        -32768..=-32100 => Band::JsonRpcReserved,
        _ => Band::Application,
    }
}
