//! Configurations that are put together, and what a run leaves behind.

use super::{
    answers::{Password, read_range, suggested_range},
    pieces::{Paths, Staging},
    *,
};
use crate::host::{Attached, Network4};
use config::Config;
use std::{net::Ipv4Addr, os::unix::fs::PermissionsExt, path::PathBuf};

fn at(address: [u8; 4], start: [u8; 4], prefix: u8) -> Attached {
    Attached {
        address: address.into(),
        network: Network4 {
            start: start.into(),
            prefix,
        },
    }
}

fn answers(folder: &Path) -> Answers {
    Answers {
        interface: "eth1".to_owned(),
        attached: at([10, 0, 0, 1], [10, 0, 0, 0], 24),
        range: (Ipv4Addr::new(10, 0, 0, 100), Ipv4Addr::new(10, 0, 0, 199)),
        router: Some(Ipv4Addr::new(10, 0, 0, 254)),
        dns: vec![Ipv4Addr::new(10, 0, 0, 53), Ipv4Addr::new(10, 0, 0, 54)],
        is_proxy: false,
        images: folder.join("data/images"),
        auth: answers::Auth::HttpBasic {
            user: "ada".to_owned(),
            password: Password::MadeUp("p4ssword".to_owned()),
        },
        has_tls: true,
        discovery: None,
    }
}

fn args(folder: &Path, more: &[&str]) -> args::Init {
    use clap::Parser;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        init: args::Init,
    }
    let config = folder.join("etc/corten.conf");
    let data = folder.join("data");
    let mut words: Vec<&str> = vec!["init", "--yes", "--no-ramdisk", "--config-file"];
    let (config, data) = (config.to_str().unwrap(), data.to_str().unwrap());
    words.extend([config, "--data-dir", data]);
    words.extend(more);
    Line::parse_from(words).init
}

/// What `run` does after everything is decided.
fn make(args: &args::Init, answers: &Answers) -> anyhow::Result<PathBuf> {
    let place = InstallPaths::choose(args)?;
    refuse_overwriting(&place, args.force)?;
    put(args, answers, &place)?;
    Ok(place.config)
}

fn load(file: &Path) -> Config {
    let common = Common {
        config_file: vec![file.to_owned()],
        ..Common::default()
    };
    sources::load(&common).unwrap().0
}

fn hidden(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".init-")).count()
}

#[test]
fn a_configuration_is_written_with_all_that_it_names_and_can_be_served() {
    let folder = tempfile::tempdir().unwrap();
    let args = args(folder.path(), &[]);
    let file = make(&args, &answers(folder.path())).unwrap();
    let config = load(&file);
    assert_eq!(
        config.corten.data_dir.to_path_buf(),
        folder.path().join("data")
    );
    let boot = crate::settings::boot(&config).unwrap().unwrap();
    let subnet = &boot.dhcp4.unwrap().subnets[0];
    assert_eq!(subnet.routers, [Ipv4Addr::new(10, 0, 0, 254)]);
    assert_eq!(subnet.dns.len(), 2);
    assert!(Plan::new(&config, Role::All).is_ok());
    for parameters in [
        &config.pxe.kernel_append_params,
        &config.redfish.kernel_append_params,
    ] {
        assert!(parameters.ends_with("console=ttyS0"), "{parameters:?}");
    }
    let data = folder.path().join("data");
    for (name, mode) in [
        ("keys", 0o600),
        ("htpasswd", 0o600),
        ("tls/api.key", 0o600),
        ("admin-password", 0o600),
        ("tls/api.crt", 0o644),
    ] {
        let mode_of = fs::metadata(data.join(name)).unwrap().permissions().mode();
        assert_eq!(mode_of & 0o777, mode, "{name}");
    }
    assert!(data.join("images").is_dir());
    assert_eq!(hidden(&data), 0);
    let password = fs::read_to_string(data.join("admin-password")).unwrap();
    assert_eq!(password, "p4ssword\n");
    assert!(!fs::read_to_string(&file).unwrap().contains("p4ssword"));
}

