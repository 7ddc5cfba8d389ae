//! One HTTP request with its response, run as a task of its own.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt, TryStreamExt};
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use sse_stream::SseByteStream;
use tokio::sync::mpsc;

use super::link::{Ending, Incoming};

/// How much of a response that is no message is quoted.
const EXCERPT: usize = 200;

/// What a running exchange knows.
pub(super) struct Exchange {
    pub(super) number: u64,
    pub(super) sender: mpsc::Sender<Incoming>,
    pub(super) frame_bytes: usize,
    /// Not a POST of a message: its failure does not mean that the target is gone.
    pub(super) standalone: bool,
}

/// Why a body was not read to its end.
enum Cut {
    TooLong,
    Broken(String),
}

impl Exchange {
    /// Sends the request and hands over everything that comes back, its end included.
    pub(super) async fn run(self, request: RequestBuilder) {
        let last = match request.send().await {
            Ok(response) => self.receive(response).await,
            Err(error) if self.standalone => self.end(Some(reason_of(&error))),
            Err(error) => Incoming::Closed(Ending::Broken { reason: reason_of(&error) }),
        };
        self.give(last).await;
    }

    async fn receive(&self, response: Response) -> Incoming {
        let status = response.status();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect();
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("")
            .to_ascii_lowercase();
        let head = Incoming::HttpHead { exchange: self.number, status: status.as_u16(), headers };
        self.give(head).await;
        let done = if kind.starts_with("text/event-stream") {
            self.read_events(response).await
        } else {
            // A refusal in prose is no message; a success in prose should have been one.
            let is_message = status.is_success() || kind.contains("json");
            self.read_body(response, is_message).await
        };
        match done {
            Ok(note) => self.end(note),
            Err(Cut::TooLong) => Incoming::Closed(Ending::FrameTooLong { limit: self.frame_bytes }),
            Err(Cut::Broken(reason)) => self.end(Some(reason)),
        }
    }

    async fn read_body(&self, response: Response, is_message: bool) -> Result<Option<String>, Cut> {
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(|error| Cut::Broken(reason_of(&error)))?);
            if body.len() > self.frame_bytes {
                return Err(Cut::TooLong);
            }
        }
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        if is_message {
            self.frame(body).await;
            return Ok(None);
        }
        let text: String = String::from_utf8_lossy(&body).chars().take(EXCERPT).collect();
        Ok(Some(format!("the response is no message: {}", text.trim())))
    }

    async fn read_events(&self, response: Response) -> Result<Option<String>, Cut> {
        // The decoder puts no limit on an event, so the bytes since the last one are counted.
        let pending = Arc::new(AtomicUsize::new(0));
        let (counted, limit) = (Arc::clone(&pending), self.frame_bytes);
        let body =
            Box::pin(response.bytes_stream().map_err(std::io::Error::other).map(move |chunk| {
                let chunk = chunk?;
                let before = counted.fetch_add(chunk.len(), Ordering::Relaxed);
                if before > limit {
                    return Err(std::io::Error::from(std::io::ErrorKind::FileTooLarge));
                }
                Ok(chunk)
            }));
        let mut events = SseByteStream::new(body);
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => {
                    pending.store(0, Ordering::Relaxed);
                    if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                        self.frame(data.into_bytes()).await;
                    }
                }
                Err(_) if pending.load(Ordering::Relaxed) > limit => return Err(Cut::TooLong),
                Err(error) => return Err(Cut::Broken(reason_of(&error))),
            }
        }
        Ok(None)
    }

    async fn frame(&self, bytes: Vec<u8>) {
        self.give(Incoming::Frame { bytes, exchange: Some(self.number) }).await;
    }

    fn end(&self, broken: Option<String>) -> Incoming {
        Incoming::HttpEnd { exchange: self.number, broken }
    }

    async fn give(&self, arrival: Incoming) {
        // Nobody listens any more once the link was dropped, and then nothing is lost.
        let _ = self.sender.send(arrival).await;
    }
}

/// An error with its causes, on one line and without the URL, which may hold secrets.
fn reason_of(error: &(dyn Error + 'static)) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        let text = match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_redirect() => "redirected".to_owned(),
            Some(error) if error.is_connect() => "cannot connect".to_owned(),
            Some(error) if error.is_timeout() => "timed out".to_owned(),
            Some(_) => "the exchange failed".to_owned(),
            None => error.to_string(),
        };
        if words.last() != Some(&text) {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}
