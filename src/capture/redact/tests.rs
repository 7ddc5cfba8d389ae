//! What is replaced, and what is not.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use super::Redactor;
use super::redactor::MOST_LEARNT;

#[test]
fn the_same_secret_gets_the_same_placeholder_in_every_spelling() {
    let mut redactor = Redactor::new();
    redactor.add_header("Authorization", "Bearer pa\"ss/é");
    redactor.add_literal("second");
    let inner = serde_json::json!({"token": "pa\"ss/é"}).to_string();
    let json = serde_json::json!({"a": "pa\"ss/é", "text": inner, "n": "second"}).to_string();
    let shown = redactor.json(&json).into_owned();
    let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(value["a"], "[redacted:authorization-2]");
    assert_eq!(value["text"], r#"{"token":"[redacted:authorization-2]"}"#);
    assert_eq!(value["n"], "[redacted:literal-1]");
    assert_eq!(redactor.text("x?t=pa%22ss%2F%C3%A9"), "x?t=[redacted:authorization-2]");
    assert_eq!(redactor.text(r#"pa\"ss\/\u00e9"#), "[redacted:authorization-2]");
    assert_eq!(redactor.text("Bearer pa\"ss/é"), "[redacted:authorization-1]");
}

#[test]
fn settings_are_not_cut_out_of_names() {
    let mut redactor = Redactor::new();
    redactor.add_env("OWNER", "github");
    redactor.add_env("MODE", "text");
    redactor.add_env("PORT", "8080");
    redactor.add_env("API_KEY", "abcdef");
    let json = r#"{"type":"text","name":"github_get_issue","of":"github","n":8080,"k":"xabcdefx"}"#;
    let shown = redactor.json(json).into_owned();
    let expected = r#"{"type":"text","name":"github_get_issue","of":"[redacted:owner-1]","n":8080,"k":"x[redacted:api-key-1]x"}"#;
    assert_eq!(shown, expected);
}

#[test]
fn numbers_that_are_secrets_become_strings() {
    let mut redactor = Redactor::new();
    redactor.add_literal("4111111111111111");
    let shown = redactor.json(r#"{"card": 4111111111111111, "id":[4111111111111111,1]}"#);
    let mark = "\"[redacted:literal-1]\"";
    assert_eq!(shown, format!(r#"{{"card": {mark}, "id":[{mark},1]}}"#));
}

#[test]
fn urls_lose_what_is_secret_in_them() {
    let mut redactor = Redactor::new();
    let shown = redactor.url("https://me:hunter22@example.com/mcp?api_key=abc123&v=1");
    assert_eq!(shown, "https://example.com/mcp?api_key=[redacted]&v=[redacted]");
    assert_eq!(redactor.text("hunter22 abc123"), "[redacted:url-1] [redacted:api-key-1]");
}

#[test]
fn headers_are_allow_listed() {
    let mut redactor = Redactor::new();
    let shown = |redactor: &mut Redactor, name: &str, value: &str| {
        redactor.header(name, value).map(|(name, value)| format!("{name}: {value}"))
    };
    assert_eq!(
        shown(&mut redactor, "Content-Type", "application/json").as_deref(),
        Some("content-type: application/json")
    );
    assert_eq!(
        shown(&mut redactor, "X-Api-Key", "k3y").as_deref(),
        Some("x-api-key: [redacted:x-api-key-1]")
    );
    assert_eq!(
        shown(&mut redactor, "Set-Cookie", "a=b").as_deref(),
        Some("set-cookie: [redacted:set-cookie-1]")
    );
    assert_eq!(shown(&mut redactor, "X-Request-Id", "42"), None);
    for n in 0..MOST_LEARNT + 10 {
        let value = format!("{n}-{}", "x".repeat(if n % 2 == 0 { 20_000 } else { 20 }));
        let shown = shown(&mut redactor, "Set-Cookie", &value).expect("recorded");
        assert!(shown.starts_with("set-cookie: [redacted:set-cookie"), "{shown}");
    }
    assert!(redactor.known() <= MOST_LEARNT);
}

/// The ways in which servers echo what they were given, by name.
fn spelled(secret: &str) -> Vec<(&'static str, String)> {
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let each = |spell: &dyn Fn(char) -> String| secret.chars().map(spell).collect::<String>();
    let bytes = |spell: &dyn Fn(u8) -> String| secret.bytes().map(spell).collect::<String>();
    let units =
        |text: &str| text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let some =
        |b: u8| if b.is_ascii_alphabetic() { (b as char).to_string() } else { format!("%{b:02x}") };
    let mut all = vec![
        ("literal", secret.to_owned()),
        ("json", quoted(secret)),
        ("json with slashes escaped", quoted(secret).replace('/', "\\/")),
        ("json in json", quoted(&quoted(secret))),
        ("json in json in json", quoted(&quoted(&quoted(secret)))),
        ("json units", units(secret)),
        ("json units in capitals", units(secret).to_uppercase().replace("\\U", "\\u")),
        ("json units in json", quoted(&units(secret))),
        ("first unit only", {
            let first = secret.chars().next().expect("not empty").to_string();
            units(&first) + &quoted(&secret[first.len()..])
        }),
        ("percent", bytes(&|b| format!("%{b:02X}"))),
        ("percent in small letters", bytes(&|b| format!("%{b:02x}"))),
        ("percent for some", bytes(&some)),
        ("percent twice", bytes(&|b| format!("%25{b:02X}"))),
        ("html", html),
        ("html numbers", each(&|c| format!("&#{};", u32::from(c)))),
        ("html hexadecimal", each(&|c| format!("&#x{:X};", u32::from(c)))),
        ("html in json", quoted(&each(&|c| format!("\u{26}#{};", u32::from(c))))),
        ("hexadecimal", bytes(&|b| format!("{b:02x}"))),
        ("hexadecimal in capitals", bytes(&|b| format!("{b:02X}"))),
    ];
    for before in ["", "u", "me", "a:b", "user:"] {
        for after in ["", "!", "?x", ":end"] {
            let text = format!("{before}{secret}{after}");
            all.push(("base64", STANDARD.encode(&text)));
            all.push(("base64 without padding", STANDARD_NO_PAD.encode(&text)));
            all.push(("base64 in JSON", STANDARD.encode(&text).replace('/', "\\/")));
            all.push(("base64 for URLs", URL_SAFE.encode(&text)));
            all.push(("base64 for URLs without padding", URL_SAFE_NO_PAD.encode(&text)));
        }
    }
    all
}

/// What is left of a text whose secret was replaced must not hold the secret's own core.
fn assert_gone(redactor: &Redactor, secret: &str, name: &str, spelled: &str) {
    let line = format!("token is {spelled} (end)");
    let shown = redactor.text(&line);
    let base64 = name.starts_with("base64");
    let kept = shown.len() - shown.find("[redacted:literal-1]").map_or(0, |_| 20);
    let around = "token is  (end)".len() + if base64 { 16 } else { 0 };
    assert!(
        shown.contains("[redacted:literal-1]") && kept <= around,
        "{name}: {secret:?} in {shown}"
    );
    let json = serde_json::json!({"text": line, "n": 1}).to_string();
    let shown = redactor.json(&json);
    let value: serde_json::Value = serde_json::from_str(&shown).expect("still JSON");
    let text = value["text"].as_str().expect("still a string");
    assert!(text.contains("[redacted:literal-1]"), "{name}: {secret:?} in {shown}");
    assert!(text.len() <= around + 20, "{name}: {secret:?} in {shown}");
    // The spelling as it stands may itself be what is between two quotes.
    let raw = format!("{{\"text\":\"{spelled}\"}}");
    if serde_json::from_str::<serde_json::Value>(&raw).is_ok() {
        let shown = redactor.json(&raw);
        assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{name}: {shown}");
        assert!(shown.contains("[redacted:literal-1]"), "{name}: {secret:?} in {shown}");
    }
}

#[test]
fn a_secret_is_found_in_every_spelling() {
    for secret in
        ["sk-live_4eC39HqLyjWDarjtT1", "pa\"ss/wörd\\é+&<x>", "p%41ss\\u0042&amp;9", "tok9"]
    {
        let mut redactor = Redactor::new();
        redactor.add_literal(secret);
        for (name, spelled) in spelled(secret) {
            assert_gone(&redactor, secret, name, &spelled);
        }
    }
}

#[test]
fn generated_secrets_are_found_in_every_spelling() {
    const ALPHABET: &str =
        "aZ09 .*+?()[]{}|^$\\\"'/%&;#<>=:,_-~@!éß字😀\n\t\u{1}\u{7f}\u{85}\u{202e}nutx";
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..300 {
        let len = 6 + next(20);
        let secret: String = (0..len).map(|_| alphabet[next(alphabet.len())]).collect();
        if secret.trim().len() < 4 || secret.trim() != secret {
            continue;
        }
        let mut redactor = Redactor::new();
        redactor.add_literal(&secret);
        for (name, spelled) in spelled(&secret) {
            assert_gone(&redactor, &secret, name, &spelled);
        }
    }
}

#[test]
fn a_piece_of_a_secret_at_a_cut_is_replaced() {
    let mut redactor = Redactor::new();
    redactor.add_literal("s3cr3t-token-value");
    assert_eq!(
        redactor.cut_text("t-token-value said\nuse s3cr3t-t"),
        "[redacted:literal-1] said\nuse [redacted:literal-1]"
    );
    assert_eq!(redactor.cut_text("{\"k\":\"s3cr\\u0033t"), "{\"k\":\"[redacted:literal-1]");
    assert_eq!(redactor.cut_text("a value, use s3"), "a value, use s3");
}

#[test]
fn overlapping_secrets_leave_nothing() {
    let mut redactor = Redactor::new();
    redactor.add_literal("abcdefgh");
    redactor.add_literal("efghijklmn");
    assert_eq!(redactor.text("<abcdefghijklmn>"), "<[redacted:literal-2]>");
}

#[test]
fn a_placeholder_never_splits_an_escape() {
    let mut redactor = Redactor::new();
    redactor.add_literal("nabcd");
    redactor.add_literal("de00");
    let json = r#"{"a":"\nabcd","b":"\\nabcd","c":"\ud83d\ude00"}"#;
    let shown = redactor.json(json);
    let value: serde_json::Value = serde_json::from_str(&shown).expect("still JSON");
    assert_eq!(value["b"], "\\[redacted:literal-1]");
}

#[test]
fn the_arguments_of_a_command_give_secrets_away() {
    let mut redactor = Redactor::new();
    let words = [
        "--api-key=sk-12345678abcd",
        "--header",
        "Authorization: Bearer tok-777",
        "--auth",
        "none",
    ];
    redactor.add_arguments(&words.map(str::to_owned));
    assert_eq!(
        redactor.text("srv --api-key=sk-12345678abcd tok-777"),
        "srv --api-key=[redacted:api-key-1] [redacted:authorization-2]"
    );
}
