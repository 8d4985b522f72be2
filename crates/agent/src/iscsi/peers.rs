//! The target against initiators that others wrote: libiscsi with its conformance suite, and QEMU.
//!
//! Where a program is not installed its tests say so and do nothing, except in CI, where they fail.

use super::{
    Credentials, TargetSettings,
    tests::{Lab, NAME, settings, start},
};
use std::{collections::BTreeSet, path::Path, process::Output};
use tokio::process::Command;

/// Tests of the conformance suite that do not pass. Both ask for 256 blocks at last, which is 0 in
/// a field of one byte, and want that to be refused; SBC-3 §5.2 says that 0 is no error.
const EXPECTED_FAILURES: &[&str] = &["CompareAndWrite.Miscompare", "CompareAndWrite.Simple"];

async fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--help").output().await.is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{program} is not installed"
    );
    if !found {
        println!("SKIPPED: {program} is not installed");
    }
    found
}

/// Whether QEMU's tools have the module for iSCSI, which is a package of its own.
async fn has_qemu() -> bool {
    if !has("qemu-img").await {
        return false;
    }
    let output = run("qemu-img", &["info", "iscsi://127.0.0.1:9/iqn.x/1"]).await;
    let error = String::from_utf8_lossy(&output.stderr);
    let knows = !error.contains("Unknown protocol") && !error.contains("failed to open module");
    assert!(
        knows || std::env::var_os("CI").is_none(),
        "qemu-img has no iSCSI: qemu-block-extra of its version is not installed"
    );
    if !knows {
        println!("SKIPPED: qemu-block-extra is not installed in qemu-img's version");
    }
    knows
}

async fn run(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LC_ALL", "C")
        .kill_on_drop(true);
    command.output().await.unwrap()
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{error}");
    text
}

impl Lab {
    fn portal(&self) -> String {
        format!("iscsi://{}", self.target.address())
    }

    fn url(&self, credentials: &str, options: &str) -> String {
        format!(
            "iscsi://{credentials}{}/{NAME}/1{options}",
            self.target.address()
        )
    }
}

#[tokio::test]
async fn libiscsi_finds_the_disk() {
    if !has("iscsi-ls").await {
        return;
    }
    let lab = start(64, settings()).await;
    let listed = succeeded(run("iscsi-ls", &["-s", &lab.portal()]).await);
    let address = lab.target.address();
    let expected = format!("Target:{NAME} Portal:{address},1");
    assert!(listed.contains(&expected), "{listed}");
    assert!(listed.contains("Lun:1"), "{listed}");
    let inquiry = succeeded(run("iscsi-inq", &[&lab.url("", "")]).await);
    assert!(inquiry.contains("DIRECT_ACCESS"), "{inquiry}");
    let capacity = succeeded(run("iscsi-readcapacity16", &[&lab.url("", "")]).await);
    assert!(capacity.contains("67108864"), "{capacity}");
}

#[tokio::test]
async fn libiscsi_proves_who_it_is() {
    if !has("iscsi-inq").await {
        return;
    }
    let credentials = |name: &str, secret: &str| Credentials {
        name: name.to_owned(),
        secret: secret.to_owned(),
    };
    let both = TargetSettings {
        chap: Some(credentials("user", "secretsecret")),
        mutual_chap: Some(credentials("target", "othersecret1")),
        ..settings()
    };
    let lab = start(1, both).await;
    let right = "?target_user=target&target_password=othersecret1";
    let wrong = "?target_user=target&target_password=othersecret2";
    for (login, options, works) in [
        ("user%secretsecret@", "", true),
        ("user%secretsecret@", right, true),
        ("user%secretsecret@", wrong, false),
        ("user%wrongwrong12@", "", false),
        ("other%secretsecret@", "", false),
        ("", "", false),
    ] {
        let output = run("iscsi-inq", &[&lab.url(login, options)]).await;
        assert_eq!(output.status.success(), works, "{login} {options}");
    }
}

#[tokio::test]
async fn libiscsi_with_digests() {
    if !has("iscsi-inq").await {
        return;
    }
    let lab = start(1, settings()).await;
    let url = lab.url("", "?header_digest=crc32c");
    succeeded(run("iscsi-inq", &[&url]).await);
}

