//! What browsers and programs get.

use super::*;

fn ask(method: &str, path: &str, headers: &[(&str, &str)]) -> Option<Response> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answer(&request.body(()).unwrap(), false)
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[test]
fn a_browser_is_led_to_the_page_and_programs_get_the_root_document() {
    let answer = ask("GET", "/", &[("accept", BROWSER)]).unwrap();
    assert_eq!(answer.status(), StatusCode::FOUND);
    assert_eq!(header(&answer, "location"), "/ui/");
    for accept in [
        "*/*",
        "application/json",
        "application/json, text/html",
        "text/html;q=0",
    ] {
        assert!(ask("GET", "/", &[("accept", accept)]).is_none(), "{accept}");
    }
    assert!(ask("GET", "/", &[]).is_none());
    assert!(ask("POST", "/", &[("accept", BROWSER)]).is_none());
    assert!(ask("GET", "/v1/nodes", &[("accept", BROWSER)]).is_none());
}

#[test]
fn every_address_below_the_page_is_its_document() {
    for path in [
        "/ui/",
        "/ui/nodes",
        "/ui/nodes/web.example",
        "/ui/index.html",
    ] {
        let answer = ask("GET", path, &[]).unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
        assert_eq!(header(&answer, "cache-control"), "no-cache");
        let etag = header(&answer, "etag");
        let again = ask("GET", path, &[("if-none-match", etag)]).unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
    assert_eq!(header(&ask("GET", "/ui", &[]).unwrap(), "location"), "/ui/");
}

#[test]
fn assets_never_change_and_those_of_other_versions_are_missing() {
    let asset = table::FILES
        .iter()
        .find(|file| file.name.ends_with(".js"))
        .unwrap();
    let path = format!("/ui/{}", asset.name);
    let plain = ask("GET", &path, &[]).unwrap();
    assert!(header(&plain, "cache-control").contains("immutable"));
    assert_eq!(
        header(&plain, "content-length"),
        asset.bytes.len().to_string()
    );
    let packed = ask("GET", &path, &[("accept-encoding", "gzip, br")]).unwrap();
    assert_eq!(header(&packed, "content-encoding"), "gzip");
    let length: usize = header(&packed, "content-length").parse().unwrap();
    assert!(length < asset.bytes.len());
    let gone = ask("GET", "/ui/assets/main-00000000.js", &[]).unwrap();
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
}

#[test]
fn every_answer_of_the_page_is_guarded() {
    for path in ["/ui/", "/ui/assets/none.js", "/ui/favicon.svg"] {
        let answer = ask("GET", path, &[("host", "localhost:1")]).unwrap();
        let policy = header(&answer, "content-security-policy");
        assert!(
            policy.contains("connect-src 'self' ws://localhost:1;"),
            "{path}"
        );
        assert_eq!(header(&answer, "x-frame-options"), "DENY");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
    }
    let refused = ask("POST", "/ui/", &[]).unwrap();
    assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[test]
fn the_screen_of_a_machine_has_a_document_and_a_policy_of_its_own() {
    let main = ask("GET", "/ui/", &[]).unwrap();
    for path in ["/ui/vnc", "/ui/vnc.html", "/ui/vnc?path=websockify"] {
        let answer = ask("GET", path, &[]).unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_ne!(header(&answer, "etag"), header(&main, "etag"), "{path}");
        let policy = header(&answer, "content-security-policy");
        assert!(policy.contains("img-src 'self' data:;"), "{path}");
    }
    for path in ["/ui/", "/ui/vnc/x", "/ui/nodes/vnc"] {
        let answer = ask("GET", path, &[]).unwrap();
        let policy = header(&answer, "content-security-policy");
        assert!(policy.contains("img-src 'self';"), "{path}");
        assert_eq!(header(&answer, "etag"), header(&main, "etag"), "{path}");
    }
}
