//! How much memory a JSON text takes once it is parsed, told from its bytes alone.
//!
//! A parsed value takes far more memory than its text: `[0],` repeated takes about a hundred
//! times as much. Whoever parses a text that somebody else wrote asks here first, and refuses what
//! is too much before anything is built. The scan allocates nothing and looks at each byte once.
//!
//! It does not check the grammar. For a text that is valid JSON the count of values is exact; for
//! any other it covers at least what a parser builds before it finds the mistake.

use serde_json::Value;

/// Deeper than `serde_json` follows.
const DEEPEST: usize = 128;

/// What one value takes.
const VALUE: usize = size_of::<Value>();
/// What one member of an object takes: its hash, its name and its value.
const MEMBER: usize = size_of::<usize>() + size_of::<String>() + VALUE;
/// What one place in the index of an object takes.
const INDEX: usize = size_of::<usize>() + 1;
/// What the allocator adds to each piece, and the smallest piece that it gives.
const ALLOCATOR: usize = 16;
const SMALLEST_TEXT: usize = 32;

/// The least that any document may take beyond its texts, whatever its size.
const SMALL_STRUCTURE: usize = 16 << 20;
/// The most that any document may take beyond its texts.
const LARGE_STRUCTURE: usize = 32 << 20;
/// How many times its size a document between the two may take.
const TIMES: usize = 6;

/// What a JSON text becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Every value at every depth; names of members are none.
    pub values: usize,
    /// How deep brackets are nested. The scan ends where a parser would give up.
    pub depth: usize,
    /// Bytes of strings and names.
    pub text: usize,
    /// Bytes that hold the strings together: values, lists, objects, unused capacity.
    pub structure: usize,
}

/// A text that would take too much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it has too many values for its size: {values} values would take {} MiB of memory, and {} MiB are allowed",
    structure >> 20, allowed >> 20
)]
pub struct TooManyValues {
    pub values: usize,
    structure: usize,
    allowed: usize,
}

impl Shape {
    /// Scans a text.
    pub fn of(text: &[u8]) -> Self {
        let mut scan = Scan::default();
        scan.run(text);
        scan.shape
    }

    /// Scans a text, and refuses one that would take much more memory than its size justifies.
    pub fn within_bounds(text: &[u8]) -> Result<Self, TooManyValues> {
        let shape = Self::of(text);
        let allowed = text
            .len()
            .saturating_mul(TIMES)
            .clamp(SMALL_STRUCTURE, LARGE_STRUCTURE);
        if shape.structure > allowed {
            return Err(TooManyValues {
                values: shape.values,
                structure: shape.structure,
                allowed,
            });
        }
        Ok(shape)
    }

    /// What all of it takes, in bytes.
    pub fn memory(&self) -> usize {
        self.text + self.structure
    }
}

/// A list or an object that is open.
#[derive(Clone, Copy, Default)]
struct Level {
    is_object: bool,
    /// Whether the next string is a value rather than a name.
    wants_value: bool,
    items: usize,
    capacity: usize,
}

impl Level {
    /// Takes one more value; returns by how much that lets the container grow.
    fn add(&mut self) -> usize {
        self.items += 1;
        if self.items <= self.capacity {
            return 0;
        }
        let before = self.capacity;
        if self.is_object {
            // The index has 4, 8, 16, … places; as many members are reserved as it may hold.
            let places = match self.items {
                ..=3 => 4,
                items => (items * 8 / 7 + 1).next_power_of_two(),
            };
            self.capacity = if places < 8 { 3 } else { places / 8 * 7 };
            let grown = self.capacity.saturating_sub(before);
            let allocations = if before == 0 { 3 * ALLOCATOR } else { 0 };
            grown * MEMBER + places * INDEX / 2 + places * INDEX % 2 + allocations
        } else {
            self.capacity = self.items.next_power_of_two().max(4);
            let allocations = if before == 0 { ALLOCATOR } else { 0 };
            (self.capacity - before) * VALUE + allocations
        }
    }
}

struct Scan {
    shape: Shape,
    levels: [Level; DEEPEST],
    /// How many of the levels are open.
    open: usize,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            levels: [Level::default(); DEEPEST],
            open: 0,
        }
    }
}