/// Names of tests that failed, and how many passed.
fn read_results(text: &str) -> (BTreeSet<String>, u32) {
    let mut failed = BTreeSet::new();
    let mut passed = 0;
    for line in text.lines() {
        // A skipped test may have left its reason in front.
        let (_, named) = line.split_once("Suite ").unwrap_or_default();
        if let Some((suite, test)) = named
            .strip_suffix(" had failures:")
            .and_then(|named| named.split_once(", Test "))
        {
            failed.insert(format!("{suite}.{test}"));
        }
        // The table: tests, total, ran, passed.
        if let Some(numbers) = line.trim_start().strip_prefix("tests ") {
            let passed_text = numbers.split_whitespace().nth(2).unwrap_or_default();
            passed = passed_text.parse().unwrap_or(0);
        }
    }
    (failed, passed)
}

/// 230 tests in version 1.19, of which tgt passes 222.
#[tokio::test]
async fn the_conformance_suite() {
    if !has("iscsi-test-cu").await {
        return;
    }
    let lab = start(64, settings()).await;
    let url = lab.url("", "");
    let arguments = ["--dataloss", "--normal", "--test=ALL", &url];
    let output = run("iscsi-test-cu", &arguments).await;
    let text = String::from_utf8_lossy(&output.stdout);
    let (failed, passed) = read_results(&text);
    let expected = EXPECTED_FAILURES.iter().map(|name| (*name).to_owned());
    assert_eq!(failed, expected.collect(), "{text}");
    assert!(passed >= 222, "{passed} passed\n{text}");
}

/// Bytes that are different everywhere.
fn write_pattern(path: &Path, megabytes: usize) {
    let mut number = 7_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        number.to_be_bytes()[2]
    })
    .take(megabytes << 20)
    .collect();
    std::fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn qemu_writes_and_reads_an_image() {
    if !has_qemu().await {
        return;
    }
    let lab = start(32, settings()).await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (raw, packed, back) = (path("raw"), path("qcow2"), path("back"));
    write_pattern(Path::new(&raw), 32);
    succeeded(run("qemu-img", &["convert", "-O", "qcow2", &raw, &packed]).await);
    let url = lab.url("", "");
    succeeded(run("qemu-img", &["convert", "-n", "-O", "raw", &packed, &url]).await);
    succeeded(run("qemu-img", &["convert", "-O", "raw", &url, &back]).await);
    let (there, came_back) = (std::fs::read(&raw).unwrap(), std::fs::read(&back).unwrap());
    assert!(there == came_back);
    assert!(there == std::fs::read(lab.file.path()).unwrap());
}

#[tokio::test]
async fn qemu_writes_zeroes_and_discards() {
    if !has_qemu().await || !has("qemu-io").await {
        return;
    }
    let lab = start(32, settings()).await;
    let url = lab.url("", "");
    let mut words = vec!["-f", "raw", "-t", "none"];
    for command in [
        "write -P 0x5a 1M 8M",
        "read -P 0x5a 1M 8M",
        "write -z 2M 1M",
        "read -P 0 2M 1M",
        "discard 4M 2M",
        "read -P 0x5a 6M 3M",
        "flush",
    ] {
        words.extend(["-c", command]);
    }
    words.push(&url);
    let said = succeeded(run("qemu-io", &words).await);
    assert!(!said.contains("Pattern verification failed"), "{said}");
    let stored = std::fs::read(lab.file.path()).unwrap();
    let is = |from: usize, to: usize, value: u8| {
        let bytes = &stored[from << 20..to << 20];
        bytes.iter().all(|byte| *byte == value)
    };
    assert!(is(0, 1, 0) && is(1, 2, 0x5a) && is(2, 3, 0) && is(3, 4, 0x5a));
    assert!(is(4, 6, 0) && is(6, 9, 0x5a) && is(9, 32, 0));
}

#[tokio::test]
async fn two_initiators_at_once() {
    if !has_qemu().await {
        return;
    }
    let lab = start(32, settings()).await;
    let folder = tempfile::tempdir().unwrap();
    let url = lab.url("", "");
    let raw = folder.path().join("raw");
    write_pattern(&raw, 32);
    std::fs::copy(&raw, lab.file.path()).unwrap();
    let outputs = ["a", "b"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let [first, second] = outputs.each_ref().map(|out| {
        let arguments = ["convert", "-O", "raw", url.as_str(), out.as_str()];
        let mut command = Command::new("qemu-img");
        command.args(arguments).kill_on_drop(true);
        async move { command.output().await.unwrap() }
    });
    let (first, second) = tokio::join!(first, second);
    succeeded(first);
    succeeded(second);
    for out in &outputs {
        assert!(std::fs::read(out).unwrap() == std::fs::read(&raw).unwrap());
    }
}
