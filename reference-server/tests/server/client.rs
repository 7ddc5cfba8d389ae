//! A raw client: lines of JSON over pipes, no SDK in between.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reference_server::{ServeError, ServeOptions, serve_streams};
use serde_json::{Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::schema::Schemas;

/// The revision whose requests carry their own metadata.
pub const MODERN: &str = "2026-07-28";

/// Options with a clock that stands, so that runs repeat.
pub fn options() -> ServeOptions {
    ServeOptions { fixed_clock: Some("2026-07-29T12:00:00Z".to_owned()), ..ServeOptions::default() }
}

/// `_meta` of a 2026-07-28 request.
pub fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"}
    })
}

/// A running server and the two pipes to it.
pub struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    next_id: i64,
    schemas: Schemas,
}

impl Client {
    /// Starts a server of its own.
    pub fn start(options: ServeOptions) -> Client {
        let (input, to) = std::io::pipe().expect("a pipe");
        let (from, output) = std::io::pipe().expect("a pipe");
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let input = Receiver::from_owned_fd(input.into()).expect("a pipe");
                let output = Sender::from_owned_fd(output.into()).expect("a pipe");
                serve_streams(options, input, output).await
            })
        });
        Client {
            to: Some(to),
            from: BufReader::new(from),
            server: Some(server),
            next_id: 0,
            schemas: Schemas::load(),
        }
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &str) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    /// The next line, which has to be a message that the official schemas accept.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the server writes");
        assert!(!line.is_empty(), "the server closed its output");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON on the output: {line}"))
    }

    /// Sends a request of the 2026-07-28 revision and returns the whole answer, held against the official schema.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let mut params = params;
        params["_meta"] = meta(MODERN);
        let answer = self.request_raw(method, params);
        self.schemas.check(MODERN, method, &answer);
        answer
    }

    /// Sends a request with these params and no others.
    pub fn request_raw(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The result of a method that has to succeed.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a method that has to fail.
    pub fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// The whole result of a tool call, success or not.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The structured content of a tool call that has to succeed.
    pub fn success(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The envelope of a tool call that has to fail.
    pub fn failure(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The tools, by name.
    pub fn tools(&mut self) -> Vec<Value> {
        self.result("tools/list", json!({}))["tools"].as_array().expect("tools").clone()
    }

    /// Ends the input; returns what was still answered and how long the server took to end.
    pub fn close(self) -> (Vec<String>, Duration) {
        let Client { to, from, server, .. } = self;
        drop(to);
        let start = Instant::now();
        let rest = from.lines().map(|line| line.expect("the server writes")).collect();
        let server = server.expect("started");
        server.join().expect("no panic").expect("a clean end");
        (rest, start.elapsed())
    }
}
