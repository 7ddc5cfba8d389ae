//! A small MCP server on standard streams whose faults are chosen by words. It is this test program,
//! started again: a toolchain and a POSIX shell are all that the tests need.
//!
//! Words understood: `modern`, `legacy` (which eras it speaks; both by default), `dies-at-discover`,
//! `silent-at-discover`, `text-first`, `flood`, `endless-line`, `ignore-term`, `grandchild`, `escape`,
//! `late`, `never`, `bad-utf8`, `string-ids`, `nameless-error`, `dies-on-garbage`, `dies-on-call`,
//! `noisy`, `asks-back`, `echoes-secret`, `unreadable`, `foreign-ids`.

use std::fs::{File, OpenOptions};
use std::io::{StdinLock, Write};
use std::process::{Command, exit};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use mcp_hallmark::target::TargetSpec;
use serde_json::{Value, json};

/// Where the words are found.
const WORDS: &str = "FIXTURE_WORDS";
/// Starts the program `$0` as the server with the words `$@`. The test harness of the child prints
/// lines of its own, so its standard output goes nowhere and the server gets the pipe as number 3. A
/// signal that the shell ignores stays ignored in what it becomes.
const LAUNCH: &str = r#"
export FIXTURE_WORDS="$*"
case " $* " in *" ignore-term "*) trap "" TERM;; esac
exec "$0" --exact child::serves_standard_streams --ignored --nocapture 3>&1 >/dev/null
"#;

/// The server with the given words.
pub fn fixture(words: &[&str]) -> TargetSpec {
    let program = std::env::current_exe().expect("a test knows its program");
    let program = program.to_str().expect("the path of the program is text");
    let args = ["-c", LAUNCH, program].into_iter().chain(words.iter().copied());
    TargetSpec::Stdio {
        command: "sh".to_owned(),
        args: args.map(str::to_owned).collect(),
        env: Vec::new(),
        cwd: None,
    }
}

#[test]
#[ignore = "the server process of the other tests"]
fn serves_standard_streams() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let out = OpenOptions::new().write(true).open("/dev/fd/3").expect("the launcher opened it");
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let input = std::io::stdin().lock();
    Server { words, out, input }.run();
}

struct Server {
    words: Vec<String>,
    out: File,
    input: StdinLock<'static>,
}

