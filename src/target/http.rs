//! A streamable HTTP endpoint: every frame is a POST of its own, answers come as JSON or as a
//! stream of server-sent events.

use std::collections::HashMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Url};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Limits;
use super::http_exchange::Exchange;
use super::link::{Ending, Incoming, LinkError, RequestHead, Routing, reached};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How many redirects within one host are followed.
const REDIRECTS: usize = 5;
/// How many arrivals may wait to be looked at before the network is held back.
const WAITING: usize = 8;

/// An HTTP endpoint in use. Dropping it drops every open response.
#[derive(Debug)]
pub struct HttpLink {
    client: Client,
    url: Url,
    own_headers: Vec<(String, String)>,
    limits: Limits,
    next_exchange: u64,
    session_id: Option<String>,
    sender: mpsc::Sender<Incoming>,
    arrivals: mpsc::Receiver<Incoming>,
    open: HashMap<u64, JoinHandle<()>>,
    received: u64,
    ended: Option<Ending>,
}

impl HttpLink {
    /// Sets up the client; nothing is sent yet.
    ///
    /// # Errors
    /// [`LinkError`] when the URL, a header or the TLS set-up cannot be used.
    pub(super) fn open(
        url: &str,
        headers: &[(String, String)],
        limits: &Limits,
    ) -> Result<HttpLink, LinkError> {
        let mut url =
            Url::parse(url).map_err(|error| LinkError::Url { reason: error.to_string() })?;
        if !matches!(url.scheme(), "http" | "https") {
            let reason = format!("the scheme is {:?}, not http or https", url.scheme());
            return Err(LinkError::Url { reason });
        }
        let mut own_headers = headers.to_vec();
        if let Some(basic) = take_userinfo(&mut url) {
            own_headers.push(("authorization".to_owned(), basic));
        }
        for (name, value) in &own_headers {
            check_header(name, value)?;
        }
        let (sender, arrivals) = mpsc::channel(WAITING);
        Ok(HttpLink {
            client: client(&url)?,
            url,
            own_headers,
            limits: *limits,
            next_exchange: 0,
            session_id: None,
            sender,
            arrivals,
            open: HashMap::new(),
            received: 0,
            ended: None,
        })
    }

    /// The session that the server opened with its answer to `initialize`.
    pub(super) fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The head of the next POST.
    pub(super) fn head(&mut self, routing: &Routing) -> RequestHead {
        self.head_of("POST", "application/json, text/event-stream", routing)
    }

    /// The head of a GET that opens the stream of server messages (handshake eras).
    pub(super) fn listen_head(&mut self, routing: &Routing) -> RequestHead {
        self.head_of("GET", "text/event-stream", routing)
    }

    /// The head of the DELETE that ends the server's session.
    pub(super) fn delete_head(&mut self, routing: &Routing) -> RequestHead {
        self.head_of("DELETE", "application/json", routing)
    }

