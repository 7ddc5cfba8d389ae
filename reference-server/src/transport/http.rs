//! Streamable HTTP on one endpoint, `/mcp`, for both eras.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::filter::{self, Admission};
use crate::contract::REVISIONS;
use crate::handler::Handler;
use crate::options::ServeError;

/// Largest request body in bytes.
const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// Header with the revision of a request.
const VERSION_HEADER: &str = "mcp-protocol-version";

type Endpoint = StreamableHttpService<Handler, LocalSessionManager>;

/// Binds, tells the address on standard error, and serves until the future is dropped.
pub async fn serve_http(handler: Handler, address: SocketAddr) -> Result<(), ServeError> {
    let bind = |cause| ServeError::Bind { address, cause };
    let listener = TcpListener::bind(address).await.map_err(bind)?;
    let bound = listener.local_addr()?;
    let hosts = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let origins = hosts.iter().map(|host| format!("http://{host}:*"));
    // Browsers of this machine may call; pages of other sites, and names rebound to this address, may not.
    let mut config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_origins(origins);
    if !address.ip().is_unspecified() && !address.ip().is_loopback() {
        config.allowed_hosts.push(address.ip().to_string());
    }
    config.max_request_body_bytes = LARGEST_BODY;
    let endpoint: Endpoint =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
    let router = axum::Router::new().route("/mcp", any(handle)).with_state(endpoint);
    eprintln!("listening on http://{bound}/mcp");
    axum::serve(listener, router).await?;
    Ok(())
}

async fn handle(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let posted = request.method() == Method::POST;
    let (mut parts, body) = request.into_parts();
    accept_anything(&mut parts.headers);
    let Ok(mut bytes) = to_bytes(body, LARGEST_BODY).await else {
        return answer(
            StatusCode::PAYLOAD_TOO_LARGE,
            &filter::error(None, -32600, "Invalid request: the body is too large", None),
        );
    };
    let mut refusal = None;
    let mut id = None;
    if posted {
        match filter::admit(&bytes) {
            Admission::Other => {}
            Admission::Refused(message) => refusal = Some(message),
            Admission::Request(message) => {
                id = message.get("id").cloned();
                refusal = unsupported_version(&parts.headers, &message);
                bytes = Bytes::from(message.to_string());
                parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
            }
        }
    }
    let response =
        endpoint.handle(Request::from_parts(parts, Body::from(bytes))).await.map(Body::new);
    // What the SDK says of host, origin, method and media types goes first; it has not acted on a refused message.
    let settled =
        [StatusCode::FORBIDDEN, StatusCode::METHOD_NOT_ALLOWED, StatusCode::NOT_ACCEPTABLE];
    match refusal {
        Some(message) if !settled.contains(&response.status()) => {
            answer(StatusCode::BAD_REQUEST, &message)
        }
        _ if posted || response.status().is_client_error() => completed(response, id).await,
        _ => response,
    }
}

/// `Accept: */*` takes both media types that the protocol asks for; the SDK wants to see them named.
fn accept_anything(headers: &mut HeaderMap) {
    let any = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("*/*"));
    if any {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// A version that only the header names, and that is not served. The SDK compares header and body itself.
fn unsupported_version(headers: &HeaderMap, message: &Value) -> Option<Value> {
    let requested = headers.get(VERSION_HEADER)?.to_str().ok()?;
    let in_body =
        message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some();
    if REVISIONS.contains(&requested) || in_body || message["method"] == "initialize" {
        return None;
    }
    let data = json!({"supported": REVISIONS, "requested": requested});
    Some(filter::error(
        message.get("id").cloned(),
        -32022,
        "Unsupported protocol version",
        Some(data),
    ))
}

/// Puts the last touch on what the SDK answered, be it JSON, an event stream or plain text.
async fn completed(response: Response, id: Option<Value>) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            &filter::error(id, -32603, "Internal error", None),
        );
    };
    let content_type =
        parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let finished = if content_type.starts_with("text/event-stream") {
        text.lines()
            .map(|line| {
                line.strip_prefix("data: ")
                    .and_then(finished)
                    .map_or(line.to_owned(), |data| format!("data: {data}"))
                    + "\n"
            })
            .collect()
    } else if content_type.starts_with("application/json") {
        finished(&text).unwrap_or_else(|| text.into_owned())
    } else if parts.status.is_client_error() || parts.status.is_server_error() {
        let code = if parts.status.is_client_error() { -32600 } else { -32603 };
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        filter::error(id, code, &text, None).to_string()
    } else {
        text.into_owned()
    };
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(finished))
}

fn finished(json: &str) -> Option<String> {
    let mut message: Value = serde_json::from_str(json).ok()?;
    filter::finish(&mut message);
    Some(message.to_string())
}

fn answer(status: StatusCode, message: &Value) -> Response {
    let mut response = Response::new(Body::from(message.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