impl Server {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|found| found == word)
    }

    fn modern(&self) -> bool {
        self.has("modern") || !self.has("legacy")
    }

    fn legacy(&self) -> bool {
        self.has("legacy") || !self.has("modern")
    }

    /// Writes bytes; a reader that is gone ends the server, as it does most servers.
    fn write(&mut self, bytes: &[u8]) {
        if self.out.write_all(bytes).is_err() {
            exit(0);
        }
    }

    fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn result(&mut self, id: &Value, result: Value) {
        let late = self.has("string-ids") && id.as_i64().is_some_and(|id| id > 1);
        let id = if late { json!(id.to_string()) } else { id.clone() };
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn error(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = std::io::BufRead::read_line(&mut self.input, &mut line);
        (read.expect("frames are UTF-8") > 0).then_some(line)
    }

    fn run(mut self) {
        self.prepare();
        while let Some(line) = self.line() {
            match serde_json::from_str::<Value>(&line) {
                Ok(message) => self.handle(&message),
                Err(_) if self.has("dies-on-garbage") => exit(3),
                Err(_) => self.error(&Value::Null, -32700, "Parse error"),
            }
        }
        if self.has("ignore-term") {
            std::thread::sleep(Duration::from_secs(60));
        }
    }

    #[expect(clippy::zombie_processes, reason = "what a server leaves behind is what is tested")]
    fn prepare(&mut self) {
        if self.has("grandchild") || self.has("escape") {
            let mut command = Command::new("sh");
            command.args(["-c", r#"trap "" TERM; exec sleep 60"#]);
            #[cfg(unix)]
            if self.has("escape") {
                std::os::unix::process::CommandExt::process_group(&mut command, 0);
            }
            let child = command.spawn().expect("there is a shell");
            eprintln!("grandchild {}", child.id());
        }
        if self.has("noisy") {
            eprintln!("{}", "noise ".repeat(100_000));
        }
        if self.has("text-first") {
            self.write(b"Server ready on stdio\n\n");
        }
    }

    fn handle(&mut self, message: &Value) {
        let Some(id) = message.get("id") else { return };
        let info = json!({"name": "fixture", "version": "1.0.0"});
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" if self.modern() => self.result(
                id,
                json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": info}
                }),
            ),
            "server/discover" => self.refuse_discovery(id),
            "initialize" if self.legacy() => {
                let version = &message["params"]["protocolVersion"];
                let result = json!({"protocolVersion": version, "capabilities": {"tools": {}},
                                    "serverInfo": info});
                self.result(id, result);
            }
            "tools/list" => {
                let tools = json!([{"name": "echo", "inputSchema": {"type": "object"}}]);
                self.result(id, json!({"tools": tools}));
            }
            "tools/call" => self.call(id, &message["params"]),
            _ => self.error(id, -32601, "Method not found"),
        }
    }

    fn refuse_discovery(&mut self, id: &Value) {
        if self.has("dies-at-discover") {
            exit(0);
        }
        if self.has("silent-at-discover") {
            return;
        }
        if self.has("nameless-error") {
            self.say(&json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}));
            return;
        }
        self.error(id, -32601, "Method not found");
    }

    fn call(&mut self, id: &Value, params: &Value) {
        if self.has("dies-on-call") {
            eprintln!("cannot go on");
            exit(7);
        }
        while self.has("flood") {
            let params = json!({"level": "info", "data": "x"});
            let note =
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
            self.say(&note);
        }
        while self.has("endless-line") {
            self.write(&[b'x'; 65536]);
        }
        if self.has("late") {
            std::thread::sleep(Duration::from_millis(1200));
        }
        if self.has("never") {
            return;
        }
        if self.has("unreadable") {
            return self.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\0}}\n").as_bytes());
        }
        if self.has("foreign-ids") {
            return self.result(&json!(987_654), json!({}));
        }
        let text = if self.has("bad-utf8") {
            let before = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
            );
            return self.write(&[before.as_bytes(), b"\xff\xfe\"}]}}\n"].concat());
        } else if self.has("asks-back") {
            self.ask_back()
        } else if self.has("echoes-secret") {
            spellings(&std::env::var("API_TOKEN").expect("a secret was given"))
        } else {
            let secret = std::env::var("API_TOKEN").ok();
            json!({"name": params["name"], "arguments": params["arguments"], "env": secret})
        };
        self.result(id, json!({"content": [{"type": "text", "text": text.to_string()}]}));
    }

    /// What the client answers to two requests.
    fn ask_back(&mut self) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
        self.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "roots/list"}));
        let answers = [self.line(), self.line()].map(|line| line.expect("the client answers"));
        Value::Array(answers.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }
}

/// A secret in every spelling that servers echo.
fn spellings(secret: &str) -> Value {
    let each = |spell: &dyn Fn(char) -> String| secret.chars().map(spell).collect::<String>();
    let bytes = |spell: &dyn Fn(u8) -> String| secret.bytes().map(spell).collect::<String>();
    let units = secret.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let mut all = vec![
        secret.to_owned(),
        json!({ "token": secret }).to_string(),
        secret.replace('"', "\\\"").replace('/', "\\/"),
        units,
        bytes(&|byte| format!("%{byte:02X}")),
        bytes(&|byte| format!("%{byte:02x}")),
        secret.replace('/', "%2f").replace('"', "%22"),
        each(&|c| format!("&#{};", u32::from(c))),
        each(&|c| format!("&#x{:X};", u32::from(c))),
        secret.replace('"', "&quot;"),
        bytes(&|byte| format!("{byte:02x}")),
        bytes(&|byte| format!("{byte:02X}")),
    ];
    for text in [secret.to_owned(), format!("a{secret}b"), format!("ab{secret}")] {
        all.extend(
            [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD].map(|e| e.encode(&text)),
        );
    }
    json!(all)
}
