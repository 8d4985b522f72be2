//! Devices that do wrong, or are somebody else: a clear error, and nobody is told the password.

use super::bench::{Bench, Kind, PASSWORD, Stand, chassis_settings, iboot_settings};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use drivers::DriverError;
use outbound::{Network, Policy};
use proto::{seamicro::percent_encoded, wsman::fault, xml};
use serde_json::{Value, json};
use sim::device::{Fault, nuova};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use types::{PowerState, PowerTarget};

fn told(error: &DriverError) -> String {
    let text = types::error::chain(error);
    assert!(
        !text.contains(PASSWORD) && !text.contains("hunter2"),
        "{text}"
    );
    text
}

/// A device of each kind with a fault.
async fn broken(fault: Fault) -> Vec<Stand> {
    let (iboot, device) = Stand::iboot().await;
    device.break_with(fault);
    let (ocs, manager) = Stand::msftocs().await;
    manager.break_with(fault);
    let (ucsm, device) = Stand::ucsm().await;
    device.break_with(fault);
    let (cimc, device) = Stand::cimc().await;
    device.break_with(fault);
    let (seamicro, chassis) = Stand::seamicro().await;
    chassis.break_with(fault);
    let (amt, device) = Stand::amt().await;
    device.break_with(fault);
    let (drac, device) = Stand::drac(false).await;
    device.break_with(fault);
    vec![iboot, ocs, ucsm, cimc, seamicro, amt, drac]
}

#[tokio::test]
async fn a_wrong_password_is_told_as_such() {
    for kind in Kind::ALL {
        let stand = Stand::of(kind).await;
        let wrong = json!({
            "iboot_password": "covert", "msftocs_password": "covert",
            "ucs_password": "covert", "cimc_password": "covert", "amt_password": "covert",
            "drac_password": "covert", "seamicro_password": "covert",
        });
        let mut bench = stand.bench(wrong);
        let error = bench.switch(PowerTarget::On).await.unwrap_err();
        let expected = match kind {
            // It answers as to any other order that it cannot follow.
            Kind::Iboot => "rejected",
            _ => "refused",
        };
        assert_eq!(error.kind(), expected, "{kind:?}");
        assert!(!told(&error).contains("covert"));
        assert!(!bench.recorded().contains("covert"));
    }
}

#[tokio::test]
async fn orders_that_are_not_followed_are_noticed() {
    for stand in broken(Fault::Stuck).await {
        let mut bench = stand.bench(json!({}));
        let error = bench.switch(PowerTarget::On).await.unwrap_err();
        assert_eq!(error.kind(), "unfinished", "{:?}", stand.kind);
        assert!(told(&error).contains("Failed to set node power state"));
    }
}

#[tokio::test]
async fn refusals_and_nonsense_are_told_apart() {
    for stand in broken(Fault::Refuses).await {
        let mut bench = stand.bench(json!({}));
        let error = bench.switch(PowerTarget::On).await.unwrap_err();
        assert_eq!(
            error.kind(),
            "rejected",
            "{:?}: {}",
            stand.kind,
            told(&error)
        );
    }
    for stand in broken(Fault::Garbage).await {
        let mut bench = stand.bench(json!({}));
        let error = bench.switch(PowerTarget::On).await.unwrap_err();
        assert_eq!(
            error.kind(),
            "protocol",
            "{:?}: {}",
            stand.kind,
            told(&error)
        );
    }
}

