//! Endings by signal: of whole processes, as soon as they are heard of.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reference_server::ServeOptions;
use serde_json::json;

use crate::client::{MODERN, meta, options};
use crate::wire::AT_ONCE;

#[test]
#[ignore = "the server process of the other tests here"]
fn serves_standard_streams() {
    serve(options());
}

#[test]
#[ignore = "the server process of the other tests here"]
fn serves_http() {
    let free_port = "127.0.0.1:0".parse().expect("an address");
    serve(ServeOptions { http: Some(free_port), ..options() });
}

fn serve(options: ServeOptions) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(reference_server::serve(options)).expect("a clean end");
}

#[test]
fn a_signal_ends_a_server_that_answered_discovery() {
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta(MODERN)}});
    ends_after_its_answer_to(&discover.to_string());
}

#[test]
fn a_signal_ends_a_server_that_waits_for_its_first_request() {
    ends_after_its_answer_to("garbage");
}

fn ends_after_its_answer_to(line: &str) {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut child = start("signals::serves_standard_streams");
        let mut input = child.stdin.take().expect("piped");
        let output = child.stdout.take().expect("piped");
        writeln!(input, "{line}").expect("the server reads");
        let open = read_until(output, "\"jsonrpc\"");
        ends_at_once(child, signal);
        drop((input, open));
    }
}

#[test]
fn a_signal_ends_a_server_that_listens() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut child = start("signals::serves_http");
        let errors = child.stderr.take().expect("piped");
        let open = read_until(errors, "listening on http://");
        ends_at_once(child, signal);
        drop(open);
    }
}

fn start(server: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", server, "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this program starts again")
}

/// Reads on to the line with `text`: the test harness of the child prints lines of its own first.
fn read_until(from: impl std::io::Read, text: &str) -> impl BufRead {
    let mut from = BufReader::new(from);
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(from.read_line(&mut line).expect("the server writes"), 0, "no {text}");
    }
    from
}

fn ends_at_once(mut child: Child, signal: Signal) {
    let start = Instant::now();
    let id = i32::try_from(child.id()).expect("a process id");
    kill(Pid::from_raw(id), signal).expect("the server runs");
    let status = child.wait().expect("the server ends");
    assert!(status.success(), "{signal}: {status}");
    assert!(start.elapsed() < AT_ONCE, "{signal} took {:?}", start.elapsed());
}