impl Scan {
    fn run(&mut self, text: &[u8]) {
        let mut rest = text;
        let mut in_scalar = false;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let was_in_scalar = std::mem::take(&mut in_scalar);
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b'"' => {
                    let length = end_of_string(rest);
                    self.string(length);
                    rest = rest.get(length + 1..).unwrap_or_default();
                }
                b'[' | b'{' => {
                    self.value();
                    if !self.descend(*byte == b'{') {
                        return;
                    }
                }
                b']' | b'}' => self.open = self.open.saturating_sub(1),
                b',' => {
                    if let Some(level) = self.innermost() {
                        level.wants_value = !level.is_object;
                    }
                }
                b':' => {
                    if let Some(level) = self.innermost() {
                        level.wants_value = true;
                    }
                }
                _ => {
                    in_scalar = true;
                    if !was_in_scalar {
                        self.value();
                    }
                }
            }
        }
    }

    fn innermost(&mut self) -> Option<&mut Level> {
        let last = self.open.checked_sub(1)?;
        self.levels.get_mut(last)
    }

    fn value(&mut self) {
        self.shape.values += 1;
        let grown = self.innermost().map_or(VALUE, Level::add);
        self.shape.structure += grown;
    }

    /// A string of so many bytes between its quotes.
    fn string(&mut self, length: usize) {
        if self.innermost().is_none_or(|level| level.wants_value) {
            self.value();
        }
        self.shape.text += length;
        if length > 0 {
            let piece = (length + ALLOCATOR).max(SMALLEST_TEXT);
            self.shape.structure += piece - length;
        }
    }

    /// Whether a parser goes that deep.
    fn descend(&mut self, is_object: bool) -> bool {
        let Some(level) = self.levels.get_mut(self.open) else {
            self.shape.depth = DEEPEST + 1;
            return false;
        };
        *level = Level {
            is_object,
            wants_value: !is_object,
            ..Level::default()
        };
        self.open += 1;
        self.shape.depth = self.shape.depth.max(self.open);
        true
    }
}

/// How far it is to the quote that ends a string; all of the text if none does.
fn end_of_string(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = text.get(at..) {
        match next.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            None => break,
            Some(found) if next.get(found) == Some(&b'"') => return at + found,
            // Whatever is escaped does not end the string.
            Some(found) => at += found + 2,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Values of a parsed document, counted one by one, and the bytes that they certainly take.
    fn counted(value: &Value) -> (usize, usize) {
        let add = |(values, bytes), (v, b)| (values + v, bytes + b);
        match value {
            Value::Array(items) => items.iter().map(counted).fold((1, VALUE), add),
            Value::Object(map) => map.iter().fold((1, VALUE), |sum, (name, value)| {
                let (values, bytes) = counted(value);
                add(sum, (values, bytes + MEMBER - VALUE + name.len()))
            }),
            Value::String(text) => (1, VALUE + text.len()),
            _ => (1, VALUE),
        }
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(Value::from("\\\"[{,:\\")),
        ];
        leaf.prop_recursive(6, 256, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..12)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_counted_and_none_twice(document in documents(), pretty: bool) {
            let text = if pretty {
                serde_json::to_string_pretty(&document).unwrap()
            } else {
                document.to_string()
            };
            let shape = Shape::of(text.as_bytes());
            let (values, bytes) = counted(&document);
            prop_assert_eq!(shape.values, values, "{}", text);
            prop_assert!(shape.memory() >= bytes, "{:?} for {} bytes of {}", shape, bytes, text);
        }

        #[test]
        fn any_bytes_can_be_scanned(text: Vec<u8>) {
            let shape = Shape::of(&text);
            prop_assert!(shape.values <= text.len() && shape.text <= text.len());
        }

        /// A prefix takes no more than the whole: a parser that stops early is covered.
        #[test]
        fn more_text_never_takes_less(document in documents(), cut: prop::sample::Index) {
            let text = document.to_string();
            let part = &text.as_bytes()[..cut.index(text.len())];
            let (part, whole) = (Shape::of(part), Shape::of(text.as_bytes()));
            prop_assert!(part.values <= whole.values + 1);
            prop_assert!(part.depth <= whole.depth);
        }
    }

    #[test]
    fn brackets_and_commas_in_strings_are_text() {
        let shape = Shape::of(br#"{"a": "[[[[,,,,", "b\"{": [1, "]"]}"#);
        assert_eq!((shape.values, shape.depth), (5, 2));
        assert_eq!(Shape::of(b""), Shape::default());
        assert_eq!(Shape::of(br#""never ends \"#).values, 1);
    }

    #[test]
    fn the_scan_ends_where_a_parser_gives_up() {
        let deep = "[".repeat(100_000);
        assert!(serde_json::from_str::<Value>(&deep).is_err());
        let shape = Shape::of(deep.as_bytes());
        assert_eq!(shape.depth, DEEPEST + 1);
        assert_eq!(shape.values, DEEPEST + 1);
    }

    /// The shapes that take the most for their size.
    #[test]
    fn dense_texts_are_refused_and_ordinary_ones_are_not() {
        for dense in ["[0],", "{\"\":0},", "0,", "[],", "\"a\",", "{\"a\":[0]},"] {
            let text = format!("[{}0]", dense.repeat((4 << 20) / dense.len()));
            let refused = Shape::within_bounds(text.as_bytes()).unwrap_err();
            assert!(refused.to_string().contains("too many values"), "{refused}");
            let little = format!("[{}0]", dense.repeat((64 << 10) / dense.len()));
            Shape::within_bounds(little.as_bytes()).unwrap();
        }
        let interface = json!({
            "name": "eth0", "mac_address": "52:54:00:12:34:56", "ipv4_address": "192.0.2.17",
            "has_carrier": true, "vendor": "0x8086", "product": "0x1533", "lldp": [],
        });
        let inventory = json!({"interfaces": vec![interface; 8000]}).to_string();
        assert!(inventory.len() > 1 << 20);
        Shape::within_bounds(inventory.as_bytes()).unwrap();
        let logs = json!({"logs": "H4sI".repeat(4 << 20)}).to_string();
        Shape::within_bounds(logs.as_bytes()).unwrap();
    }
}
