//! Services that do wrong: what comes of it, and what is said about it.

use super::{
    bench::{Bench, PASSWORD, settings, text},
    script::{SYSTEM, Script, Seen, World, merge, refusal, tls},
};
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use drivers::{
    DriverError,
    iface::Management,
    redfish::{RedfishSettings, Resource},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::{JsonMap, PowerState, PowerTarget};

const RESET: &str = "POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset";
const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";

fn reset(seen: &Seen) -> bool {
    RESET == format!("{} {}", seen.method, seen.path)
}

fn bare(status: StatusCode) -> Option<Response> {
    Some(status.into_response())
}

#[tokio::test]
async fn one_session_serves_many_conversations_and_is_renewed_when_it_expires() {
    let script = Script::good().await;
    let mut bench = script.bench();
    for _ in 0..3 {
        assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    }
    assert_eq!(script.with(|world| world.logins), 1);
    assert_eq!(script.count("GET /redfish/v1/"), 1);
    script.with(|world| world.tokens.clear());
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::On));
    assert_eq!(script.with(|world| world.logins), 2);
    assert_eq!(script.count(RESET), 1);
}

#[tokio::test]
async fn a_session_that_is_refused_at_once_is_not_renewed_for_ever() {
    let script = Script::start(|seen, _| {
        let is_system = seen.is("GET", SYSTEM);
        is_system.then(|| refusal(403, "Base.1.0.InsufficientPrivilege", "Not for you."))
    })
    .await;
    let mut bench = script.bench();
    bench.info.insert("redfish_system_id".into(), SYSTEM.into());
    let error = text(bench.state().await);
    assert!(
        error.contains("InsufficientPrivilege: Not for you."),
        "{error}"
    );
    assert_eq!(script.with(|world| world.logins), 1);
    // The next conversation finds an old session, and may think that it has expired.
    text(bench.state().await);
    assert_eq!(script.with(|world| world.logins), 2);
}

#[tokio::test]
async fn sessions_are_closed_when_nobody_needs_them() {
    for (sessions, idle) in [
        (10, Duration::from_millis(50)),
        (0, Duration::from_secs(300)),
    ] {
        let script = Script::good().await;
        let mut bench = script.bench_with(RedfishSettings {
            sessions,
            session_idle: idle,
            ..settings()
        });
        bench.state().await.unwrap();
        while script.seen("DELETE").is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(script.seen("DELETE"), [format!("{SESSIONS}/1")]);
        assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    }
}

#[tokio::test]
async fn a_service_without_sessions_gets_the_password() {
    let script = Script::start(|seen, _| {
        let is_login = seen.is("POST", SESSIONS);
        is_login.then(|| StatusCode::NOT_FOUND.into_response())
    })
    .await;
    let mut bench = script.bench();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    assert_eq!(script.count(&format!("POST {SESSIONS}")), 1);
    let info = &mut bench.info;
    info.insert("redfish_auth_type".into(), "session".into());
    let error = text(bench.state().await);
    assert!(
        error.contains("HTTP POST") && error.contains("404"),
        "{error}"
    );
}

#[tokio::test]
async fn a_service_that_repeats_the_password_does_not_make_us_tell_it() {
    let script = Script::start(|seen, _| {
        let is_login = seen.is("POST", SESSIONS);
        is_login.then(|| {
            let text = format!("The password {} is too short", seen.body["Password"]);
            refusal(400, "Base.1.0.PropertyValueFormatError", &text)
        })
    })
    .await;
    let mut bench = script.bench();
    bench
        .info
        .insert("redfish_auth_type".into(), "session".into());
    let error = text(bench.state().await);
    assert!(
        error.contains("The password \"***\" is too short"),
        "{error}"
    );
}

