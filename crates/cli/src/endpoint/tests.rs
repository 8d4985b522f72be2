//! Finding the service: which source wins, and what is refused.

use super::*;

/// Finds with these variables and options, and clouds.yaml in this folder.
fn find_in(
    folder: Option<&std::path::Path>,
    variables: &[(&str, &str)],
    global: Global,
) -> Result<Endpoint, Error> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let folders = folder.map(std::path::Path::to_owned).into_iter().collect();
    Endpoint::find(
        &global,
        &Surroundings {
            variable: &variable,
            folders,
        },
    )
}

fn find(variables: &[(&str, &str)], global: Global) -> Result<Endpoint, Error> {
    find_in(None, variables, global)
}

/// Options that say this.
fn with(key: &'static str, value: &str) -> Global {
    Global {
        settings: Settings::default().with(key, value),
        ..Global::default()
    }
}

#[test]
fn this_machine_unless_told_otherwise() {
    let endpoint = find(&[], Global::default()).unwrap();
    assert_eq!(endpoint.address.unwrap(), "http://127.0.0.1:6385");
    assert_eq!(endpoint.auth, Auth::None);
    assert_eq!(endpoint.version, None);
}

#[test]
fn options_win_over_variables_and_overrides_over_addresses() {
    let option = with("endpoint", "http://option:1");
    let variables = [
        ("OS_BAREMETAL_ENDPOINT_OVERRIDE", "http://override:2"),
        ("OS_ENDPOINT", "http://variable:3"),
    ];
    assert_eq!(
        find(&variables, option).unwrap().address.unwrap(),
        "http://option:1"
    );
    assert_eq!(
        find(&variables, Global::default())
            .unwrap()
            .address
            .unwrap(),
        "http://override:2"
    );
    assert_eq!(
        find(&variables[1..], Global::default())
            .unwrap()
            .address
            .unwrap(),
        "http://variable:3"
    );
}

#[test]
fn an_empty_variable_is_not_set() {
    let endpoint = find(&[("OS_ENDPOINT", ""), ("OS_TOKEN", "")], Global::default()).unwrap();
    assert_eq!(endpoint.address.unwrap(), "http://127.0.0.1:6385");
    assert_eq!(endpoint.auth, Auth::None);
}

#[test]
fn the_prefix_of_the_api_is_not_part_of_the_address() {
    for (given, expected) in [
        ("http://h:6385/", "http://h:6385"),
        ("http://h:6385/v1/", "http://h:6385"),
        ("https://h/baremetal/v1", "https://h/baremetal"),
        ("https://h/baremetal//", "https://h/baremetal"),
    ] {
        assert_eq!(base(given).unwrap(), expected);
    }
    for wrong in ["h:6385", "ftp://h", "http://", "http://h?x=1", ""] {
        assert_eq!(base(wrong).unwrap_err().exit_code(), 2, "{wrong}");
    }
}

#[test]
fn a_token_is_used_without_naming_a_type() {
    let endpoint = find(&[("OS_TOKEN", "t")], Global::default()).unwrap();
    assert_eq!(endpoint.auth, Auth::Token(Secret("t".into())));
}

#[test]
fn basic_needs_both_halves() {
    let both = [
        ("OS_AUTH_TYPE", "http_basic"),
        ("OS_USERNAME", "u"),
        ("OS_PASSWORD", "p"),
    ];
    let expected = Auth::Basic {
        username: "u".into(),
        password: Secret("p".into()),
    };
    assert_eq!(find(&both, Global::default()).unwrap().auth, expected);
    assert_eq!(
        find(&both[..2], Global::default()).unwrap_err().exit_code(),
        2
    );
}

#[test]
fn types_nobody_knows_are_refused_with_what_would_work() {
    let variables = [
        ("OS_AUTH_TYPE", "v3kerberos"),
        ("OS_AUTH_URL", "http://keystone"),
    ];
    let lines = find(&variables, Global::default()).unwrap_err().lines();
    assert!(lines[0].contains("password, token and v3app"), "{lines:?}");
    assert!(lines[1].contains("OS_TOKEN"), "{lines:?}");
}

#[test]
fn secrets_do_not_show_in_debug_output() {
    let global = with("password", "hunter2");
    assert!(!format!("{global:?}").contains("hunter2"));
}

#[test]
fn every_option_is_in_the_help() {
    let command = Global::augment_args(clap::Command::new("test"));
    for option in command.get_arguments().filter_map(clap::Arg::get_long) {
        let named = CONNECTION_HELP.split([' ', ',', '\n']);
        let option = format!("--{option}");
        assert!(named.clone().any(|word| word == option), "{option}");
    }
}

#[test]
fn versions_are_latest_or_a_number() {
    let version = |text: &str| {
        find(&[("OS_BAREMETAL_API_VERSION", text)], Global::default()).map(|found| found.version)
    };
    assert_eq!(version("latest").unwrap(), None);
    assert_eq!(version("1.80").unwrap(), Some("1.80".parse().unwrap()));
    assert_eq!(version("newest").unwrap_err().exit_code(), 2);
}

const CLOUDS: &str = "
clouds:
  lab:
    auth_type: none
    baremetal_endpoint_override: http://lab:6385/v1
    verify: false
  door:
    auth_type: http_basic
    auth:
      endpoint: https://door
      username: admin
    cacert: /etc/door.pem
    baremetal_api_version: '1'
";

#[test]
fn a_cloud_fills_in_what_nobody_else_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("clouds.yaml"), CLOUDS).unwrap();
    std::fs::write(
        folder.path().join("secure.yaml"),
        "clouds: {door: {auth: {password: 1234}}}",
    )
    .unwrap();

    let lab = find_in(
        Some(folder.path()),
        &[("OS_CLOUD", "lab")],
        Global::default(),
    )
    .unwrap();
    assert_eq!(
        (lab.address.as_deref(), lab.tls.insecure),
        (Some("http://lab:6385"), true)
    );

    let door = Global {
        os_cloud: Some("door".into()),
        ..Global::default()
    };
    let door = find_in(Some(folder.path()), &[("OS_CLOUD", "lab")], door).unwrap();
    assert_eq!(door.address.as_deref(), Some("https://door"));
    let expected = Auth::Basic {
        username: "admin".into(),
        password: Secret("1234".into()),
    };
    assert_eq!(door.auth, expected);
    assert_eq!(door.tls.cacert, Some(PathBuf::from("/etc/door.pem")));
    assert_eq!(door.version, None);

    let variables = [("OS_CLOUD", "lab"), ("OS_ENDPOINT", "http://elsewhere")];
    let moved = find_in(Some(folder.path()), &variables, Global::default()).unwrap();
    assert_eq!(moved.address.as_deref(), Some("http://elsewhere"));
}

#[test]
fn a_cloud_nobody_knows_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let lost = find_in(
        Some(folder.path()),
        &[("OS_CLOUD", "lab")],
        Global::default(),
    );
    assert!(lost.unwrap_err().message().contains("no clouds.yaml"));
    std::fs::write(folder.path().join("clouds.yaml"), CLOUDS).unwrap();
    let lost = find_in(
        Some(folder.path()),
        &[("OS_CLOUD", "moon")],
        Global::default(),
    );
    assert!(lost.unwrap_err().message().contains("it has: lab, door"));
    std::fs::write(folder.path().join("clouds.yaml"), "clouds: [").unwrap();
    let broken = find_in(
        Some(folder.path()),
        &[("OS_CLOUD", "lab")],
        Global::default(),
    );
    assert!(broken.unwrap_err().message().contains("is not YAML"));
}
