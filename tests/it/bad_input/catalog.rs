//! What is sent: every endpoint that writes, and everything that is wrong.

use serde_json::{Value, json};
use std::fmt;

pub(super) const NODE: &str = "11111111-1111-1111-1111-111111111111";
pub(super) const PORT: &str = "22222222-2222-2222-2222-222222222222";
pub(super) const CHASSIS: &str = "33333333-3333-3333-3333-333333333333";

/// What a body has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// An object whose keys are checked, with one that is fine.
    Object(&'static str),
    /// A JSON patch.
    Patch,
    /// An object that may also be absent.
    Optional,
    /// Nothing.
    Nothing,
}

/// An endpoint that changes something.
pub(super) struct Write {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    shape: Shape,
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

const fn write(method: &'static str, path: &'static str, shape: Shape) -> Write {
    Write {
        method,
        path,
        shape,
    }
}

pub(super) const WRITES: &[Write] = &[
    write(
        "POST",
        "/v1/nodes",
        Shape::Object(r#"{"driver": "fake-hardware"}"#),
    ),
    write("PATCH", "/v1/nodes/victim", Shape::Patch),
    write(
        "PUT",
        "/v1/nodes/victim/states/power",
        Shape::Object(r#"{"target": "power on"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/states/provision",
        Shape::Object(r#"{"target": "manage"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/states/raid",
        Shape::Object(r#"{"logical_disks": []}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/states/boot_mode",
        Shape::Object(r#"{"target": "uefi"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/states/secure_boot",
        Shape::Object(r#"{"target": "true"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/states/console",
        Shape::Object(r#"{"enabled": "true"}"#),
    ),
    write("PUT", "/v1/nodes/victim/maintenance", Shape::Optional),
    write(
        "PUT",
        "/v1/nodes/victim/management/boot_device",
        Shape::Object(r#"{"boot_device": "pxe"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/management/inject_nmi",
        Shape::Nothing,
    ),
    write(
        "PUT",
        "/v1/nodes/victim/management/indicators/led@system",
        Shape::Object(r#"{"state": "on"}"#),
    ),
    write(
        "PUT",
        "/v1/nodes/victim/traits",
        Shape::Object(r#"{"traits": ["CUSTOM_A"]}"#),
    ),
    write("PUT", "/v1/nodes/victim/traits/CUSTOM_A", Shape::Nothing),
    write(
        "POST",
        "/v1/ports",
        Shape::Object(
            r#"{"node_uuid": "11111111-1111-1111-1111-111111111111", "address": "52:54:00:00:00:09"}"#,
        ),
    ),
    write(
        "PATCH",
        "/v1/ports/22222222-2222-2222-2222-222222222222",
        Shape::Patch,
    ),
    write(
        "POST",
        "/v1/chassis",
        Shape::Object(r#"{"description": "d"}"#),
    ),
    write(
        "PATCH",
        "/v1/chassis/33333333-3333-3333-3333-333333333333",
        Shape::Patch,
    ),
];

/// Texts that are no JSON.
pub(super) const BROKEN: &[&[u8]] = &[
    b"{",
    b"}",
    b"{\"a\":}",
    b"{\"target\": \"manage\"} x",
    b"{'target': 'manage'}",
    b"nul",
    b"[1,]",
    b"\"",
    b"\"\\ud800\"",
    b"{\"name\": \"\xff\xfe\"}",
    b"\xc3\x28",
    b"\x00",
    b"\xef\xbb\xbf{}",
    b"1e999",
    b"{\"a\": NaN}",
    b"// comment",
];

const SCALARS: &[&[u8]] = &[b"1", b"-1.5", b"true", b"\"text\""];

impl Write {
    /// Whether the request makes sense without a body.
    pub(super) fn body_is_optional(&self) -> bool {
        self.shape == Shape::Optional
    }

    /// JSON of the wrong type.
    pub(super) fn wrong_types(&self) -> &'static [&'static [u8]] {
        const OBJECT: &[&[u8]] = &[
            b"[]",
            b"[1]",
            b"[{}]",
            b"{\"target\": {}}",
            b"{\"target\": [1]}",
            b"{\"target\": 17}",
        ];
        const PATCH: &[&[u8]] = &[
            b"{}",
            b"1",
            b"\"text\"",
            b"null",
            b"[1]",
            b"[null]",
            b"[{}]",
            b"[[]]",
            b"[{\"op\": \"replace\"}]",
            b"[{\"op\": \"replace\", \"path\": 1, \"value\": 1}]",
            b"[{\"op\": \"fly\", \"path\": \"/extra/a\", \"value\": 1}]",
            b"[{\"op\": \"replace\", \"path\": \"\", \"value\": 1}]",
            b"[{\"op\": \"replace\", \"path\": \"/\", \"value\": 1}]",
            b"[{\"op\": \"replace\", \"path\": \"/extra\", \"value\": \"text\"}]",
            b"[{\"op\": \"replace\", \"path\": \"/extra\", \"value\": [1]}]",
            b"[{\"op\": \"replace\", \"path\": \"/uuid\", \"value\": \"x\"}]",
            b"[{\"op\": \"remove\", \"path\": \"/extra/nope\"}]",
            b"[{\"op\": \"add\", \"path\": \"/extra/a/b/c\", \"value\": 1}]",
            b"[{\"op\": \"add\", \"path\": \"extra/a\", \"value\": 1}]",
            b"[{\"op\": \"add\", \"path\": \"/bogus\", \"value\": 1}]",
        ];
        match self.shape {
            Shape::Object(_) => OBJECT,
            Shape::Patch => PATCH,
            Shape::Optional | Shape::Nothing => SCALARS,
        }
    }

    /// Otherwise sensible bodies with a field that does not exist.
    pub(super) fn unknown_fields(&self) -> Vec<Value> {
        match self.shape {
            Shape::Object(good) => {
                let mut body: Value = serde_json::from_str(good).unwrap();
                body["bogus"] = json!(1);
                vec![body, json!({"bogus": 1}), json!({"": 1})]
            }
            Shape::Patch => ["/bogus", "/bogus/a", "/links", "/updated_at", "/id"]
                .iter()
                .map(|path| json!([{"op": "add", "path": path, "value": "x"}]))
                .collect(),
            Shape::Optional | Shape::Nothing => vec![json!({"bogus": 1})],
        }
    }
}

/// Values of the version header.
pub(super) const VERSIONS: &[&str] = &[
    "0.0",
    "1.0",
    "1.116",
    "2.1",
    "0.1",
    "1",
    "1.",
    ".1",
    "1.x",
    "x",
    "1.1.1",
    "1.-1",
    "-1.1",
    "1,1",
    "1.1 1.2",
    "Latest!",
    "1.1e1",
    "0x1.1",
    "1.99999999999999999999999",
];

/// A list, and queries that only it refuses.
pub(super) struct List {
    pub(super) path: &'static str,
    pub(super) queries: &'static [&'static str],
}

/// Queries that every list refuses.
pub(super) const QUERIES: &[&str] = &[
    "bogus=1",
    "limit=x",
    "limit=-1",
    "limit=1.5",
    "sort_dir=sideways",
    "sort_key=bogus",
    "sort_key=id;DROP%20TABLE%20nodes",
    "fields=bogus",
    "marker=%ff",
    "%ff=1",
];

pub(super) const LISTS: &[List] = &[
    List {
        path: "/v1/nodes",
        queries: &[
            "marker=44444444-4444-4444-4444-444444444444",
            "marker=abc",
            "marker=",
            "marker=%00",
            "marker='%20OR%201=1",
            "sort_key=extra",
            "sort_key=driver_info",
            "maintenance=perhaps",
            "associated=perhaps",
            "provision_state=flying",
            "detail=perhaps",
            "instance_uuid=abc",
            "fault=bogus",
        ],
    },
    List {
        path: "/v1/ports",
        queries: &[
            "marker=44444444-4444-4444-4444-444444444444",
            "marker=abc",
            "address=zz",
            "node=%20",
            "node_uuid=abc",
            "sort_key=extra",
        ],
    },
    List {
        path: "/v1/chassis",
        queries: &[
            "marker=44444444-4444-4444-4444-444444444444",
            "marker=abc",
            "sort_key=extra",
        ],
    },
    List {
        path: "/v1/conductors",
        queries: &["marker=nobody", "detail=perhaps"],
    },
    List {
        path: "/v1/nodes/victim/history",
        queries: &["marker=44444444-4444-4444-4444-444444444444", "marker=abc"],
    },
];

/// Paths of things that do not exist.
pub(super) const PATHS: &[&str] = &[
    "/v1/nodes/%ff",
    "/v1/nodes/%00",
    "/v1/nodes/a%00b",
    "/v1/nodes/%2e%2e%2f",
    "/v1/nodes/44444444-4444-4444-4444-444444444444",
    "/v1/nodes/nobody/states",
    "/v1/nodes/victim/history/nope",
    "/v1/nodes/victim/traits/x",
    "/v1/ports/nope",
    "/v1/ports/%00",
    "/v1/chassis/nope",
    "/v1/chassis/%00",
    "/v1/conductors/nobody",
    "/v1/conductors/a%00b",
    "/v1/drivers/nope",
    "/v1/drivers/%00",
    "/v1/drivers/%ff/properties",
    "/v1/nodes?description_contains=%00&bogus=1",
    "/v3",
    "/corten/v1/nope",
    "/corten/v1/events?after=x",
    "/corten/v1/events?limit=x",
    "/corten/v1/events?node=nobody",
];

/// A field that is plain text in the database.
pub(super) struct TextField {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    /// The longest text, in characters.
    pub(super) width: usize,
}

const fn text_field(path: &'static str, name: &'static str, width: usize) -> TextField {
    TextField { path, name, width }
}

const A_NODE: &str = "/v1/nodes/victim";
const A_PORT: &str = "/v1/ports/22222222-2222-2222-2222-222222222222";
const A_CHASSIS: &str = "/v1/chassis/33333333-3333-3333-3333-333333333333";

pub(super) const TEXT_FIELDS: &[TextField] = &[
    text_field(A_NODE, "name", 255),
    text_field(A_NODE, "description", 4096),
    text_field(A_NODE, "owner", 255),
    text_field(A_NODE, "lessee", 255),
    text_field(A_NODE, "resource_class", 80),
    text_field(A_NODE, "shard", 255),
    text_field(A_NODE, "instance_name", 255),
    text_field(A_NODE, "conductor_group", 255),
    text_field(A_NODE, "driver", 255),
    text_field(A_NODE, "power_interface", 255),
    text_field(A_PORT, "name", 255),
    text_field(A_PORT, "description", 255),
    text_field(A_PORT, "physical_network", 64),
    text_field(A_PORT, "vendor", 32),
    text_field(A_PORT, "category", 80),
    text_field(A_CHASSIS, "description", 255),
];

/// What is not HTTP, or not quite.
pub(super) const BYTES: &[&[u8]] = &[
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /v1/nodes\r\n\r\n",
    b"GET /v1/nodes HTTP/9.9\r\n\r\n",
    b"FLY /v1/nodes HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    b"GET /v1/\xff HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"POST /v1/nodes HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1/nodes HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST /v1/nodes HTTP/1.1\r\nHost: h\r\nContent-Length: 4000000\r\nConnection: close\r\n\r\n{}",
    b"POST /v1/nodes HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\nConnection: close\r\n\r\nzz\r\n",
    b"POST /v1/nodes HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nConnection: close\r\n\r\n0\r\n\r\n",
    b"GET /v1/nodes HTTP/1.1\r\nX-OpenStack-Ironic-API-Version: \xff\xfe\r\nHost: h\r\nConnection: close\r\n\r\n",
    b"GET /v1/nodes HTTP/1.1\r\nHost: h\r\nAccept: \xff\r\nX-OpenStack-Ironic-API-Version: x\r\nConnection: close\r\n\r\n",
];
