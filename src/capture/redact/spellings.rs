//! The ways in which a secret may be spelled as a whole; escapes of single characters are taken
//! away before anything is compared (see `escapes`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::escapes::decoded;
use super::names::SHORTEST_SECRET;

/// Layers of escapes that are taken away.
pub(super) const LAYERS: usize = 6;

/// Lines of a secret of several lines that are secrets by themselves.
const SHORTEST_LINE: usize = 16;

/// One spelling of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) bytes: Vec<u8>,
    /// The first and the last of its bits share a base64 digit with what stands beside it.
    pub(super) shares: (bool, bool),
    pub(super) base64: bool,
}

/// Every spelling of a secret. A setting, which is replaced as a whole word only, is looked for as
/// it is, because the codes of short common words would be found by chance.
pub(super) fn spellings(secret: &str, is_setting: bool) -> Vec<Spelling> {
    let mut texts = vec![secret.as_bytes().to_vec()];
    if secret.contains(' ') {
        texts.push(secret.replace(' ', "+").into_bytes());
    }
    let lines = secret.lines().filter(|line| line.len() >= SHORTEST_LINE && !is_fence(line));
    if secret.contains('\n') {
        texts.extend(lines.map(|line| line.trim().as_bytes().to_vec()));
    }
    let bare: Vec<Vec<u8>> = texts.iter().map(|text| without_escapes(text)).collect();
    texts.extend(bare);
    let mut all: Vec<Spelling> = texts.into_iter().map(plain).collect();
    if !is_setting && secret.len() >= SHORTEST_SECRET {
        let quoted = serde_json::Value::from(secret).to_string();
        for text in [secret, &quoted[1..quoted.len() - 1]] {
            all.extend(coded(text.as_bytes()));
        }
    }
    all.retain(|spelling| !spelling.bytes.is_empty());
    all
}

/// The lines around a key name its kind and hide nothing.
fn is_fence(line: &str) -> bool {
    line.starts_with("-----")
}

fn plain(bytes: Vec<u8>) -> Spelling {
    Spelling { bytes, shares: (false, false), base64: false }
}

/// What is left when no escape is left: a secret that itself holds `%41` is found as such by
/// whoever takes all escapes away.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut bare = text.to_vec();
    for _ in 0..LAYERS {
        match decoded(&bare) {
            Some(next) => bare = next,
            None => break,
        }
    }
    bare
}

/// Hexadecimal in both cases; base64 in both alphabets, with any text before and after it.
fn coded(secret: &[u8]) -> Vec<Spelling> {
    let hex = |digits: &[u8; 16]| {
        plain(secret.iter().flat_map(|b| [b >> 4, b & 15].map(|n| digits[n as usize])).collect())
    };
    let mut all = vec![hex(b"0123456789abcdef"), hex(b"0123456789ABCDEF")];
    for before in 0..3 {
        let shifted = [vec![0; before], secret.to_vec()].concat();
        let shares = (before > 0, shifted.len() % 3 != 0);
        let digits = STANDARD_NO_PAD.encode(&shifted);
        // Digits that hold bits of the neighbours are not the secret's own.
        let own = &digits[(before * 8).div_ceil(6)..digits.len() - usize::from(shares.1)];
        let url_safe = own.replace('+', "-").replace('/', "_");
        for text in [own.to_owned(), url_safe] {
            all.push(Spelling { bytes: text.into_bytes(), shares, base64: true });
        }
    }
    all
}
