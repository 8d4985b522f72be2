//! Judgements about addresses, and clients that follow them.

use super::*;
use std::net::Ipv4Addr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

fn networks(words: &[&str]) -> Vec<Network> {
    let all = words.iter().map(|word| Network::parse(word).unwrap());
    all.flatten().collect()
}

fn usual(own: &[&str]) -> Policy {
    let words = [
        "loopback",
        "link-local",
        "multicast",
        "unspecified",
        "metadata",
    ];
    let own = own.iter().map(|own| own.parse().unwrap()).collect();
    Policy::new(networks(&words), Vec::new(), own)
}

fn check(policy: &Policy, url: &str) -> Result<(), Refused> {
    policy.check(&Url::parse(url).unwrap())
}

#[test]
fn addresses_are_judged_however_they_are_written() {
    let policy = usual(&[]);
    for url in [
        "http://127.0.0.1:80/",
        "http://127.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://[::127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
        "http://224.0.0.1/",
        "http://[ff02::1]/",
        "http://255.255.255.255/",
        "http://168.63.129.16/",
    ] {
        assert!(check(&policy, url).is_err(), "{url}");
    }
    for url in [
        "http://10.0.0.1/",
        "http://192.168.1.1:6385/",
        "https://[2001:db8::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://128.0.0.1/",
        "http://name/",
    ] {
        assert_eq!(check(&policy, url), Ok(()), "{url}");
        assert_eq!(check(&Policy::default(), url), Ok(()));
    }
    assert_eq!(check(&Policy::default(), "http://127.0.0.1/"), Ok(()));
}

#[test]
fn an_allowed_network_wins() {
    let allowed = networks(&["127.0.0.1", "fe80::/64"]);
    let policy = Policy::new(networks(&["loopback", "link-local"]), allowed, Vec::new());
    assert_eq!(check(&policy, "http://127.0.0.1:8000/"), Ok(()));
    assert_eq!(check(&policy, "http://[::ffff:127.0.0.1]/"), Ok(()));
    assert_eq!(check(&policy, "http://[fe80::7]/"), Ok(()));
    assert!(check(&policy, "http://127.0.0.2/").is_err());
    assert!(check(&policy, "http://[fe80:0:0:1::7]/").is_err());
}

#[test]
fn own_listeners_are_refused_by_port() {
    let own = vec![
        "0.0.0.0:6385".parse().unwrap(),
        "10.9.9.9:8089".parse().unwrap(),
    ];
    let policy = Policy::new(Vec::new(), Vec::new(), own);
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    assert_eq!(
        check(&policy, "http://127.0.0.1:6385/"),
        Err(Refused::Own(loopback))
    );
    assert!(check(&policy, "http://10.9.9.9:8089/").is_err());
    assert_eq!(check(&policy, "http://127.0.0.1:8089/"), Ok(()));
    assert_eq!(check(&policy, "http://127.0.0.1:80/"), Ok(()));
    // An address of nobody on this machine.
    assert_eq!(check(&policy, "http://192.0.2.1:6385/"), Ok(()));
}

#[test]
fn what_is_no_network_is_refused() {
    for text in [
        "",
        "10.0.0.0/33",
        "10.0.0.1/8",
        "::1/64",
        "::/129",
        "lo",
        "10.0.0.0/x",
        "name",
    ] {
        assert!(Network::parse(text).is_err(), "{text}");
        assert!(text.parse::<Network>().is_err(), "{text}");
    }
    assert!("loopback".parse::<Network>().is_err());
    let all = networks(&["0.0.0.0/0", "::/0"]);
    for ip in ["1.2.3.4", "2001:db8::1", "::ffff:1.2.3.4"] {
        assert!(all.iter().any(|network| network.holds(ip.parse().unwrap())));
    }
    let mapped = networks(&["::ffff:10.0.0.0/104"]);
    assert!(mapped[0].holds("10.1.2.3".parse().unwrap()));
    assert!(!mapped[0].holds("11.1.2.3".parse().unwrap()));
}

