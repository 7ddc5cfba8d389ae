//! A small MCP server over streamable HTTP on a loopback port, inside the test program.
//!
//! Words understood: `modern`, `legacy` (which eras; both by default), `sse`, `split` (an event in
//! many pieces), `breaks` (the stream ends in the middle), `forbidden`, `redirect-away`,
//! `redirect-near`, `huge`, `never`, `html`, `greets` (a notification on the GET stream).

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mcp_hallmark::target::TargetSpec;
use serde_json::{Map, Value, json};

const SESSION: &str = "session-0123456789";
const JSON: &str = "application/json";

/// A running server; its threads end with the test program.
pub struct Server {
    port: u16,
}

impl Server {
    pub fn start(words: &[&str]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let behaviour = Arc::new(Behaviour { words, seen: Mutex::default() });
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let behaviour = Arc::clone(&behaviour);
                // A connection that the client drops in the middle is what some tests are about.
                thread::spawn(move || behaviour.serve(stream));
            }
        });
        Server { port }
    }

    pub fn spec(&self) -> TargetSpec {
        self.spec_with(&[])
    }

    pub fn spec_with(&self, headers: &[(&str, &str)]) -> TargetSpec {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        TargetSpec::Http {
            url: format!("http://127.0.0.1:{}/mcp", self.port),
            headers: headers.iter().map(own).collect(),
        }
    }
}

struct Behaviour {
    words: Vec<String>,
    seen: Mutex<Vec<Value>>,
}

struct Request {
    verb: String,
    path: String,
    /// With lower-case names.
    headers: Map<String, Value>,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
        let mut first = String::new();
        if stream.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut words = first.split(' ').map(str::to_owned);
        let (verb, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = Map::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), json!(value.trim()));
        }
        let length = headers.get("content-length").and_then(Value::as_str).unwrap_or("0");
        let mut body = vec![0; length.parse().expect("a length")];
        stream.read_exact(&mut body)?;
        Ok(Some(Request { verb, path, headers, body }))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.as_str()
    }
}

/// A whole response; the headers beside the obligatory ones are given as lines.
fn reply(stream: &mut TcpStream, status: u16, headers: &[&str], body: &[u8]) -> io::Result<()> {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\n{lines}\r\n");
    stream.write_all(&[head.as_bytes(), body].concat())
}