/// A device that refuses to say how its relays are answers a byte that says that the first is on.
#[tokio::test]
async fn an_iboot_that_refuses_a_question_reads_as_on() {
    let (stand, device) = Stand::iboot().await;
    let wrong = json!({"iboot_password": "covert"});
    let state = stand.bench(wrong).state().await.unwrap();
    assert_eq!(state, Some(PowerState::On));
    // Where more bytes are expected, they do not come.
    device.break_with(Fault::Refuses);
    let mut short = iboot_settings();
    short.timeout = Duration::from_millis(100);
    let third = json!({"iboot_relay_id": 3});
    let bench = Bench::new(stand.kind, stand.address, third, chassis_settings(), short);
    let error = bench.state().await.unwrap_err();
    assert_eq!(error.kind(), "unreachable", "{}", told(&error));
    device.break_with(Fault::Garbage);
    let error = stand.bench(json!({})).state().await.unwrap_err();
    assert_eq!(error.kind(), "protocol", "{}", told(&error));
    assert!(told(&error).contains("it answers 0x7f"));
}

/// There are few sessions, so one whose work failed is ended too, even when its time is over.
#[tokio::test]
async fn sessions_end_whatever_came_of_them() {
    async fn left_after(fault: Fault, (stand, device): (Stand, Arc<nuova::Device>)) {
        device.break_with(fault);
        let mut chassis = chassis_settings();
        chassis.gate.deadline = Duration::from_secs(3);
        let mut bench = Bench::new(
            stand.kind,
            stand.address,
            json!({}),
            chassis,
            iboot_settings(),
        );
        bench.switch(PowerTarget::On).await.unwrap_err();
        bench.boot_from("pxe", true).await.unwrap_err();
        assert_eq!(device.logins(), device.logouts(), "{:?}", stand.kind);
        assert!(device.logins() >= 2 && device.sessions() == 0);
    }
    let (ucsm, cimc) = (Stand::ucsm().await, Stand::cimc().await);
    tokio::join!(
        left_after(Fault::Refuses, ucsm),
        left_after(Fault::Refuses, cimc),
    );
    let (ucsm, cimc) = (Stand::ucsm().await, Stand::cimc().await);
    tokio::join!(
        left_after(Fault::Stalls, ucsm),
        left_after(Fault::Stalls, cimc),
    );
}

#[tokio::test]
async fn managers_that_hang_up_are_told_as_such() {
    for kind in OVER_HTTP {
        let (address, _) = impostor(Vec::new()).await;
        let error = bench(kind, address, json!({})).state().await.unwrap_err();
        assert_eq!(error.kind(), "unreachable", "{kind:?}: {}", told(&error));
    }
}

#[tokio::test]
async fn silent_devices_are_left_alone_after_a_while() {
    for stand in broken(Fault::Silent).await {
        let mut chassis = chassis_settings();
        chassis.connect_timeout = Duration::from_millis(100);
        chassis.read_timeout = Duration::from_millis(100);
        chassis.gate.silences = 2;
        let mut iboot = iboot_settings();
        iboot.timeout = Duration::from_millis(100);
        iboot.gate.silences = 2;
        let bench = Bench::new(stand.kind, stand.address, json!({}), chassis, iboot);
        for text in ["no answer within", "left alone", "left alone"] {
            let error = bench.state().await.unwrap_err();
            assert_eq!(error.kind(), "unreachable");
            let said = told(&error);
            let is_iboot = stand.kind == Kind::Iboot;
            assert!(said.contains(text) || is_iboot, "{:?}: {said}", stand.kind);
        }
    }
}

#[tokio::test]
async fn an_iboot_that_hangs_up_is_asked_again() {
    let (stand, device) = Stand::iboot().await;
    device.break_with(Fault::Closes);
    let error = stand.bench(json!({})).state().await.unwrap_err();
    assert_eq!(error.kind(), "unreachable");
    let text = told(&error);
    assert!(text.contains("power status of relay 1 of iBoot"), "{text}");
    assert!(text.contains("it ended the connection"), "{text}");
}

/// Answers every connection with this, and keeps what it was told.
async fn impostor(answer: Vec<u8>) -> (std::net::SocketAddr, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&heard);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let (answer, all) = (answer.clone(), Arc::clone(&all));
            tokio::spawn(async move {
                let mut piece = vec![0; 8192];
                let read = client.read(&mut piece).await.unwrap_or(0);
                all.lock().unwrap().extend(&piece[..read]);
                let _ = client.write_all(&answer).await;
                let _ = client.shutdown().await;
            });
        }
    });
    (address, heard)
}