    fn head_of(&mut self, method: &'static str, accept: &str, routing: &Routing) -> RequestHead {
        let exchange = self.next_exchange;
        self.next_exchange += 1;
        let mut headers = vec![("accept".to_owned(), accept.to_owned())];
        if method == "POST" {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                headers.push((name.to_owned(), value));
            }
        };
        add("mcp-protocol-version", routing.revision.clone());
        add("mcp-method", routing.method.as_deref().map(header_text));
        add("mcp-name", routing.name.as_deref().map(header_text));
        add("mcp-session-id", self.session_id.clone());
        for (name, value) in &routing.params {
            add(&format!("mcp-param-{}", name.to_ascii_lowercase()), Some(header_text(value)));
        }
        headers.extend(self.own_headers.iter().cloned());
        RequestHead { exchange, method, headers }
    }

    /// Sends a request with the given head; the answer arrives through [`HttpLink::next`].
    pub(super) fn send(&mut self, head: &RequestHead, frame: &[u8]) {
        let mut headers = HeaderMap::new();
        for (name, value) in &head.headers {
            // A value that HTTP cannot carry was base64-encoded or checked before.
            if let (Ok(name), Ok(value)) =
                (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
            {
                headers.insert(name, value);
            }
        }
        let method = match head.method {
            "GET" => Method::GET,
            "DELETE" => Method::DELETE,
            _ => Method::POST,
        };
        let mut request = self.client.request(method, self.url.clone()).headers(headers);
        if head.method == "POST" {
            request = request.body(frame.to_vec());
        }
        let exchange = Exchange {
            number: head.exchange,
            sender: self.sender.clone(),
            frame_bytes: self.limits.frame_bytes,
            standalone: head.method != "POST",
        };
        self.open.insert(head.exchange, tokio::spawn(exchange.run(request)));
    }

    /// The next thing that arrives.
    pub(super) async fn next(&mut self, deadline: Instant) -> Incoming {
        if let Some(ending) = &self.ended {
            return Incoming::Closed(ending.clone());
        }
        let arrival = tokio::select! {
            biased;
            arrival = self.arrivals.recv() => arrival,
            () = reached(deadline) => None,
        };
        // The link holds a sender itself, so the channel is never closed.
        let Some(arrival) = arrival else { return Incoming::Quiet };
        match &arrival {
            Incoming::Frame { bytes, .. } => {
                self.received += bytes.len() as u64;
                if self.received > self.limits.session_bytes {
                    return self.end(Ending::TooManyBytes { limit: self.limits.session_bytes });
                }
            }
            Incoming::HttpHead { status: 200..300, headers, .. } => {
                let id = headers.iter().find(|(name, _)| name == "mcp-session-id");
                if let Some((_, id)) = id {
                    self.session_id = Some(id.clone());
                }
            }
            Incoming::HttpEnd { exchange, .. } => {
                self.open.remove(exchange);
            }
            Incoming::Closed(ending) => return self.end(ending.clone()),
            Incoming::HttpHead { .. } | Incoming::Quiet => {}
        }
        arrival
    }

    /// Drops the response of one exchange: over HTTP that is how a request is cancelled.
    pub(super) fn abandon(&mut self, exchange: u64) {
        if let Some(task) = self.open.remove(&exchange) {
            task.abort();
        }
    }

    /// Drops every open response.
    pub(super) fn begin_close(&mut self) {
        for (_, task) in self.open.drain() {
            task.abort();
        }
    }

    fn end(&mut self, ending: Ending) -> Incoming {
        self.begin_close();
        self.ended = Some(ending.clone());
        Incoming::Closed(ending)
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        self.begin_close();
    }
}

/// A header value as 2026-07-28 wants it (Streamable HTTP, "Value Encoding"): plain where HTTP can
/// carry it, else base64 between markers.
fn header_text(value: &str) -> String {
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && value.trim_matches([' ', '\t']) == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) }
}

/// User name and password of a URL as a basic authorization, taken out of the URL.
fn take_userinfo(url: &mut Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let text = format!("{}:{}", url.username(), url.password().unwrap_or(""));
    // Both fail only for URLs that cannot have a user name.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(format!("Basic {}", STANDARD.encode(text)))
}

fn check_header(name: &str, value: &str) -> Result<(), LinkError> {
    let wrong =
        |reason: &str| LinkError::Header { name: name.to_owned(), reason: reason.to_owned() };
    HeaderName::try_from(name).map_err(|_| wrong("it is not a header name"))?;
    HeaderValue::try_from(value)
        .map_err(|_| wrong("its value has characters HTTP cannot carry"))?;
    Ok(())
}

/// A client that verifies TLS, follows redirects within one origin only, and reaches loopback
/// addresses without a proxy.
fn client(url: &Url) -> Result<Client, LinkError> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Losing a race against another link is fine: it installed the same provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let origin = url.origin();
    let mut builder = Client::builder()
        .user_agent(concat!("mcp-hallmark/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(move |attempt| {
            if attempt.url().origin() != origin {
                let to = attempt.url().host_str().unwrap_or("nowhere").to_owned();
                attempt.error(format!("redirected to another origin ({to}), which is refused"))
            } else if attempt.previous().len() > REDIRECTS {
                attempt.error("redirected too often")
            } else {
                attempt.follow()
            }
        }));
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| LinkError::Client(error.to_string()))
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}