fn reply_json(stream: &mut TcpStream, status: u16, message: &Value) -> io::Result<()> {
    let kind = format!("Content-Type: {JSON}");
    let body = serde_json::to_vec_pretty(message).expect("a message is JSON");
    reply(stream, status, &[&kind], &body)
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

impl Behaviour {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|found| found == word)
    }

    fn modern(&self) -> bool {
        self.has("modern") || !self.has("legacy")
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut out = stream.try_clone()?;
        let mut stream = BufReader::new(stream);
        while let Some(request) = Request::read(&mut stream)? {
            match request.verb.as_str() {
                "POST" => self.post(&request, &mut out)?,
                "GET" => self.listen(&mut out)?,
                _ => {
                    let deleted = request.header("mcp-session-id");
                    self.see(json!({"deleted": deleted}));
                    reply(&mut out, 204, &[], b"")?;
                }
            }
        }
        Ok(())
    }

    fn see(&self, what: Value) {
        self.seen.lock().expect("no panic while locked").push(what);
    }

    /// Answers before the message is looked at; gives whether there was one.
    fn turned_away(&self, request: &Request, out: &mut TcpStream) -> io::Result<bool> {
        if self.has("redirect-away") {
            reply(out, 307, &["Location: http://localhost.example.invalid/mcp"], b"")?;
        } else if self.has("redirect-near") && request.path == "/mcp" {
            reply(out, 307, &["Location: /there"], b"")?;
        } else if self.has("forbidden")
            && request.header("authorization") != Some("Bearer open-sesame")
        {
            let headers = ["WWW-Authenticate: Bearer", "Content-Type: text/plain"];
            reply(out, 401, &headers, b"no entry")?;
        } else if self.has("html") {
            reply(out, 404, &["Content-Type: text/html"], b"<html>nothing here</html>")?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn post(&self, request: &Request, out: &mut TcpStream) -> io::Result<()> {
        if self.turned_away(request, out)? {
            return Ok(());
        }
        let message: Value = serde_json::from_slice(&request.body).expect("JSON");
        self.see(json!({"headers": request.headers, "message": message}));
        let method = message["method"].as_str().unwrap_or_default();
        let meta = &message["params"]["_meta"];
        if meta["io.modelcontextprotocol/protocolVersion"].is_string() {
            if !self.modern() {
                return reply_json(out, 400, &error(&Value::Null, -32000, "No session"));
            }
            if request.header("mcp-method") != Some(method)
                || request.header("mcp-protocol-version") != Some("2026-07-28")
            {
                return reply_json(out, 400, &error(&message["id"], -32020, "Header mismatch"));
            }
        } else if method != "initialize" && request.header("mcp-session-id") != Some(SESSION) {
            return reply(out, 400, &["Content-Type: text/plain"], b"no session");
        }
        match message.get("id") {
            None => reply(out, 202, &[], b""),
            Some(id) => {
                let result = self.result(method, &message["params"]);
                let session = format!("Mcp-Session-Id: {SESSION}");
                let headers: &[&str] = if method == "initialize" { &[&session] } else { &[] };
                self.answer(out, &json!({"jsonrpc": "2.0", "id": id, "result": result}), headers)
            }
        }
    }

    fn result(&self, method: &str, params: &Value) -> Value {
        match method {
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}
            }),
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"], "capabilities": {},
                "serverInfo": {"name": "h", "version": "1"}
            }),
            "tools/call" if self.has("huge") => {
                json!({"content": [{"type": "text", "text": "x".repeat(3_000_000)}]})
            }
            "tools/call" if self.has("never") => {
                thread::sleep(Duration::from_secs(3));
                json!({})
            }
            "test/seen" => json!({"seen": *self.seen.lock().expect("no panic while locked")}),
            "tools/list" => {
                let region = json!({"type": "string", "x-mcp-header": "Region"});
                let schema = json!({"type": "object", "properties": {"region": region}});
                json!({"tools": [{"name": "écho", "inputSchema": schema}]})
            }
            _ => json!({}),
        }
    }

    fn answer(&self, out: &mut TcpStream, message: &Value, headers: &[&str]) -> io::Result<()> {
        if !self.has("sse") {
            let kind = format!("Content-Type: {JSON}");
            let headers: Vec<&str> =
                std::iter::once(&*kind).chain(headers.iter().copied()).collect();
            let body = serde_json::to_vec_pretty(message).expect("a message is JSON");
            return reply(out, 200, &headers, &body);
        }
        let params = json!({"level": "info", "data": 1});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
        let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let kind = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked";
        write!(out, "HTTP/1.1 200 OK\r\n{kind}\r\n{lines}\r\n")?;
        for message in [&note, message] {
            let pretty = format!("{message:#}").replace('\n', "\ndata: ");
            let event = format!(": a comment\nevent: message\ndata: {pretty}\n\n");
            if self.has("breaks") {
                chunk(out, &event.as_bytes()[..20])?;
                return out.shutdown(std::net::Shutdown::Both);
            }
            let size = if self.has("split") { 7 } else { event.len() };
            for piece in event.as_bytes().chunks(size) {
                chunk(out, piece)?;
            }
        }
        chunk(out, b"")
    }

    /// The stream of server messages, which stays open for a while.
    fn listen(&self, out: &mut TcpStream) -> io::Result<()> {
        if !self.has("greets") {
            return reply(out, 405, &[], b"");
        }
        let note = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let kind = "Content-Type: text/event-stream\r\nConnection: close";
        write!(out, "HTTP/1.1 200 OK\r\n{kind}\r\n\r\ndata: {note}\n\n")?;
        thread::sleep(Duration::from_secs(2));
        out.shutdown(std::net::Shutdown::Both)
    }
}

fn chunk(out: &mut TcpStream, data: &[u8]) -> io::Result<()> {
    let size = format!("{:x}\r\n", data.len());
    out.write_all(&[size.as_bytes(), data, b"\r\n"].concat())?;
    out.flush()
}