const OVER_HTTP: [Kind; 6] = [
    Kind::MsftOcs,
    Kind::Ucsm,
    Kind::Cimc,
    Kind::SeaMicro,
    Kind::Amt,
    Kind::Drac,
];

fn bench(kind: Kind, address: std::net::SocketAddr, changes: Value) -> Bench {
    Bench::new(kind, address, changes, chassis_settings(), iboot_settings())
}

#[tokio::test]
async fn nothing_is_followed_that_redirects() {
    let (elsewhere, heard) = impostor(Vec::new()).await;
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{elsewhere}/nuova\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n"
    );
    for kind in OVER_HTTP {
        let (address, _) = impostor(answer.clone().into_bytes()).await;
        let error = bench(kind, address, json!({})).state().await.unwrap_err();
        assert_eq!(error.kind(), "protocol");
        let text = told(&error);
        assert!(text.contains("it redirects elsewhere (HTTP 307)"), "{text}");
    }
    assert!(heard.lock().unwrap().is_empty(), "the other host was asked");
}

#[tokio::test]
async fn answers_are_bounded() {
    let mut endless = b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n<a>".to_vec();
    endless.extend(std::iter::repeat_n(b'x', 3 << 20));
    for kind in OVER_HTTP {
        let (address, _) = impostor(endless.clone()).await;
        let error = bench(kind, address, json!({})).state().await.unwrap_err();
        let text = told(&error);
        assert!(text.contains("it is longer than"), "{text}");
    }
    let deep = "<a>".repeat(100_000);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", deep.len());
    for kind in OVER_HTTP {
        let (address, _) = impostor(format!("{head}{deep}").into_bytes()).await;
        let error = bench(kind, address, json!({})).state().await.unwrap_err();
        let text = told(&error);
        let expected = match kind {
            // It speaks JSON, of which this is none from the first byte on.
            Kind::SeaMicro => "it is no JSON",
            _ => "nested more than",
        };
        assert!(text.contains(expected), "{text}");
    }
}

/// What somebody says of a login that he was told does not get into errors and recordings.
#[tokio::test]
async fn a_password_that_comes_back_is_not_repeated() {
    for password in [
        PASSWORD.to_owned(),
        xml::escaped(PASSWORD),
        percent_encoded(PASSWORD),
    ] {
        let said = format!("no {password} here");
        let answer = format!(
            "HTTP/1.1 500 Internal Server Error\r\nContent-Length: {}\r\n\r\n{said}",
            said.len()
        );
        // Only one of them has it in a query.
        let is_in_query = password.contains('%');
        let kinds = OVER_HTTP
            .into_iter()
            .filter(|kind| !is_in_query || *kind == Kind::SeaMicro);
        for kind in kinds {
            let (address, _) = impostor(answer.clone().into_bytes()).await;
            let bench = bench(kind, address, json!({}));
            let text = told(&bench.state().await.unwrap_err());
            assert!(
                text.contains("it answers HTTP 500: no ****** here"),
                "{text}"
            );
            let kept = bench.recorded();
            assert!(!kept.contains("hunter2"), "{kept}");
        }
    }
    // What an iBoot answers is bytes, which recordings have in hexadecimal.
    let (address, _) = impostor([b"\x01\x02", PASSWORD.as_bytes()].concat()).await;
    let relay = json!({"iboot_relay_id": PASSWORD.len()});
    let bench = bench(Kind::Iboot, address, relay);
    told(&bench.state().await.unwrap_err());
    let kept = bench.recorded();
    assert!(kept.contains("\"Get\""), "{kept}");
    assert!(
        !kept.contains(&types::hex::encode(PASSWORD.as_bytes())),
        "{kept}"
    );
}

