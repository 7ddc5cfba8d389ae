//! Reading and judging a capture next to a bare parse of the same bytes: `cargo bench --bench
//! judge`. The aim is at most twice the parse.
//!
//! Prints the time for 100,000 events as the median of a few rounds, with payloads that repeat (as
//! in real sessions) and with payloads that are all different (the worst case), and the memory that
//! a million events take.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use mcp_hallmark::assertion::{self, Catalog};
use mcp_hallmark::capture::read_events;
use mcp_hallmark::contract::{Builder, Contract};
use mcp_hallmark::score::Scorecard;

const ROUNDS: usize = 7;

fn main() {
    // The harness flags of `cargo bench` and `cargo test` are no business of this program.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for (words, distinct) in [("repeating payloads", false), ("distinct payloads", true)] {
        let capture = synthetic(100_000, distinct);
        let bare = median(|| parse_bare(&capture));
        let read = median(|| {
            black_box(read_contract(&capture));
        });
        let judged = median(|| {
            black_box(judge(&read_contract(&capture)));
        });
        let times = |time: Duration| time.as_secs_f64() / bare.as_secs_f64();
        println!(
            "100,000 events, {words}, {:.1} MB: bare parse {bare:.1?}, read {read:.1?} ({:.2} \
             times), read and judged {judged:.1?} ({:.2} times)",
            capture.len() as f64 / 1e6,
            times(read),
            times(judged)
        );
    }
    let before = peak_memory();
    let mut builder = Builder::new();
    // Written and read in slices, so that the figure shows the contract and not the file.
    for slice in 0..100 {
        let capture = synthetic_from(slice * 10_000, 10_000, false);
        read_events(&capture[..], |event| builder.see(event)).expect("a synthetic capture");
    }
    let contract = builder.finish();
    println!(
        "1,000,000 events, repeating payloads: {} exchanges, {} MB more than before",
        contract.exchanges.len(),
        peak_memory().saturating_sub(before) / 1_000_000
    );
}

fn read_contract(capture: &[u8]) -> Contract {
    let mut builder = Builder::new();
    read_events(capture, |event| builder.see(event)).expect("a synthetic capture");
    builder.finish()
}

/// Judges by the newest edition of the scored set; `wire` is always judged beside it. Tokens are
/// counted as bytes: loading a tokenizer is no part of judging.
fn judge(contract: &Contract) -> Scorecard {
    let catalog = Catalog::builtin();
    let sets = catalog.sets().iter().rev();
    let set = sets.into_iter().find(|set| set.set.id == Catalog::DEFAULT_SET);
    let set = set.expect("the scored set is built in");
    assertion::judge(contract, catalog, &[set], &str::len)
}

fn parse_bare(capture: &[u8]) {
    for line in capture.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        black_box(serde_json::from_slice::<serde_json::Value>(line).expect("valid JSON"));
    }
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

fn synthetic(events: u64, distinct: bool) -> Vec<u8> {
    synthetic_from(0, events, distinct)
}

/// Calls of a tool and their answers, in turn: success, failure with an envelope, and now and then
/// a notification.
fn synthetic_from(first: u64, events: u64, distinct: bool) -> Vec<u8> {
    let mut text = String::new();
    for seq in first..first + events {
        if seq < 2 {
            text.push_str(LISTING[seq as usize]);
            continue;
        }
        let (call, variant) = (seq / 2, if distinct { seq / 2 } else { (seq / 2) % 50 });
        let step =
            format!(r#""step":{{"flow":"calls","case":"case {}","role":"call"}}"#, call % 20);
        let (direction, payload) = if seq % 100 == 99 {
            ("server-to-client", notification(variant))
        } else if seq % 2 == 0 {
            ("client-to-server", request(call, variant))
        } else if call % 3 == 0 {
            ("server-to-client", failure(call, variant))
        } else {
            ("server-to-client", success(call, variant))
        };
        writeln!(
            text,
            "{{\"seq\":{seq},\"direction\":\"{direction}\",\"transport\":\"stdio\",\
             \"kind\":\"message\",\"payload\":{payload},\"session\":0,\"t_us\":{},{step}}}",
            seq * 100
        )
        .expect("a string takes everything");
    }
    text.into_bytes()
}

/// The first two events: the list of tools.
const LISTING: [&str; 2] = [
    concat!(
        r#"{"seq":0,"direction":"client-to-server","transport":"stdio","kind":"message","#,
        r#""payload":{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":{"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientCapabilities":{}}}}}"#,
        "\n"
    ),
    concat!(
        r#"{"seq":1,"direction":"server-to-client","transport":"stdio","kind":"message","#,
        r#""payload":{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","tools":[{"#,
        r#""name":"github_find_issues","description":"Finds issues.","annotations":"#,
        r#"{"readOnlyHint":true},"inputSchema":{"type":"object","required":["owner","repo"],"#,
        r#""properties":{"owner":{"type":"string"},"repo":{"type":"string"},"state":{"enum":"#,
        r#"["open","closed"]},"query":{"type":"string","maxLength":200}},"#,
        r#""additionalProperties":false},"outputSchema":{"type":"object","required":["issues"],"#,
        r#""properties":{"issues":{"type":"array","items":{"type":"object","properties":"#,
        r#"{"number":{"type":"integer"},"title":{"type":"string"},"labels":{"type":"array","#,
        r#""items":{"type":"string"}},"locked":{"type":"boolean"},"updated_at":"#,
        r#"{"type":"string"}},"additionalProperties":false}},"has_more":{"type":"boolean"}},"#,
        r#""additionalProperties":false}}]}}}"#,
        "\n"
    ),
];

fn request(id: u64, variant: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"github_find_issues","arguments":{{"owner":"acme","repo":"widgets","state":"open","query":"crash {variant}"}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn success(id: u64, variant: u64) -> String {
    let rows: Vec<_> = (0..4)
        .map(|row| {
            format!(
                r#"{{"number":{row},"title":"Crash on save {variant}","labels":["bug","needs triage"],"locked":false,"updated_at":"2026-07-12T09:30:00Z"}}"#
            )
        })
        .collect();
    let data = format!(r#"{{"issues":[{}],"has_more":false}}"#, rows.join(","));
    let text = serde_json::Value::from(data.as_str());
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{data},"isError":false}}}}"#
    )
}

fn failure(id: u64, variant: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"isError":true,"content":[{{"type":"text","text":"No issue {variant}."}}],"structuredContent":{{"code":"issue_not_found","message":"No such issue.","temporary":false,"retry_after_ms":null,"request_id":"r{variant}","repair":{{"next_step":"search","tool":"github_find_issues","arguments":{{"owner":"acme","repo":"widgets"}}}}}}}}}}"#
    )
}

fn notification(variant: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"{variant}","progress":1}}}}"#
    )
}

/// Peak resident memory of this process in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1000
}
