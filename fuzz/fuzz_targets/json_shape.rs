//! How much memory a JSON text takes: whatever a parser makes of it was counted before.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use serde_json::Value;
use types::json_shape::Shape;

fuzz_target!(|data: &[u8]| {
    let shape = Shape::of(data);
    assert!(shape.values <= data.len() && shape.text <= data.len());
    let Ok(value) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    // Names that are there twice are kept once.
    let (values, bytes) = counted(&value);
    assert!(shape.values >= values, "{shape:?}, but {values} values");
    assert!(shape.memory() >= bytes, "{shape:?}, but {bytes} bytes");
});

/// Values at every depth, and the least that they take.
fn counted(value: &Value) -> (usize, usize) {
    let own = (1, size_of::<Value>());
    let add = |(values, bytes): (usize, usize), (v, b)| (values + v, bytes + b);
    match value {
        Value::Array(items) => items.iter().map(counted).fold(own, add),
        Value::Object(map) => map.iter().fold(own, |sum, (name, value)| {
            add(add(sum, counted(value)), (0, name.len()))
        }),
        Value::String(text) => add(own, (0, text.len())),
        _ => own,
    }
}
