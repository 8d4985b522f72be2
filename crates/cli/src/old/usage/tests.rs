//! Usage, help and completion as they are laid out.

use super::*;
use crate::old::commands::find;

#[track_caller]
fn check(name: &str, width: usize, expected: &str) {
    assert_eq!(of_command(find(name).unwrap(), width), expected);
}

#[test]
fn usage_is_laid_out_as_argparse_does() {
    check(
        "node-update",
        78,
        "usage: ironic node-update <node> <op> <path=value> [<path=value> ...]\n",
    );
    check(
        "node-set-provision-state",
        78,
        "\
usage: ironic node-set-provision-state [--config-drive <config-drive>]
                                       [--clean-steps <clean-steps>]
                                       [--wait [WAIT_TIMEOUT]]
                                       <node> <provision-state>
",
    );
    check(
        "volume-target-create",
        78,
        "\
usage: ironic volume-target-create [-e <key=value>] -n <node> -t <volume type>
                                   [-p <key=value>] -b <boot index> -i <volume
                                   id> [-u <uuid>]
",
    );
    check("help", 78, "usage: ironic help [<subcommand>]\n");
}

#[test]
fn help_says_what_a_command_is_called_today() {
    let help = command_help(find("node-set-maintenance").unwrap(), 78);
    for part in [
        "usage: ironic node-set-maintenance [--reason <reason>]\n",
        "\nPositional arguments:\n  <node>                Name or UUID of the node.\n",
        "\nOptions:\n  --reason <reason>     Why; only with true.\n",
        "\nToday: corten node maintenance set, corten node maintenance unset\n",
    ] {
        assert!(help.contains(part), "{part}{help}");
    }
    let create = command_help(find("node-create").unwrap(), 78);
    assert!(create.contains("\nRequired arguments:\n  -d <driver>, --driver <driver>\n"));
    assert!(!create.contains("--driver_info"), "{create}");
}

#[test]
fn the_programs_help_lists_every_sub_command() {
    let help = program_help(78);
    for command in commands::all() {
        assert!(
            help.contains(&format!("    {}", command.name)),
            "{}",
            command.name
        );
    }
    assert!(help.contains("--ironic-api-version IRONIC_API_VERSION"));
    assert!(
        help.lines().all(|line| line.chars().count() <= 78),
        "{help}"
    );
}

#[test]
fn completion_has_all_words_once() {
    let words = completion();
    let words: Vec<&str> = words.split_whitespace().collect();
    for word in [
        "node-list",
        "--fields",
        "-d",
        "--driver_info",
        "help",
        "--help",
    ] {
        assert_eq!(
            words.iter().filter(|one| **one == word).count(),
            1,
            "{word}"
        );
    }
    assert!(!words.contains(&"bash-completion"));
}