#[tokio::test]
async fn recordings_have_what_was_said_and_no_secrets() {
    for kind in Kind::ALL {
        let expected = match kind {
            Kind::Iboot => "Change { relay: 1, state: 1 }",
            Kind::MsftOcs => "/SetBladeOn?",
            Kind::Ucsm => "lsPower",
            Kind::Cimc => "computeRackUnit",
            Kind::SeaMicro => "\"action\":\"power-on\"",
            Kind::Amt => "RequestPowerStateChange_INPUT",
            Kind::Drac => "RequestStateChange_INPUT",
        };
        let stand = Stand::of(kind).await;
        let mut bench = stand.bench(json!({}));
        bench.switch(PowerTarget::On).await.unwrap();
        let kept = bench.recorded();
        assert!(kept.contains(expected), "{kept}");
        let login = BASE64_STANDARD.encode(format!("admin:{PASSWORD}"));
        let cookie = "/0000";
        for secret in ["hunter2", login.as_str(), cookie] {
            assert!(!kept.contains(secret), "{kind:?}: {kept}");
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_where_connections_may_not_lead() {
    for kind in Kind::ALL {
        let (address, heard) = impostor(Vec::new()).await;
        let denied = Network::parse("loopback").unwrap();
        let policy = Policy::new(denied, Vec::new(), Vec::new());
        let (mut chassis, mut iboot) = (chassis_settings(), iboot_settings());
        chassis.outbound = policy.clone();
        iboot.outbound = policy;
        let bench = Bench::new(kind, address, json!({}), chassis, iboot);
        let text = told(&bench.state().await.unwrap_err());
        assert!(text.contains("networks_denied"), "{text}");
        assert!(heard.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_a_node_says_is_checked_before_anybody_is_asked() {
    let (address, heard) = impostor(Vec::new()).await;
    for (kind, changes, why) in [
        (
            Kind::Iboot,
            json!({"iboot_username": ""}),
            "['iboot_username']",
        ),
        (
            Kind::MsftOcs,
            json!({"msftocs_username": null, "msftocs_blade_id": null}),
            "missing: msftocs_blade_id msftocs_username",
        ),
        (
            Kind::MsftOcs,
            json!({"msftocs_blade_id": "-1"}),
            "must be greater than 0",
        ),
        (
            Kind::MsftOcs,
            json!({"msftocs_base_url": "ftp://a"}),
            "is not the address of",
        ),
        (
            Kind::MsftOcs,
            json!({"msftocs_base_url": "http://admin:hunter2@a"}),
            "must not hold a name or a password",
        ),
        (
            Kind::MsftOcs,
            json!({"msftocs_verify_ca": 7}),
            "msftocs_verify_ca",
        ),
        (Kind::Ucsm, json!({"ucs_password": ""}), "['ucs_password']"),
        (
            Kind::Ucsm,
            json!({"ucs_service_profile": "node2"}),
            "distinguished name",
        ),
        (
            Kind::SeaMicro,
            json!({"seamicro_server_id": "", "seamicro_password": null}),
            "driver_info: ['seamicro_server_id', 'seamicro_password']",
        ),
        (
            Kind::SeaMicro,
            json!({"seamicro_server_id": "2"}),
            "<int>/<int>",
        ),
        (
            Kind::SeaMicro,
            json!({"seamicro_api_endpoint": "10.0.0.1"}),
            "is the URL of a chassis",
        ),
        (
            Kind::SeaMicro,
            json!({"seamicro_api_version": 3}),
            "2 is the only one",
        ),
        (
            Kind::Cimc,
            json!({"cimc_address": "a b"}),
            "is not the address of",
        ),
        (
            Kind::Amt,
            json!({"amt_username": "", "amt_password": null}),
            "['amt_username', 'amt_password']",
        ),
        (
            Kind::Amt,
            json!({"amt_address": "admin:hunter2@a"}),
            "neither an IP address nor a host name",
        ),
        (
            Kind::Amt,
            json!({"amt_address": "http://a/wsman"}),
            "neither an IP address nor a host name",
        ),
        (
            Kind::Amt,
            json!({"amt_protocol": "HTTP"}),
            "neither http nor https",
        ),
        (
            Kind::Drac,
            json!({"drac_address": "", "drac_username": null}),
            "['drac_address', 'drac_username']",
        ),
        (Kind::Drac, json!({"drac_path": "wsman"}), "not a path"),
        (Kind::Drac, json!({"drac_path": "/a/../b"}), "not a path"),
        (
            Kind::Drac,
            json!({"drac_path": "//other/wsman"}),
            "not a path",
        ),
        (Kind::Drac, json!({"drac_port": "a"}), "not a valid port"),
        (
            Kind::Drac,
            json!({"drac_protocol": "ftp"}),
            "neither http nor https",
        ),
        (
            Kind::Drac,
            json!({"drac_address": "admin:hunter2@a"}),
            "neither an IP address nor a host name",
        ),
        (Kind::Amt, json!({"amt_port": 0}), "not a valid port"),
        (
            Kind::Amt,
            json!({"amt_username": "a\nb"}),
            "printable ASCII",
        ),
    ] {
        let bench = bench(kind, address, changes);
        let error = bench.valid().await.unwrap_err();
        assert_eq!(error.kind(), "invalid");
        assert!(told(&error).contains(why), "{error}");
        assert!(!told(&error).contains("hunter2"), "{error}");
        assert_eq!(bench.state().await.unwrap_err().kind(), "invalid");
    }
    let mut chassis = chassis_settings();
    chassis.require_tls = true;
    let plain = Bench::new(Kind::Cimc, address, json!({}), chassis, iboot_settings());
    let text = told(&plain.valid().await.unwrap_err());
    assert!(text.contains("bmc_require_tls forbids"), "{text}");
    assert!(heard.lock().unwrap().is_empty());
}

/// Nobody gets the password, nor what it could be tried on, without having asked by HTTP Digest.
#[tokio::test]
async fn amt_is_not_told_the_password_in_the_clear() {
    for (offered, kind) in [
        ("Basic realm=\"Digest:A407\"", "refused"),
        (
            "Digest realm=\"a\", nonce=\"n\", algorithm=MD5-sess",
            "refused",
        ),
        (
            "Digest realm=\"a\", nonce=\"n\", qop=\"auth\", stale=true",
            "protocol",
        ),
    ] {
        let answer = format!(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {offered}\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n"
        );
        let (address, heard) = impostor(answer.into_bytes()).await;
        let bench = bench(Kind::Amt, address, json!({}));
        let error = bench.state().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{offered}: {}", told(&error));
        let heard = String::from_utf8(heard.lock().unwrap().clone()).unwrap();
        let heard = heard.to_lowercase();
        assert!(!heard.contains("authorization: basic"), "{heard}");
        assert!(!heard.contains("hunter2"), "{heard}");
        let asked = heard.matches("post /wsman http/1.1").count();
        let limit = if kind == "refused" { 1 } else { 2 };
        assert_eq!(asked, limit, "{heard}");
    }
}

/// A fault of SOAP is told in the controller's words, and says what to do next.
#[tokio::test]
async fn faults_of_soap_are_told_apart() {
    for (code, kind) in [
        ("wsman:AccessDenied", "refused"),
        ("wsman:Concurrency", "busy"),
        ("wsa:DestinationUnreachable", "rejected"),
    ] {
        let said = fault(code, &format!("not for {}", xml::escaped(PASSWORD)));
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{said}",
            said.len()
        );
        for driver in [Kind::Amt, Kind::Drac] {
            let (address, _) = impostor(answer.clone().into_bytes()).await;
            let error = bench(driver, address, json!({})).state().await.unwrap_err();
            assert_eq!(error.kind(), kind, "{code}");
            let text = told(&error);
            assert!(text.contains("it answers with a fault: "), "{text}");
            assert!(text.contains("not for ******"), "{text}");
        }
    }
}
