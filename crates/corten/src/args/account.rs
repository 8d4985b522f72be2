//! The command line of `corten user`, `group`, `role` and `token`.
//!
//! What they say is of the client, which asks a service. Here they also get the options of a
//! configuration, with which they work on its database, and `user` those of a file of users.

use super::Common;
use clap::{Arg, ArgMatches, Args, FromArgMatches, value_parser};
use std::path::PathBuf;

/// The words that such commands begin with.
const GROUPS: &[&str] = &["user", "group", "role", "token"];
/// What can be done with a file of users, and with nothing else.
const DELETE: &str = "delete";
const FILE: &str = "file";

#[derive(Debug)]
pub struct Account {
    /// What it does in a service; nothing if only a file can be meant.
    pub client: Option<cli::Command>,
    /// What it does in a file of users, if that can be meant.
    pub in_file: Option<InFile>,
    /// The file that is named.
    pub file: Option<PathBuf>,
    pub common: Common,
}

/// What can be done with a file of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InFile {
    Add(String),
    List,
    Delete(String),
}

impl Account {
    /// Adds the options that are ours to the commands of the client.
    pub(super) fn described(program: clap::Command) -> clap::Command {
        GROUPS.iter().fold(program, |program, group| {
            program.mut_subcommand(group, |mut command| {
                let names: Vec<String> = command
                    .get_subcommands()
                    .map(|below| below.get_name().to_owned())
                    .collect();
                for name in names {
                    let has_file = *group == "user" && matches!(name.as_str(), "add" | "list");
                    command = command.mut_subcommand(name, |leaf| {
                        let leaf = Common::augment_args(leaf);
                        match has_file {
                            true => leaf.arg(file()),
                            false => leaf,
                        }
                    });
                }
                match *group {
                    "user" => command.subcommand(delete()),
                    _ => command,
                }
            })
        })
    }

    /// One of these commands, if it was typed.
    pub(super) fn read(matches: &ArgMatches) -> Result<Option<Self>, clap::Error> {
        let Some((group, matched)) = matches.subcommand() else {
            return Ok(None);
        };
        let Some((word, args)) = matched.subcommand().filter(|_| GROUPS.contains(&group)) else {
            return Ok(None);
        };
        let name = || args.get_one::<String>("name").cloned().unwrap_or_default();
        let in_file = match (group, word) {
            ("user", "add") => Some(InFile::Add(name())),
            ("user", "list") => Some(InFile::List),
            ("user", DELETE) => Some(InFile::Delete(name())),
            _ => None,
        };
        let is_of_file = word == DELETE && group == "user";
        Ok(Some(Self {
            client: match is_of_file {
                true => None,
                false => Some(cli::Command::from_arg_matches(matches)?),
            },
            file: match in_file {
                Some(_) => args.get_one::<PathBuf>(FILE).cloned(),
                None => None,
            },
            in_file,
            common: Common::from_arg_matches(args)?,
        }))
    }
}

fn file() -> Arg {
    Arg::new(FILE)
        .long(FILE)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("File of users of auth_strategy=http_basic")
}

fn delete() -> clap::Command {
    let command = clap::Command::new(DELETE)
        .about("Take a user out of a file of users")
        .arg(Arg::new("name").required(true).help("Name of the user"))
        .arg(file());
    Common::augment_args(command)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Command, Program},
        *,
    };

    fn parse(line: &str) -> Account {
        let matches = Program::described().try_get_matches_from(line.split(' '));
        match Program::read(&matches.unwrap()).unwrap().command {
            Command::Account(account) => *account,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn what_is_meant_for_a_file_is_told_apart() {
        let add = parse("corten user add ada --file ./users");
        assert_eq!(add.in_file, Some(InFile::Add("ada".into())));
        assert_eq!(add.file, Some("./users".into()));
        assert!(!add.common.is_given());
        let list = parse("corten user list --config-file c");
        assert_eq!((list.in_file, list.file), (Some(InFile::List), None));
        assert!(list.common.is_given() && list.client.is_some());
        let delete = parse("corten user delete ada --file ./users");
        assert!(delete.client.is_none());
        assert_eq!(delete.in_file, Some(InFile::Delete("ada".into())));
        let remove = parse("corten user rm ada --data-dir d");
        assert!(remove.client.is_some() && remove.in_file.is_none());
        let token = parse("corten token create ci --user ada --set a.b=c");
        assert!(token.client.is_some() && token.common.is_given());
    }
}
