//! Command lines that are understood, and how the help stands.

use super::*;

fn parse(line: &str) -> Result<Program, clap::Error> {
    let matches = Program::described().try_get_matches_from(line.split(' '))?;
    Program::read(&matches)
}

#[test]
fn a_conductor_runs_unless_something_is_asked_about_conductors() {
    let role = |line: &str| match parse(line).unwrap().command {
        Command::Conductor(args) => args.common.set.len(),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(role("corten conductor"), 0);
    assert_eq!(role("corten conductor --set a.b=c --data-dir d"), 1);
    for line in ["corten conductor list", "corten conductor show c1"] {
        let command = parse(line).unwrap().command;
        assert!(matches!(command, Command::Client(_)), "{line}");
    }
    let line = "corten api --set a.b=c";
    assert!(matches!(parse(line).unwrap().command, Command::Api(_)));
}

#[test]
fn an_image_is_a_file_or_one_of_the_service() {
    for line in ["corten image inspect x.qcow2", "corten image build"] {
        let command = parse(line).unwrap().command;
        assert!(matches!(command, Command::Image(_)), "{line}");
    }
    for line in [
        "corten image add debian-13",
        "corten image list --os-endpoint http://h",
        "corten image rm a b --force",
    ] {
        let command = parse(line).unwrap().command;
        assert!(matches!(command, Command::Client(_)), "{line}");
    }
    assert!(parse("corten image inspect").is_err());
}

#[test]
fn a_driver_is_a_program_or_one_of_the_service() {
    let command = parse("corten driver test ./acme --change").unwrap().command;
    assert!(matches!(command, Command::Driver(_)));
    let command = parse("corten driver list").unwrap().command;
    assert!(matches!(command, Command::Client(_)));
    let launch = parse("corten __driver 7 0 /acme").unwrap().command;
    assert!(matches!(launch, Command::LaunchDriver { parent: 7, .. }));
    let watch = parse("corten __playbook 15000 play /a.yaml -i b --tags=x").unwrap();
    let Command::WatchPlaybook {
        patience: 15_000,
        program,
        arguments,
    } = watch.command
    else {
        panic!("another command");
    };
    assert_eq!(program, "play");
    assert_eq!(arguments, ["/a.yaml", "-i", "b", "--tags=x"]);
}

#[test]
fn every_command_stands_under_one_heading() {
    let mut program = Program::described();
    program.build();
    let grouped: Vec<&str> = HEADINGS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    let shown = program.get_subcommands().filter(|one| !one.is_hide_set());
    let mut names: Vec<&str> = shown.map(clap::Command::get_name).collect();
    let mut listed = grouped.clone();
    names.sort_unstable();
    listed.sort_unstable();
    assert_eq!(names, listed);
    let help = program.render_help().to_string();
    for heading in [
        "Machines:",
        "The service:",
        "  node ",
        "Options:",
        "First steps:",
    ] {
        assert!(help.contains(heading), "{heading}: {help}");
    }
}

/// The option that every command shows says where the others are, and there they are.
#[test]
fn the_help_of_a_kind_ends_with_the_connection_options() {
    let mut program = Program::described();
    program.build();
    let clients = program.get_subcommands().filter(|one| {
        let name = one.get_name();
        one.has_subcommands() && name != "help" && !WITHOUT_CONNECTION.contains(&name)
    });
    let kinds: Vec<clap::Command> = clients.cloned().collect();
    assert!(kinds.len() > 8, "{}", kinds.len());
    for mut kind in kinds {
        let (name, help) = (kind.get_name().to_owned(), kind.render_help().to_string());
        let (above, below) = help
            .split_once("ends with more such options")
            .unwrap_or_else(|| panic!("{name}: {help}"));
        assert!(!above.contains("--os-cloud"), "{name}: {help}");
        assert!(below.contains("--os-cloud NAME"), "{name}: {help}");
        assert!(!help.contains(&format!("`corten {name} --help`")), "{help}");
    }
}

#[test]
fn the_command_line_is_sound() {
    Program::described().debug_assert();
}

#[test]
fn serve_takes_common_flags_and_insecure() {
    let line = "corten serve --config-file a --config-file b --data-dir d --set x.y=z --insecure";
    let Command::Serve(serve) = parse(line).unwrap().command else {
        panic!("not serve");
    };
    assert!(serve.insecure);
    assert_eq!(serve.common.config_file, [PathBuf::from("a"), "b".into()]);
    assert_eq!(serve.common.data_dir, Some("d".into()));
    assert_eq!(serve.common.set, ["x.y=z"]);
    let Command::Serve(serve) = parse("corten serve").unwrap().command else {
        panic!("not serve");
    };
    assert!(!serve.insecure);
}

#[test]
fn client_commands_take_connection_options_on_either_side() {
    for line in [
        "corten --os-endpoint http://h node list",
        "corten node list --os-endpoint http://h",
    ] {
        let program = parse(line).unwrap();
        assert!(matches!(program.command, Command::Client(_)), "{line}");
        assert!(
            format!("{:?}", program.connection).contains("http://h"),
            "{line}"
        );
    }
}

#[test]
fn only_client_commands_show_connection_options() {
    let mut program = Program::described();
    program.build();
    let mut help = |name: &str| {
        let command = program.find_subcommand_mut(name).unwrap();
        command.render_long_help().to_string()
    };
    assert!(help("node").contains("--os-endpoint"));
    for name in WITHOUT_CONNECTION {
        assert!(!help(name).contains("--os-"), "{name}");
    }
    assert!(help("serve").contains("--insecure"));
    assert!(!help("serve").contains("certificate"));
}

#[test]
fn database_commands_take_common_flags() {
    let line = "corten db rotate-key --data-dir d";
    let Command::Db(Db::RotateKey(common)) = parse(line).unwrap().command else {
        panic!("not rotate-key");
    };
    assert_eq!(common.data_dir, Some("d".into()));
}
