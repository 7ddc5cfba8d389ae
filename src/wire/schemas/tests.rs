use serde_json::json;

use super::Messages;
use crate::wire::Revision;

#[test]
fn every_shape_compiles_for_every_revision() {
    for revision in Revision::ALL {
        Messages::of(revision).compile_all();
    }
}

#[test]
fn a_content_block_is_judged_by_its_own_type_alone() {
    let modern = Messages::of(Revision::V2026_07_28);
    let result =
        json!({ "resultType": "complete", "content": [{ "type": "image", "data": "AA==" }] });
    let faults = modern.result("tools/call", &result, false);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].pointer, "/content/0/mimeType");
    assert_eq!(faults[0].what, "is absent");
}
