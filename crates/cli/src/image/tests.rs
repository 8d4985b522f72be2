//! Commands about images, as they are typed, sent and shown.

use super::*;
use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::tests::{Ran, corten};

fn ran(line: &str, answers: Vec<Answer>) -> (Ran, Vec<RecordedRequest>) {
    canned::run(async {
        let server = Canned::answers(answers).await;
        let ran = corten(&server, &format!("image {line}")).await;
        (ran, server.asked())
    })
}

fn ready() -> Answer {
    Answer::new(
        200,
        json!({"name": "own", "state": "ready", "sha256": "abc", "last_error": null, "size": 3,
            "survey": {"format": "qcow2", "architectures": ["x86_64"], "disk_size": 9,
                "bios": {"boots": "yes"}, "uefi": {"boots": "yes"}}}),
    )
}

fn at_work(done: u64) -> Answer {
    Answer::new(
        200,
        json!({"name": "own", "state": "fetching", "done_bytes": done, "total_bytes": 10}),
    )
}

#[test]
fn an_image_of_the_catalogue_needs_no_address() {
    let (ran, asked) = ran("add debian-13 --no-wait", vec![Answer::new(201, json!({}))]);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(asked[0].line, "POST /corten/v1/images");
    let body = &asked[0].body;
    assert_eq!(body["name"], "debian-13");
    let url = body["url"].as_str().unwrap();
    assert!(url.ends_with("debian-13-generic-amd64.qcow2"), "{url}");
    assert!(
        body["checksum_url"]
            .as_str()
            .unwrap()
            .ends_with("SHA512SUMS")
    );
}

#[test]
fn an_image_is_waited_for_and_described() {
    let answers = vec![Answer::new(201, json!({})), at_work(5), ready()];
    let line = "add own http://h/own.qcow2 --sha256 ab";
    let (ran, asked) = ran(line, answers);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(
        asked[0].body,
        json!({"name": "own", "url": "http://h/own.qcow2", "checksum": "sha256:ab"})
    );
    assert_eq!(
        ran.out,
        "own is ready: qcow2, x86_64, boots by BIOS and UEFI, sha256 abc\n"
    );
    assert!(ran.notes.contains("own  fetching: 50 %"), "{}", ran.notes);
}

#[test]
fn an_image_that_cannot_be_had_is_a_failure() {
    let failed = json!({"state": "failed", "last_error": "the server is away"});
    let answers = vec![Answer::new(202, Value::Null), Answer::new(200, failed)];
    let (ran, _) = ran("refresh own", answers);
    assert_eq!(ran.code, 1);
    assert!(
        ran.notes.contains("image own: the server is away"),
        "{}",
        ran.notes
    );
    let kept = json!({"state": "ready", "last_error": "the server is away"});
    let answers = vec![Answer::new(202, Value::Null), Answer::new(200, kept)];
    let (ran, _) = super::tests::ran("refresh own", answers);
    assert!(ran.notes.contains("it stays what it was"), "{}", ran.notes);
}

#[test]
fn a_file_is_sent_in_parts_that_fit() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let bytes = vec![7_u8; (512 << 10) + 5];
    std::fs::write(&file, &bytes).unwrap();
    let size = bytes.len();
    let received = |count: usize| Answer::new(200, json!({"received": count}));
    let answers = vec![
        Answer::new(201, json!({})),
        received(512 << 10),
        received(size),
        ready(),
    ];
    let (ran, asked) = ran(&format!("add own {}", file.path().display()), answers);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(asked[0].body["size"], size);
    assert!(
        asked[0].body["checksum"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
    assert_eq!(asked[1].line, "PUT /corten/v1/images/own/content");
    assert_eq!(asked[2].body["offset"], 512 << 10);
    assert_eq!(asked[2].body["data"], "BwcHBwc=");
}

#[test]
fn an_upload_that_fails_leaves_the_name_free() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "abc").unwrap();
    let answers = vec![
        Answer::new(201, json!({})),
        Answer::fault(400, "Image own is refused: it is a kernel"),
        Answer::new(204, ""),
    ];
    let path = file.path().display();
    let (ran, asked) = ran(&format!("add own {path}"), answers);
    assert_eq!(ran.code, 1);
    assert!(ran.notes.contains("it is a kernel"), "{}", ran.notes);
    assert_eq!(asked[2].line, "DELETE /corten/v1/images/own");
    let (wrong, asked) = super::tests::ran(&format!("add own {path} --sha256 00"), Vec::new());
    assert_eq!((wrong.code, asked.len()), (2, 0), "{}", wrong.notes);
    let (nothing, _) = super::tests::ran("add own /no/such/file", Vec::new());
    assert!(nothing.notes.contains("neither an address nor a file"));
}

#[test]
fn images_are_listed_by_what_they_are() {
    let list = json!({"images": [{"name": "a", "state": "ready", "size": 5, "sha256": "0123456789abcdef",
        "survey": {"format": "raw", "architectures": ["x86_64", "aarch64"],
            "bios": {"boots": "no"}, "uefi": {"boots": "yes"}, "disk_size": 9}},
        {"name": "b", "state": "queued", "survey": null, "sha256": null, "size": null}]});
    let (ran, _) = ran("list -f value", vec![Answer::new(200, list)]);
    assert_eq!(
        ran.out,
        "a ready raw 5 9 x86_64, aarch64 no yes 0123456789ab\nb queued None None None  None None None\n"
    );
}

#[test]
fn an_image_in_use_is_removed_by_force_only() {
    let used = Answer::fault(409, "Image own is the instance's image of 1 nodes: m1.");
    let (refused, _) = ran("rm own", vec![used]);
    assert_eq!(refused.code, 1);
    assert!(refused.notes.contains("--force"), "{}", refused.notes);
    let (done, asked) = ran("rm own --force", vec![Answer::new(204, "")]);
    assert_eq!((done.code, done.out.as_str()), (0, "Removed image own\n"));
    assert_eq!(asked[0].line, "DELETE /corten/v1/images/own?force=true");
}
