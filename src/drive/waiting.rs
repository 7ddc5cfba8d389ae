//! A request in flight: which arrival answers it, and what shortens the wait for one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Reply;
use super::tap::{Sent, id_of};
use crate::contract::{Answer, RpcError};
use crate::wire::{Shape, shape_of};

/// How long the proper answer may still come after something that may have been meant as it: an
/// error without an id, an id that nobody sent, a message that cannot be read.
const AFTER_A_DOUBTFUL_ONE: Duration = Duration::from_secs(2);

/// What a request in flight is waiting for.
pub(super) struct Waiting {
    id: i64,
    pub(super) sent: Sent,
    pub(super) deadline: Instant,
    /// How long that was at first.
    wait: Duration,
    /// HTTP status of the answer to come.
    pub(super) status: Option<u16>,
    /// Why there is no answer, in words.
    pub(super) detail: Option<String>,
    /// Messages that came.
    pub(super) frames: u32,
}

impl Waiting {
    pub(super) fn new(id: i64, sent: Sent, wait: Duration) -> Waiting {
        let deadline = Instant::now() + wait;
        Waiting { id, sent, deadline, wait, status: None, detail: None, frames: 0 }
    }

    /// The reply, when a message answers the request; the answer is taken out of it. Otherwise what
    /// it may mean for the wait. `next_id` is above every id that was sent.
    pub(super) fn answer(&mut self, seq: u64, message: &mut Value, next_id: i64) -> Option<Reply> {
        let id = match shape_of(message) {
            Shape::Result { id, .. } | Shape::Error { id, .. } => id,
            Shape::Request { .. } | Shape::Notification { .. } => return None,
            Shape::Invalid => {
                let of_ours = |one: &Value| {
                    one.get("method").is_none() && one.get("id").and_then(id_of) == Some(self.id)
                };
                if of_ours(message)
                    || message.as_array().is_some_and(|batch| batch.iter().any(of_ours))
                {
                    self.doubt(format!("the answer is no response (seq {seq})"));
                }
                return None;
            }
        };
        match id {
            None | Some(Value::Null) => {
                self.doubt(format!("a response without an id came (seq {seq})"));
                return None;
            }
            // A client would miss it; the run goes on, and the judge says so.
            Some(Value::String(text)) if *text == self.id.to_string() => {}
            Some(id) => match id_of(id) {
                Some(id) if id == self.id => {}
                // Late, or once more.
                Some(id) if (1..next_id).contains(&id) => return None,
                _ => {
                    self.doubt(format!("a response with an id that was not sent came (seq {seq})"));
                    return None;
                }
            },
        }
        let answer = match message.get_mut("error").map(Value::take) {
            Some(error) => Answer::Error(Arc::new(RpcError::from_value(error))),
            None => Answer::Result(Arc::new(message["result"].take())),
        };
        Some(Reply {
            seq: self.sent.seq,
            answer_seq: Some(seq),
            answer,
            status: self.status,
            detail: None,
            silent: false,
        })
    }

    /// Notes that something came which may be the answer: there is little left to wait for.
    pub(super) fn doubt(&mut self, detail: String) {
        self.deadline = self.deadline.min(Instant::now() + AFTER_A_DOUBTFUL_ONE);
        self.detail = Some(detail);
    }

    /// Notes the end of the HTTP response.
    pub(super) fn http_end(&mut self, note: Option<String>) {
        let end = "the HTTP response ended without the answer".to_owned();
        self.detail = Some(match (note, self.status) {
            (Some(note), Some(status)) => format!("HTTP {status}: {note}"),
            (Some(note), None) => note,
            (None, Some(status)) => format!("HTTP {status}: {end}"),
            (None, None) => end,
        });
    }

    /// The reply when the wait is over.
    pub(super) fn unanswered(self) -> Reply {
        Reply {
            seq: self.sent.seq,
            answer_seq: None,
            answer: Answer::Unanswered,
            status: self.status,
            silent: self.frames == 0 && self.status.is_none() && self.detail.is_none(),
            detail: self.detail.or_else(|| Some(format!("no answer within {:?}", self.wait))),
        }
    }
}

/// Whether a line that is not JSON was meant as a message, rather than printed beside them.
pub(super) fn is_meant_as_message(line: &str) -> bool {
    line.contains("\"jsonrpc\"")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shortened(mut message: Value) -> bool {
        let wait = Duration::from_secs(30);
        let mut waiting = Waiting::new(7, Sent { seq: 1, exchange: None }, wait);
        assert!(waiting.answer(2, &mut message, 9).is_none(), "{message}");
        waiting.deadline < Instant::now() + Duration::from_secs(3)
    }

    #[test]
    fn an_answer_is_known_by_its_id() {
        let sent = Sent { seq: 1, exchange: None };
        for mut message in [
            json!({"id": 7, "result": {}}),
            json!({"id": 7.0, "error": {}}),
            json!({"id": "7", "result": {}}),
        ] {
            let mut waiting = Waiting::new(7, sent, Duration::from_secs(30));
            assert!(waiting.answer(2, &mut message, 9).is_some_and(|reply| reply.is_answered()));
        }
    }

    #[test]
    fn what_may_have_been_meant_as_the_answer_shortens_the_wait() {
        for message in [
            json!({"id": 999, "result": {}}),
            json!({"id": "seven", "result": {}}),
            json!({"result": {}}),
            json!({"id": 7}),
            json!([{"id": 7, "result": {}}]),
        ] {
            assert!(shortened(message.clone()), "{message}");
        }
        for message in [
            json!({"id": 6, "result": {}}),
            json!({"id": 7, "method": "ping"}),
            json!({"level": "info"}),
            Value::Null,
        ] {
            assert!(!shortened(message.clone()), "{message}");
        }
        assert!(is_meant_as_message("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\u{0}"));
        assert!(!is_meant_as_message("{'debug': 1}"));
    }
}