#[test]
fn every_way_to_sign_in_and_every_network_can_be_served() {
    for (auth, tls) in [
        (answers::Auth::None, false),
        (
            answers::Auth::Local {
                user: "ada".to_owned(),
                password: Password::Given("p".to_owned()),
            },
            true,
        ),
        (
            answers::Auth::HttpBasic {
                user: "ada".to_owned(),
                password: Password::Given("p".to_owned()),
            },
            false,
        ),
        (
            answers::Auth::Keystone {
                url: "https://cloud.example:5000".to_owned(),
                user: "ironic".to_owned(),
                project: "service".to_owned(),
                password: "a$b#c;d %e".to_owned(),
            },
            true,
        ),
    ] {
        for is_proxy in [false, true] {
            for discovery in [None, Some("redfish".to_owned())] {
                let folder = tempfile::tempdir().unwrap();
                let answers = Answers {
                    auth: auth.clone(),
                    has_tls: tls,
                    is_proxy,
                    discovery: discovery.clone(),
                    router: None,
                    dns: Vec::new(),
                    ..answers(folder.path())
                };
                let file = make(&args(folder.path(), &[]), &answers).unwrap();
                let config = load(&file);
                assert_eq!(*config.auto_discovery.enabled, discovery.is_some());
                if let answers::Auth::Keystone { password, .. } = &auth {
                    let kept = config.keystone_authtoken.password.as_ref().unwrap();
                    assert_eq!(kept.expose(), password);
                }
            }
        }
    }
}

/// The users of the database of a configuration, and the first one's roles.
fn users(config: &Config) -> (Vec<String>, Vec<String>) {
    let place = crate::db::DatabaseConfig::of(config).unwrap();
    let db = place.open_existing().unwrap();
    serve::in_runtime(async {
        let users = store::account::user::list(&db).await?;
        let roles = store::account::role::list(&db).await?;
        Ok((
            users.iter().map(|user| user.name.to_string()).collect(),
            roles
                .iter()
                .map(|row| format!("{} in {}", row.grant.role, row.grant.place))
                .collect(),
        ))
    })
    .unwrap()
}

#[test]
fn the_first_local_user_is_administrator_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let local = |password| Answers {
        auth: answers::Auth::Local {
            user: "ada".to_owned(),
            password,
        },
        ..answers(folder.path())
    };
    let made_up = Password::MadeUp("p4ssword".to_owned());
    let file = make(&args(folder.path(), &[]), &local(made_up)).unwrap();
    let config = load(&file);
    let only = (vec!["ada".to_owned()], vec!["admin in system".to_owned()]);
    assert_eq!(users(&config), only);
    let data = folder.path().join("data");
    let mode = fs::metadata(data.join("corten.db")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let password = fs::read_to_string(data.join("admin-password")).unwrap();
    assert_eq!(password, "p4ssword\n");
    let again = make(&args(folder.path(), &["--force"]), &local(Password::Kept)).unwrap();
    assert_eq!(users(&load(&again)), only);
    assert_eq!(hidden(&data), 0);
}

#[test]
fn a_name_that_no_user_can_have_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let answers = Answers {
        auth: answers::Auth::Local {
            user: "a b".to_owned(),
            password: Password::Given("p".to_owned()),
        },
        ..answers(folder.path())
    };
    let refused = make(&args(folder.path(), &[]), &answers).unwrap_err();
    assert!(refused.to_string().contains("a b"), "{refused}");
    let left = fs::read_dir(folder.path().join("data")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".init.lock"]);
}

#[test]
fn a_configuration_that_is_there_stays_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let file = make(&args(folder.path(), &[]), &answers(folder.path())).unwrap();
    let keys = fs::read(folder.path().join("data/keys")).unwrap();
    fs::write(&file, "# mine\n").unwrap();
    let refused = make(&args(folder.path(), &[]), &answers(folder.path())).unwrap_err();
    assert!(refused.to_string().contains("--force"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
    make(&args(folder.path(), &["--force"]), &answers(folder.path())).unwrap();
    let old = folder.path().join("etc/corten.conf.before-init");
    assert_eq!(fs::read_to_string(&old).unwrap(), "# mine\n");
    assert!(fs::read_to_string(&file).unwrap().contains("dhcp_networks"));
    // The next run keeps what it replaces under a name of its own.
    fs::write(&file, "# mine, later\n").unwrap();
    make(&args(folder.path(), &["--force"]), &answers(folder.path())).unwrap();
    assert_eq!(fs::read_to_string(&old).unwrap(), "# mine\n");
    let later = folder.path().join("etc/corten.conf.before-init.2");
    assert_eq!(fs::read_to_string(later).unwrap(), "# mine, later\n");
    assert_eq!(fs::read(folder.path().join("data/keys")).unwrap(), keys);
}

#[test]
fn the_configuration_of_the_package_is_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("etc")).unwrap();
    fs::write(folder.path().join("etc/corten.conf"), PACKAGED).unwrap();
    make(&args(folder.path(), &[]), &answers(folder.path())).unwrap();
    let old = folder.path().join("etc/corten.conf.before-init");
    assert_eq!(fs::read_to_string(old).unwrap(), PACKAGED);
}