#[test]
fn networks_contain_what_begins_like_them() {
    let contains = |network: &str, address: &str| {
        let network: Network = network.parse().unwrap();
        network.contains(address.parse().unwrap())
    };
    assert!(contains("10.0.0.0/8", "10.255.1.2"));
    assert!(!contains("10.0.0.0/8", "11.0.0.0"));
    assert!(contains("0.0.0.0/0", "1.2.3.4") && !contains("0.0.0.0/0", "::1"));
    assert!(contains("::/0", "fe80::1") && contains("fe80::/10", "febf::1"));
    assert!(contains("127.0.0.1", "127.0.0.1") && !contains("127.0.0.1", "127.0.0.2"));
    // Who is believed is told by the address itself, not by one that is wrapped in it.
    assert!(!contains("10.0.0.0/8", "2002:a00:1::1"));
}

/// Answers every request with a redirect to `location`, or with 200 if there is none.
async fn server(location: Option<String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = [0; 2048];
            let _ = client.read(&mut head).await;
            let answer = match &location {
                Some(to) => format!(
                    "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                ),
                None => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
            };
            let _ = client.write_all(answer.as_bytes()).await;
        }
    });
    address
}

fn client(policy: &Policy, own_port: bool) -> reqwest::Client {
    let builder = crate::client::client()
        .tls_certs_only([])
        .redirect(policy.redirects(3));
    policy.guard(builder, own_port).build().unwrap()
}

#[tokio::test]
async fn names_and_redirects_are_judged_by_where_they_lead() {
    let _ = rustls_provider();
    let there = server(None).await;
    // Everything but the first server is refused.
    let allowed = networks(&["127.0.0.1"]);
    let strict = Policy::new(networks(&["loopback"]), Vec::new(), Vec::new());
    let named = format!("http://localhost:{}/", there.port());
    let refused = client(&strict, false).get(&named).send().await.unwrap_err();
    assert!(
        matches!(refusal(&refused), Some(Refused::Network(_))),
        "{refused:?}"
    );
    let lenient = Policy::new(networks(&["loopback", "metadata"]), allowed, Vec::new());
    let answer = client(&lenient, false).get(&named).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    // A name that leads to this machine, with a port of ours.
    let own = Policy::new(Vec::new(), Vec::new(), vec![there]);
    assert!(own.is_own_port(&Url::parse(&named).unwrap()));
    let refused = client(&own, true).get(&named).send().await.unwrap_err();
    assert!(
        matches!(refusal(&refused), Some(Refused::Own(_))),
        "{refused:?}"
    );
    for to in [
        "http://169.254.169.254/latest".to_owned(),
        "http://[::ffff:169.254.169.254]/".to_owned(),
    ] {
        let first = server(Some(to.clone())).await;
        let asked = client(&lenient, false).get(format!("http://{first}/"));
        let refused = asked.send().await.unwrap_err();
        assert!(
            matches!(refusal(&refused), Some(Refused::Network(_))),
            "{to}"
        );
    }
    let first = server(Some(named.clone())).await;
    let refused = client(&own, false)
        .get(format!("http://{first}/"))
        .send()
        .await;
    assert!(matches!(
        refusal(&refused.unwrap_err()),
        Some(Refused::Own(_))
    ));
    let followed = client(&lenient, false)
        .get(format!("http://{first}/"))
        .send()
        .await;
    assert_eq!(followed.unwrap().status(), 200);
}

#[tokio::test]
async fn hosts_of_datagrams_are_judged_too() {
    let policy = usual(&[]);
    let refused = policy.resolve("localhost", 623).await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    let found = Policy::default().resolve("127.0.0.1", 623).await.unwrap();
    assert_eq!(found.port(), 623);
}

/// reqwest wants one, though nothing here speaks TLS.
fn rustls_provider() -> bool {
    rustls::crypto::ring::default_provider()
        .install_default()
        .is_ok()
}
