//! TFTP and HTTP with the clients of others.

use crate::{
    site::{Site, has, run_beside, shown},
    words,
};
use std::fs;

fn content(size: usize) -> Vec<u8> {
    (0..size)
        .map(|index| u8::try_from(index * 7 % 253).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_fetches_by_tftp() {
    if !has("curl") {
        return;
    }
    let site = Site::of_files().await;
    let (file, port) = (content(1_000_000), site.running.tftp[0].port());
    site.put("kernel", &file);
    let to = site.path("got");
    for size in ["512", "1432", "8192"] {
        let url = format!("tftp://127.0.0.1:{port}/kernel");
        run_beside(
            "curl",
            words!["-sS", "--tftp-blksize", size, "-o", shown(&to), url],
        )
        .await;
        assert!(fs::read(&to).unwrap() == file, "{size}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tftp_hpa_fetches_in_both_modes() {
    if !has("tftp") {
        return;
    }
    let site = Site::of_files().await;
    let (file, port) = (content(100_000), site.running.tftp[0].port());
    site.put("kernel", &file);
    site.put("script", b"one\ntwo\n");
    let to = site.path("got");
    for (mode, name, expected) in [
        ("binary", "kernel", file.as_slice()),
        ("ascii", "script", b"one\ntwo\n"),
    ] {
        run_beside(
            "tftp",
            words!["-m", mode, "127.0.0.1", port, "-c", "get", name, shown(&to)],
        )
        .await;
        assert!(fs::read(&to).unwrap() == expected, "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn atftp_fetches_with_windows() {
    if !has("atftp") {
        return;
    }
    let site = Site::of_files().await;
    let (file, port) = (content(1_000_000), site.running.tftp[0].port());
    site.put("kernel", &file);
    let to = site.path("got");
    let windows = "windowsize 8";
    run_beside(
        "atftp",
        words![
            "--option",
            "blksize 1428",
            "--option",
            windows,
            "--option",
            "tsize",
            "--get",
            "--remote-file",
            "kernel",
            "--local-file",
            shown(&to),
            "127.0.0.1",
            port
        ],
    )
    .await;
    assert!(fs::read(&to).unwrap() == file);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_goes_on_with_half_a_file_by_http() {
    if !has("curl") {
        return;
    }
    let site = Site::of_files().await;
    let (file, address) = (content(1_000_000), site.running.http[0]);
    site.put("image", &file);
    let to = site.path("got");
    fs::write(&to, &file[..400_000]).unwrap();
    let url = format!("http://{address}/image");
    let told = run_beside(
        "curl",
        words![
            "-sS",
            "-C",
            "-",
            "-w",
            "%{http_code}",
            "-o",
            shown(&to),
            url
        ],
    )
    .await;
    assert_eq!(told, "206");
    assert!(fs::read(&to).unwrap() == file);
    let outside = format!("http://{address}/../../etc/passwd");
    let told = run_beside(
        "curl",
        words![
            "-sS",
            "--path-as-is",
            "-w",
            "%{http_code}",
            "-o",
            "/dev/null",
            outside
        ],
    )
    .await;
    assert_eq!(told, "403");
}
