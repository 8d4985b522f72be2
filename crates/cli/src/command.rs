//! The tree of commands, made from a flat list.
//!
//! The stock client has a flat list of commands of one to five words ("node boot device set"). So
//! has this one: each is a [`Leaf`], and the nested subcommands that the parser wants are made
//! from the words. A leaf knows its arguments and what to do with them, nothing else does.

use std::fmt;
use std::pin::Pin;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use crate::error::Error;
use crate::{Session, help_footer};

/// A command somebody can type.
pub(crate) struct Leaf {
    pub(crate) words: String,
    about: String,
    args: Box<dyn FnOnce(clap::Command) -> clap::Command>,
    read: Box<Read>,
}

type Read = dyn FnOnce(&ArgMatches) -> Result<Act, clap::Error>;

/// A command read from the command line, to be run once.
type Act = Box<dyn for<'s> FnOnce(&'s mut Session) -> Running<'s>>;
type Running<'s> = Pin<Box<dyn Future<Output = Result<(), Error>> + 's>>;

/// What a word that only leads to commands is about, and what its help ends with.
pub(crate) struct Group {
    pub(crate) words: &'static str,
    pub(crate) about: &'static str,
    pub(crate) more: &'static str,
}

impl Leaf {
    /// A command whose arguments are a type.
    pub(crate) fn new<A, F>(words: impl Into<String>, about: impl Into<String>, run: F) -> Self
    where
        A: clap::Args + 'static,
        F: AsyncFnOnce(A, &mut Session) -> Result<(), Error> + 'static,
    {
        Self::of_table(words, about, A::augment_args, A::from_arg_matches, run)
    }

    /// A command whose arguments are made from a table.
    pub(crate) fn of_table<A, F>(
        words: impl Into<String>,
        about: impl Into<String>,
        args: impl FnOnce(clap::Command) -> clap::Command + 'static,
        read: impl FnOnce(&ArgMatches) -> Result<A, clap::Error> + 'static,
        run: F,
    ) -> Self
    where
        A: 'static,
        F: AsyncFnOnce(A, &mut Session) -> Result<(), Error> + 'static,
    {
        Self {
            words: words.into(),
            about: about.into(),
            args: Box::new(args),
            read: Box::new(move |matches| {
                let args = read(matches)?;
                let act: Act =
                    Box::new(move |session| Box::pin(async move { run(args, session).await }));
                Ok(act)
            }),
        }
    }
}

/// A client command, ready to run.
pub struct Command {
    words: String,
    pub(crate) act: Act,
}

impl Command {
    /// A command that was not typed.
    pub(crate) fn of<F>(words: &str, run: F) -> Self
    where
        F: AsyncFnOnce(&mut Session) -> Result<(), Error> + 'static,
    {
        Self {
            words: words.to_owned(),
            act: Box::new(move |session| Box::pin(async move { run(session).await })),
        }
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Command").field(&self.words).finish()
    }
}

impl Subcommand for Command {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let leaves = crate::leaves();
        let paths = leaves.into_iter().map(|leaf| {
            let words: Vec<String> = leaf.words.split(' ').map(str::to_owned).collect();
            (words, leaf)
        });
        grow(command, "", paths.collect())
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        let first = |leaf: &Leaf| leaf.words.split(' ').next() == Some(name);
        crate::leaves().iter().any(first)
    }
}

/// A command, and the words of it that are still to come.
type Pending = (Vec<String>, Leaf);

/// Adds the commands that begin with these words below a command, in the order they come.
fn grow(mut command: clap::Command, prefix: &str, leaves: Vec<Pending>) -> clap::Command {
    let mut groups: Vec<(String, Vec<Pending>)> = Vec::new();
    for (mut words, leaf) in leaves {
        let word = words.remove(0);
        let index = groups.iter().position(|(known, _)| *known == word);
        match index.and_then(|index| groups.get_mut(index)) {
            Some((_, members)) => members.push((words, leaf)),
            None => groups.push((word, vec![(words, leaf)])),
        }
    }
    for (word, mut members) in groups {
        let child = clap::Command::new(word.clone());
        let is_leaf = members.first().is_some_and(|(rest, _)| rest.is_empty());
        command = command.subcommand(match members.pop() {
            Some((_, leaf)) if is_leaf && members.is_empty() => {
                (leaf.args)(child).about(leaf.about)
            }
            last => {
                members.extend(last);
                let words = format!("{prefix}{word}");
                let group = crate::GROUPS.iter().find(|group| group.words == words);
                // A command of its own, besides those that begin with it.
                let own = members.iter().position(|(rest, _)| rest.is_empty());
                let own = own.map(|index| members.remove(index).1);
                let mut child = match own {
                    Some(leaf) => (leaf.args)(child).args_conflicts_with_subcommands(true),
                    None => child.subcommand_required(true),
                };
                child = child
                    .arg_required_else_help(true)
                    .about(group.map_or("", |group| group.about));
                if prefix.is_empty() {
                    let more = group.map_or("", |group| group.more);
                    child = child.after_help(format!("{more}{}", help_footer()));
                }
                grow(child, &format!("{words} "), members)
            }
        });
    }
    command
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words = Vec::new();
        let mut matches = matches;
        while let Some((word, below)) = matches.subcommand() {
            words.push(word);
            matches = below;
        }
        let words = words.join(" ");
        let leaf = crate::leaves().into_iter().find(|leaf| leaf.words == words);
        let leaf =
            leaf.ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))?;
        Ok(Self {
            act: (leaf.read)(matches)?,
            words,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
