//! A target inside the test: a streamable HTTP endpoint that answers as it is told and keeps every
//! request.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the target answers.
pub enum Answer {
    /// A result.
    Result(Value),
    /// A JSON-RPC error.
    Error(i64, &'static str),
    /// Nothing: the connection is closed.
    Hangup,
}

type Behaviour = dyn Fn(&str, &Value) -> Answer + Send + Sync;

/// A running target.
pub struct Fake {
    /// Its endpoint.
    pub url: String,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Fake {
    /// Starts a target that answers requests (method and params) as `behaviour` says.
    pub async fn start(behaviour: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let behaviour: Arc<Behaviour> = Arc::new(behaviour);
        let keep = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&behaviour), Arc::clone(&keep)));
            }
        });
        Fake { url, seen }
    }

    /// A target that does not run.
    pub fn nowhere(url: String) -> Fake {
        Fake { url, seen: Arc::default() }
    }

    /// Every message that arrived, in order.
    pub fn seen(&self) -> Vec<Value> {
        self.seen.lock().expect("no panic while locked").clone()
    }

    /// The calls that arrived: tool and arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        let calls = self.seen().into_iter().filter(|message| message["method"] == "tools/call");
        calls
            .map(|message| {
                let name = message["params"]["name"].as_str().unwrap_or_default().to_owned();
                (name, message["params"]["arguments"].clone())
            })
            .collect()
    }
}

async fn serve(stream: TcpStream, behaviour: Arc<Behaviour>, seen: Arc<Mutex<Vec<Value>>>) {
    let mut stream = BufReader::new(stream);
    while let Some((verb, body)) = read_request(&mut stream).await {
        let message: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let reply = if verb == "POST" { answer(&message, &behaviour, &seen) } else { None };
        let response = match reply {
            Some(None) => return,
            Some(Some(reply)) => {
                let body = reply.to_string();
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
            }
            None => {
                let status = if verb == "POST" { "202 Accepted" } else { "405 Method Not Allowed" };
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")
            }
        };
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Nothing for a notification, `Some(None)` for a hang-up.
fn answer(
    message: &Value,
    behaviour: &Arc<Behaviour>,
    seen: &Arc<Mutex<Vec<Value>>>,
) -> Option<Option<Value>> {
    seen.lock().expect("no panic while locked").push(message.clone());
    let id = message.get("id")?;
    let method = message["method"].as_str().unwrap_or_default();
    Some(match behaviour(method, &message["params"]) {
        Answer::Result(result) => Some(json!({"jsonrpc": "2.0", "id": id, "result": result})),
        Answer::Error(code, text) => {
            Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}))
        }
        Answer::Hangup => None,
    })
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut verb = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if verb.is_empty() {
            verb = line.split(' ').next()?.to_owned();
        } else if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((verb, body))
}