#[tokio::test]
async fn a_failing_service_is_asked_again_for_a_while() {
    let script = Script::start(|seen, _| {
        let fails = seen.is("GET", SYSTEM) && seen.before < 2;
        if fails {
            bare(StatusCode::SERVICE_UNAVAILABLE)
        } else {
            None
        }
    })
    .await;
    let mut bench = script.bench();
    bench.info.insert("redfish_system_id".into(), SYSTEM.into());
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    assert_eq!(script.count(&format!("GET {SYSTEM}")), 3);

    let script = Script::start(|seen, _| {
        let fails = seen.is("GET", SYSTEM);
        fails.then(|| refusal(500, "Base.1.0.InternalError", "It hurts."))
    })
    .await;
    let mut bench = script.bench();
    bench.info.insert("redfish_system_id".into(), SYSTEM.into());
    let error = text(bench.state().await);
    assert!(
        error.contains("returned code 500") && error.contains("It hurts."),
        "{error}"
    );
    assert_eq!(script.count(&format!("GET {SYSTEM}")), 3);
}

#[tokio::test]
async fn garbage_is_called_garbage() {
    for (body, expected) in [
        ("<html>", "it is no JSON"),
        ("[1]", "it is JSON, but no object"),
        ("", "it is no JSON"),
    ] {
        let script =
            Script::start(move |seen, _| seen.is("GET", SYSTEM).then(|| body.into_response()))
                .await;
        let error = text(script.bench().state().await);
        let place = format!("the answer to GET {SYSTEM} makes no sense: {expected}");
        assert!(error.contains(&place), "{error}");
    }
    let script = Script::start(|seen, _| {
        let endless = seen.is("GET", SYSTEM);
        endless.then(|| vec![b' '; 17 * 1024 * 1024].into_response())
    })
    .await;
    let error = text(script.bench().state().await);
    assert!(error.contains("longer than 8192 KiB"), "{error}");
    let script = Script::start(|seen, _| {
        let bomb = seen.is("GET", SYSTEM);
        bomb.then(|| format!(r#"{{"x": [{}0]}}"#, "[0],".repeat(1 << 20)).into_response())
    })
    .await;
    let error = text(script.bench().state().await);
    assert!(error.contains("too many values for its size"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let script = Script::start(|seen, _| {
        let moved = seen.is("GET", SYSTEM);
        let to = ("location", "http://127.0.0.2:1/redfish/v1/Systems/1");
        moved.then(|| (StatusCode::TEMPORARY_REDIRECT, [to]).into_response())
    })
    .await;
    let error = text(script.bench().state().await);
    assert!(
        error.contains(&format!("it redirects GET {SYSTEM} elsewhere")),
        "{error}"
    );
    // With a slash at its end it is the same place.
    let script = Script::start(|seen, _| {
        let moved = seen.is("GET", "/redfish/v1/Systems");
        let to = ("location", "/redfish/v1/Systems/");
        if moved {
            return Some((StatusCode::PERMANENT_REDIRECT, [to]).into_response());
        }
        let found = seen.is("GET", "/redfish/v1/Systems/");
        let body = json!({"Members": [{"@odata.id": SYSTEM}]});
        found.then(|| body.to_string().into_response())
    })
    .await;
    assert_eq!(script.bench().state().await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn links_that_lead_elsewhere_are_refused() {
    for link in ["http://127.0.0.2:1/steal", "//evil/x", "/a/../../b", "x"] {
        let script = Script::good().await;
        script.with(|world| {
            let systems = world.resources.get_mut("/redfish/v1/Systems").unwrap();
            systems["Members"][0]["@odata.id"] = json!(link);
        });
        let error = text(script.bench().state().await);
        assert!(error.contains("which is no path of its own"), "{error}");
    }
}

#[tokio::test]
async fn collections_have_pages_and_ends() {
    let script = Script::good().await;
    let page = |link: Option<&str>, members: &[&str]| {
        let members: Vec<Value> = members.iter().map(|m| json!({"@odata.id": m})).collect();
        let mut body = json!({ "Members": members });
        if let Some(link) = link {
            body["Members@odata.nextLink"] = json!(link);
        }
        body
    };
    script.with(|world| {
        let all = &mut world.resources;
        all.insert("/c".into(), page(Some("/c?$skip=2"), &["/a", "/b"]));
        all.insert("/c?$skip=2".into(), page(None, &["/d"]));
        all.insert("/circle".into(), page(Some("/circle"), &["/a"]));
    });
    let mut bench = script.bench();
    let info = bench.redfish.clone().info(&bench.machine()).unwrap();
    let talk = bench.redfish.talk(&info, "listing").await.unwrap();
    assert_eq!(talk.members("/c").await.unwrap(), ["/a", "/b", "/d"]);
    let circle = talk.members("/circle").await.map_err(DriverError::from);
    assert!(text(circle).contains("the collection /circle has no end"));
}

#[tokio::test]
async fn the_machine_has_to_be_named_where_there_are_several() {
    let script = Script::good().await;
    script.with(|world| {
        let systems = world.resources.get_mut("/redfish/v1/Systems").unwrap();
        let second = json!({"@odata.id": "/redfish/v1/Systems/2"});
        systems["Members"].as_array_mut().unwrap().push(second);
    });
    let mut bench = script.bench();
    let error = text(bench.state().await);
    assert!(error.contains("count is not exactly one but 2"), "{error}");
    bench.info.insert("redfish_system_id".into(), SYSTEM.into());
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
}

#[tokio::test]
async fn silence_is_tried_again_and_then_left_alone() {
    // Nobody listens there any more.
    let script = Script::good().await;
    let info = script.driver_info();
    let address = info["redfish_address"].as_str().unwrap().to_owned();
    drop(script);
    while tokio::net::TcpStream::connect(address.trim_start_matches("http://"))
        .await
        .is_ok()
    {
        tokio::task::yield_now().await;
    }
    let mut bench = Bench::new(info, settings());
    let first = text(bench.state().await);
    let node = bench.node.id;
    assert!(
        first.starts_with(&format!("Redfish connection failed for node {node}: "))
            && first.contains(&format!("BMC {address}: GET /redfish/v1/: ")),
        "{first}"
    );
    let second = text(bench.state().await);
    assert!(
        second.contains("it was silent 6 times in a row"),
        "{second}"
    );
    let third = text(bench.state().await);
    assert!(third.contains("the next try is in"), "{third}");
}

#[tokio::test]
async fn an_answer_that_never_comes_is_not_waited_for_long() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let silent = tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
        }
    });
    let mut info = JsonMap::new();
    info.insert("redfish_address".into(), address.into());
    let mut bench = Bench::new(
        info,
        RedfishSettings {
            attempts: 2,
            connect_timeout: Duration::from_millis(100),
            read_timeout: Duration::from_millis(100),
            ..settings()
        },
    );
    let error = text(bench.state().await);
    assert!(
        error.contains("GET /redfish/v1/: no answer within 0.2 s (tried 2 times)"),
        "{error}"
    );
    silent.abort();
}

#[tokio::test]
async fn a_change_whose_answer_is_lost_is_not_repeated() {
    // The connection ends in the middle of the answer.
    let script = Script::start(|seen, _| {
        reset(seen).then(|| {
            let broken = axum::body::Body::from_stream(tokio_stream());
            ([("content-length", "100")], broken).into_response()
        })
    })
    .await;
    let mut bench = script.bench();
    let error = text(bench.switch(PowerTarget::On).await);
    assert!(
        error.contains("power on failed") && error.contains("so it is not repeated"),
        "{error}"
    );
    assert_eq!(script.count(RESET), 1);
}

/// A body that breaks off.
fn tokio_stream() -> impl futures_util::Stream<Item = Result<axum::body::Bytes, std::io::Error>> {
    futures_util::stream::iter([
        Ok(axum::body::Bytes::from_static(b"{")),
        Err(std::io::Error::other("gone")),
    ])
}

#[tokio::test]
async fn tags_are_sent_and_a_changed_resource_is_read_again() {
    // Somebody else changes the machine after it was read.
    let script = Script::start(|seen, world| {
        if seen.method == "PATCH" && seen.before == 0 {
            assert!(seen.headers.contains_key("if-match"));
            world.resources.get_mut(SYSTEM).unwrap()["AssetTag"] = json!("other");
        }
        None
    })
    .await;
    let mut bench = script.bench();
    let warnings = bench.boot_from("pxe", true).await.unwrap();
    assert!(warnings.is_empty());
    assert_eq!(script.count(&format!("PATCH {SYSTEM}")), 2);
    let boot = script.with(|world| world.resources[SYSTEM]["Boot"].clone());
    assert_eq!(boot["BootSourceOverrideTarget"], "Pxe");
}

#[tokio::test]
async fn weak_tags_are_made_strong_and_those_that_never_fit_are_left_out() {
    // One service wants the strong form of its weak tag, the other none whatever.
    for (taken, requests) in [(Some("\"7\""), 2), (None, 3)] {
        let script = Script::start(move |seen, world| {
            if seen.is("GET", SYSTEM) {
                let body = world.resources[SYSTEM].to_string();
                return Some(([("ETag", "W/\"7\"")], body).into_response());
            }
            if seen.method != "PATCH" {
                return None;
            }
            let given = seen
                .headers
                .get("if-match")
                .map(|tag| tag.to_str().unwrap());
            if given != taken {
                return bare(StatusCode::PRECONDITION_FAILED);
            }
            merge(world.resources.get_mut(SYSTEM).unwrap(), &seen.body);
            bare(StatusCode::NO_CONTENT)
        })
        .await;
        let mut bench = script.bench();
        assert!(bench.boot_from("pxe", true).await.unwrap().is_empty());
        assert_eq!(script.count(&format!("PATCH {SYSTEM}")), requests);
    }
}

#[tokio::test]
async fn what_is_already_so_need_not_be_done_and_what_was_not_done_is_an_error() {
    let refuse = |seen: &Seen, _: &mut World| {
        reset(seen).then(|| refusal(409, "Base.1.0.ResourceInUse", "Not now."))
    };
    let script = Script::start(refuse).await;
    let mut bench = script.bench();
    bench.switch(PowerTarget::Off).await.unwrap();
    let error = text(bench.switch(PowerTarget::On).await);
    assert!(
        error.contains("power on failed") && error.contains("Not now."),
        "{error}"
    );
    // A machine that is on was not restarted.
    script.with(|world| world.resources.get_mut(SYSTEM).unwrap()["PowerState"] = json!("On"));
    let error = text(bench.switch(PowerTarget::SoftReboot).await);
    assert!(error.contains("soft reboot failed"), "{error}");
}

#[tokio::test]
async fn a_bmc_that_is_not_ready_for_power_on_is_asked_again() {
    let script = Script::start(|seen, _| {
        (reset(seen) && seen.before < 2)
            .then(|| refusal(409, "Base.1.0.ActionParameterValueConflict", "Wait."))
    })
    .await;
    let mut bench = script.bench();
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(script.count(RESET), 3);
}

#[tokio::test]
async fn power_that_does_not_change_is_an_error() {
    let script = Script::start(|seen, _| {
        if reset(seen) {
            bare(StatusCode::NO_CONTENT)
        } else {
            None
        }
    })
    .await;
    let mut bench = script.bench_with(RedfishSettings {
        power_wait: Duration::from_millis(300),
        ..settings()
    });
    let error = text(bench.switch(PowerTarget::On).await);
    assert!(
        error.contains("took the request (On) and still reports power off"),
        "{error}"
    );
}

#[tokio::test]
async fn a_boot_device_that_is_not_kept_is_an_error_of_its_own() {
    let script = Script::start(|seen, _| {
        if seen.method == "PATCH" {
            bare(StatusCode::NO_CONTENT)
        } else {
            None
        }
    })
    .await;
    let mut bench = script.bench();
    let error = bench.boot_from("pxe", true).await.unwrap_err();
    assert!(
        matches!(&error, DriverError::NotKept { asked, found, .. }
            if asked == "pxe" && found == "none"),
        "{error}"
    );
}

#[tokio::test]
async fn a_device_that_cannot_stay_is_asked_for_at_every_power_on() {
    let script = Script::start(|seen, world| {
        let wants = |value: &str| seen.body["Boot"]["BootSourceOverrideEnabled"] == value;
        if seen.method == "PATCH" && wants("Continuous") {
            return Some(refusal(400, "Base.1.0.PropertyValueNotInList", "No."));
        }
        if reset(seen) {
            // Once means once.
            let boot = &mut world.resources.get_mut(SYSTEM).unwrap()["Boot"];
            boot["BootSourceOverrideTarget"] = json!("None");
            boot["BootSourceOverrideEnabled"] = json!("Disabled");
        }
        None
    })
    .await;
    let mut bench = script.bench();
    assert!(bench.boot_from("disk", true).await.unwrap().is_empty());
    let noted = &bench.node.driver_internal_info;
    assert_eq!(noted.redfish_boot_device(), Some("disk"));
    for _ in 0..2 {
        let before = script.count(&format!("PATCH {SYSTEM}"));
        bench.switch(PowerTarget::Reboot).await.unwrap();
        assert_eq!(script.count(&format!("PATCH {SYSTEM}")), before + 1);
    }
    assert!(bench.boot_from("pxe", false).await.unwrap().is_empty());
    let noted = &bench.node.driver_internal_info;
    assert_eq!(noted.redfish_boot_device(), None);
}

#[tokio::test]
async fn a_machine_that_tests_itself_is_waited_for() {
    let script = Script::start(|seen, _| {
        (seen.method == "PATCH" && seen.before < 2)
            .then(|| refusal(400, "iLO.2.14.UnableToModifyDuringSystemPOST", "Wait."))
    })
    .await;
    let mut bench = script.bench();
    bench.boot_from("pxe", false).await.unwrap();
    assert_eq!(script.count(&format!("PATCH {SYSTEM}")), 3);
}

#[tokio::test]
async fn makers_get_what_they_insist_on() {
    let sent = |seen: &Seen| seen.body["Boot"].clone();
    for (vendor, full) in [("Contoso", false), ("Supermicro", true), ("AMI", true)] {
        let (told, bodies) = std::sync::mpsc::channel();
        let script = Script::start(move |seen, _| {
            if seen.method == "PATCH" {
                told.send(sent(seen)).unwrap();
            }
            None
        })
        .await;
        script.with(|world| {
            let boot = &mut world.resources.get_mut(SYSTEM).unwrap()["Boot"];
            boot["BootSourceOverrideEnabled"] = json!("Once");
        });
        let mut bench = script.bench();
        let properties = &mut bench.node.properties;
        properties.insert("vendor".into(), vendor.into());
        bench.boot_from("pxe", false).await.unwrap();
        let mut expected = json!({"BootSourceOverrideTarget": "Pxe"});
        if full {
            expected["BootSourceOverrideEnabled"] = json!("Once");
        }
        if vendor == "AMI" {
            expected["BootSourceOverrideMode"] = json!("UEFI");
        }
        assert_eq!(bodies.recv().unwrap(), expected, "{vendor}");
    }
}

#[tokio::test]
async fn settings_that_wait_are_read_where_they_wait() {
    let script = Script::good().await;
    let path = "/redfish/v1/Systems/1/Settings";
    script.with(|world| {
        let boot = json!({"BootSourceOverrideTarget": "None",
                          "BootSourceOverrideEnabled": "Disabled"});
        world.resources.insert(path.into(), json!({ "Boot": boot }));
        let system = world.resources.get_mut(SYSTEM).unwrap();
        system["@Redfish.Settings"] = json!({"SettingsObject": {"@odata.id": path}});
    });
    let mut bench = script.bench();
    assert!(bench.boot_from("pxe", true).await.unwrap().is_empty());
    assert_eq!(script.seen("PATCH"), [path]);
}

#[tokio::test]
async fn a_boot_mode_that_needs_a_restart_gets_one() {
    // The mode takes effect when the machine restarts, and never for the worse kind.
    let kept = |keeps: bool| {
        let mut waiting = None;
        move |seen: &Seen, world: &mut World| {
            if seen.method == "PATCH" {
                waiting = Some(seen.body["Boot"]["BootSourceOverrideMode"].clone());
                return bare(StatusCode::NO_CONTENT);
            }
            if reset(seen)
                && keeps
                && let Some(mode) = waiting.take()
            {
                let system = world.resources.get_mut(SYSTEM).unwrap();
                system["Boot"]["BootSourceOverrideMode"] = mode;
            }
            None
        }
    };
    let script = Script::start(kept(true)).await;
    let mut bench = script.bench();
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    management
        .set_boot_mode(&lease, machine, "bios")
        .await
        .unwrap();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    let script = Script::start(kept(false)).await;
    let mut bench = script.bench_with(RedfishSettings {
        boot_mode_wait: Duration::from_millis(100),
        ..settings()
    });
    let management = bench.management();
    let outcome = management
        .set_boot_mode(&lease, &mut bench.machine(), "bios")
        .await;
    let error = text(outcome);
    assert!(error.contains("asked for bios, found uefi"), "{error}");
}

#[tokio::test]
async fn tasks_are_waited_for() {
    let script = Script::start(|seen, _| match (seen.path.as_str(), seen.before) {
        ("/slow", _) => {
            let to = [("location", "/task")];
            Some((StatusCode::ACCEPTED, to, "{}").into_response())
        }
        ("/task", 0) => Some((StatusCode::ACCEPTED, [("retry-after", "0")], "").into_response()),
        ("/task", _) => {
            let body = json!({"TaskState": "Completed", "TaskStatus": "OK"});
            Some(body.to_string().into_response())
        }
        ("/broken", _) => {
            let body = json!({"TaskState": "Exception", "Messages": [{"Message": "No room."}]});
            Some(body.to_string().into_response())
        }
        _ => None,
    })
    .await;
    let mut bench = script.bench();
    let info = bench.redfish.clone().info(&bench.machine()).unwrap();
    let mut talk = bench.redfish.talk(&info, "working").await.unwrap();
    let posted = talk.post("/slow", &JsonMap::new()).await.unwrap();
    let monitor = posted.task.unwrap();
    let limit = Duration::from_secs(30);
    let done: Resource = talk.wait_task(&monitor, limit).await.unwrap();
    assert_eq!(done.str("TaskState"), Some("Completed"));
    let failed = talk.wait_task("/broken", limit).await;
    let error = text(failed.map_err(DriverError::from));
    assert!(
        error.ends_with("the task ended in state Exception: No room."),
        "{error}"
    );
}

#[tokio::test]
async fn certificates_are_looked_at() {
    let script = Script::secure("here").await;
    let with = |verify: Value, script: &Script| {
        let mut info = script.driver_info();
        info.insert("redfish_verify_ca".into(), verify);
        Bench::new(info, settings())
    };
    let path = |file: &str| json!(tls(file).to_str().unwrap());
    let mut good = with(path("authority.pem"), &script);
    assert_eq!(good.state().await.unwrap(), Some(PowerState::Off));
    let mut careless = with(json!(false), &script);
    assert_eq!(careless.state().await.unwrap(), Some(PowerState::Off));
    for verify in [path("stranger.pem"), json!(true)] {
        let error = text(with(verify, &script).state().await);
        assert!(
            error.contains("TLS failed: invalid peer certificate: UnknownIssuer")
                && error.contains("redfish_verify_ca"),
            "{error}"
        );
    }
    let elsewhere = Script::secure("elsewhere").await;
    let mut wrong = with(path("authority.pem"), &elsewhere);
    let error = text(wrong.state().await);
    assert!(
        error.contains("TLS failed") && error.contains("not valid for name"),
        "{error}"
    );
    // A password is not sent to somebody who is not known.
    assert!(elsewhere.with(|world| world.log.is_empty()));
    // And plain text is no TLS.
    let plain = Script::good().await;
    let mut info = plain.driver_info();
    let address = info["redfish_address"]
        .as_str()
        .unwrap()
        .replace("http:", "https:");
    info.insert("redfish_address".into(), address.into());
    let error = text(Bench::new(info, settings()).state().await);
    assert!(error.contains("TLS failed"), "{error}");
    assert!(!error.contains(PASSWORD));
}

#[tokio::test]
async fn ciphers_and_versions_are_kept_to() {
    let script = Script::secure("here").await;
    let with = |key: &str, value: &str| {
        let mut info = script.driver_info();
        info.insert("redfish_verify_ca".into(), false.into());
        info.insert(key.into(), value.into());
        Bench::new(info, settings())
    };
    for (key, value) in [
        ("redfish_tls_minimum_version", "1.3"),
        ("redfish_tls_ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ] {
        let found = with(key, value).state().await;
        assert_eq!(found.unwrap(), Some(PowerState::Off), "{key}");
    }
    let error = text(with("redfish_tls_ciphers", "RC4-MD5").state().await);
    assert!(error.contains("unknown TLS ciphers 'RC4-MD5'"), "{error}");
}