/// A run that was cut off after any number of its moves is completed by the next one.
#[test]
fn a_run_that_was_cut_off_is_completed_by_the_next() {
    let whole = ["admin-password", "htpasswd", "keys", "tls"];
    for done in 0..=whole.len() {
        let folder = tempfile::tempdir().unwrap();
        let file = make(&args(folder.path(), &[]), &answers(folder.path())).unwrap();
        fs::remove_file(&file).unwrap();
        let data = folder.path().join("data");
        for gone in &whole[done..] {
            let path = data.join(gone);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        fs::create_dir(data.join(".init-left")).unwrap();
        let kept = fs::read(data.join("htpasswd")).ok();
        make(&args(folder.path(), &[]), &answers(folder.path())).unwrap();
        let config = load(&file);
        assert!(Plan::new(&config, Role::All).is_ok(), "{done}");
        if let Some(kept) = kept {
            assert_eq!(fs::read(data.join("htpasswd")).unwrap(), kept);
        }
        assert_eq!(hidden(&data), 0);
    }
}

#[test]
fn what_cannot_be_made_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut args = args(folder.path(), &[]);
    args.no_ramdisk = false;
    args.agent = Some(folder.path().join("no-such-agent"));
    let refused = make(&args, &answers(folder.path())).unwrap_err();
    assert!(refused.to_string().contains("--no-ramdisk"), "{refused}");
    let left = fs::read_dir(folder.path().join("data")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".init.lock"]);
    assert!(!folder.path().join("etc").exists());
}

#[test]
fn two_runs_at_a_time_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let place = InstallPaths::choose(&args(folder.path(), &[])).unwrap();
    let _first = Staging::open(&place).unwrap();
    let refused = Staging::open(&place).unwrap_err();
    assert!(refused.to_string().contains("at work"), "{refused}");
}

#[test]
fn a_configuration_that_cannot_be_served_is_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let place = InstallPaths::choose(&args(folder.path(), &[])).unwrap();
    let staging = Staging::open(&place).unwrap();
    let paths = Paths {
        users: folder.path().join("missing"),
        certificate: folder.path().join("missing"),
        certificate_key: folder.path().join("missing"),
        ramdisk: folder.path().join("missing"),
        images: folder.path().join("missing"),
    };
    let text = text::text(&answers(folder.path()), &paths, &place);
    let refused = check(&text, &staging).unwrap_err();
    assert!(format!("{refused:#}").contains("missing"), "{refused:#}");
}

#[test]
fn ranges_are_in_the_network_and_never_hold_our_own_address() {
    let here = at([10, 0, 0, 1], [10, 0, 0, 0], 24);
    assert_eq!(suggested_range(here), "10.0.0.128-10.0.0.254");
    let above = at([10, 0, 0, 200], [10, 0, 0, 0], 24);
    assert_eq!(suggested_range(above), "10.0.0.128-10.0.0.199");
    let last = at([10, 0, 0, 140], [10, 0, 0, 0], 24);
    assert_eq!(suggested_range(last), "10.0.0.141-10.0.0.254");
    for own in [here, above, last, at([10, 0, 0, 5], [10, 0, 0, 4], 30)] {
        let suggested = suggested_range(own);
        assert!(read_range(&suggested, own).is_ok(), "{suggested}");
    }
    for (text, why) in [
        ("10.0.0.9", "FIRST-LAST"),
        ("10.0.0.9-10.0.0.2", "before"),
        ("10.0.0.200-10.0.1.9", "not inside 10.0.0.0/24"),
        ("10.0.0.0-10.0.0.9", "not inside"),
        ("10.0.0.1-10.0.0.9", "our own address"),
    ] {
        let refused = read_range(text, here).unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
}
