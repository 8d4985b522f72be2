//! That the tables of sub-commands are whole and agree with themselves.

use super::*;

/// The sub-commands of the Liberty release.
const LIBERTY: &str = "chassis-create chassis-delete chassis-list chassis-node-list chassis-show \
    chassis-update driver-list driver-properties driver-show driver-vendor-passthru node-create \
    node-delete node-get-boot-device node-get-console node-get-supported-boot-devices node-list \
    node-port-list node-set-boot-device node-set-console-mode node-set-maintenance \
    node-set-power-state node-set-provision-state node-show node-show-states node-update \
    node-validate node-vendor-passthru port-create port-delete port-list port-show port-update";

#[test]
fn every_sub_command_of_liberty_and_of_the_last_release_is_there() {
    let names: Vec<&str> = all().iter().map(|command| command.name).collect();
    for name in LIBERTY.split(' ') {
        assert!(names.contains(&name), "{name}");
    }
    // 57 and the two that ask nobody.
    assert_eq!(names.len(), 59);
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
}

#[test]
fn what_each_is_called_today_exists() {
    let leaves: Vec<String> = crate::leaves().into_iter().map(|leaf| leaf.words).collect();
    for command in all() {
        for words in command.today {
            let (words, option) = match words.split_once(" --") {
                Some((words, option)) => (words, Some(option)),
                None => (*words, None),
            };
            let known = leaves.iter().any(|leaf| leaf == words);
            assert!(known, "{}: {words}", command.name);
            assert_ne!(option, Some(""), "{}", command.name);
        }
    }
}

#[test]
fn no_two_arguments_of_a_command_share_a_name() {
    for command in all() {
        let mut names: Vec<&str> = command
            .arguments()
            .flat_map(|one| one.names.to_vec())
            .collect();
        names.sort_unstable();
        let many = names.len();
        names.dedup();
        assert_eq!(names.len(), many, "{}", command.name);
        for argument in command.arguments() {
            assert!(!argument.help.is_empty() || argument.instead.is_some());
        }
    }
}
