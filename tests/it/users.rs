//! People without Keystone, by the program: the first administrator is made on the database, and the
//! rest through the service, by its own client.

use crate::{http::Request, program::Program};
use base64::{Engine, prelude::BASE64_STANDARD};
use std::{
    path::Path,
    process::{Output, Stdio},
};
use tokio::{io::AsyncWriteExt, process::Command};

/// Runs a command with a password on its standard input; what it prints.
async fn corten(words: &str, login: &[(&str, &str)], input: &str) -> Output {
    let mut command = Command::new(crate::program::path());
    command.args(words.split(' ')).envs(login.iter().copied());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that wants no password may have closed its input.
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .await;
    child.wait_with_output().await.unwrap()
}

async fn prints(words: &str, login: &[(&str, &str)], input: &str) -> String {
    let output = corten(words, login, input).await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

async fn service(folder: &Path) -> Program {
    let data = folder.display().to_string();
    let sets = ["api.port=0", "DEFAULT.auth_strategy=local"];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let words = ["serve", "--data-dir", &data].into_iter().chain(sets);
    Program::start(words, &folder.join("log")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_administrator_is_made_on_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("--data-dir {}", folder.path().display());
    let made = prints(&format!("user add ada --admin {place}"), &[], "first\n").await;
    assert!(made.contains("ada is administrator"), "{made}");
    let service = service(folder.path()).await;
    let url = format!("http://{}", service.client.address);
    let ada = [
        ("OS_ENDPOINT", url.as_str()),
        ("OS_AUTH_TYPE", "http_basic"),
        ("OS_USERNAME", "ada"),
        ("OS_PASSWORD", "first"),
    ];
    prints("user add bob", &ada, "second\n").await;
    prints("role grant reader --user bob --project P1", &ada, "").await;
    let bob = [
        ada[0],
        ada[1],
        ("OS_USERNAME", "bob"),
        ("OS_PASSWORD", "second"),
    ];
    let refused = corten("user list", &bob, "").await;
    assert!(!refused.status.success());
    let token = prints("token create ci -f value -c token", &bob, "").await;
    let token = token.trim();
    let by_token = [ada[0], ("OS_TOKEN", token)];
    let listed = prints("node list -f value", &by_token, "").await;
    assert_eq!(listed.trim(), "");
    let bearer =
        Request::new("GET", "/v1/nodes").header("Authorization", &format!("Bearer {token}"));
    service.client.send(bearer).await.expect(200);
    // Beside the service that runs.
    prints(&format!("user disable bob {place}"), &[], "").await;
    let refused = corten("node list", &by_token, "").await;
    assert!(!refused.status.success());
    let changes = prints("user changes -f value", &ada, "").await;
    assert!(
        changes.contains("user bob was disabled") && changes.contains("uid "),
        "{changes}"
    );
    let pair = BASE64_STANDARD.encode("ada:wrong");
    let wrong = Request::new("GET", "/v1/nodes").header("Authorization", &format!("Basic {pair}"));
    service.client.send(wrong).await.expect(401);
    let log = service.log();
    for secret in ["first", "second", token] {
        assert!(!log.contains(secret), "{log}");
    }
    service.stop().await;
}
