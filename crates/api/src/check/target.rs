//! The `target` of a provision request: the words that clients use for verbs.

use types::{ApiVersion, Verb, version::since};

types::wire_enum! {
    /// A word that the API takes for a verb.
    pub enum Target {
        Active = "active",
        Deploy = "deploy",
        Rebuild = "rebuild",
        Deleted = "deleted",
        Undeploy = "undeploy",
        Manage = "manage",
        Provide = "provide",
        Inspect = "inspect",
        Adopt = "adopt",
        Clean = "clean",
        Service = "service",
        Rescue = "rescue",
        Unrescue = "unrescue",
        Abort = "abort",
        Unhold = "unhold",
    }
}

impl Target {
    fn verb(self) -> Verb {
        match self {
            Self::Active | Self::Deploy => Verb::Deploy,
            Self::Rebuild => Verb::Rebuild,
            Self::Deleted | Self::Undeploy => Verb::Delete,
            Self::Manage => Verb::Manage,
            Self::Provide => Verb::Provide,
            Self::Inspect => Verb::Inspect,
            Self::Adopt => Verb::Adopt,
            Self::Clean => Verb::Clean,
            Self::Service => Verb::Service,
            Self::Rescue => Verb::Rescue,
            Self::Unrescue => Verb::Unrescue,
            Self::Abort => Verb::Abort,
            Self::Unhold => Verb::Unhold,
        }
    }
}

/// The word that clients use for a verb; none for events that only the conductor says.
pub(crate) fn word(verb: Verb) -> Option<Target> {
    Target::ALL
        .iter()
        .copied()
        .find(|target| target.verb() == verb)
}

/// What a client may mean by a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Target(Target),
    /// An event of the transition table that is no word of the API, such as `delete` or `done`.
    /// Ironic notices that last.
    Event(Verb),
    Nothing,
}

impl Meaning {
    pub(crate) fn of(word: &str) -> Self {
        match (word.parse(), word.parse()) {
            (Ok(target), _) => Self::Target(target),
            (Err(_), Ok(event)) => Self::Event(event),
            (Err(_), Err(_)) => Self::Nothing,
        }
    }

    /// The event that the transition table is asked for.
    pub(crate) fn verb(self) -> Option<Verb> {
        match self {
            Self::Target(target) => Some(target.verb()),
            Self::Event(verb) => Some(verb),
            Self::Nothing => None,
        }
    }

    /// The version in which a verb became available. `unhold` and `service` are judged later: in a
    /// wrong state the client is told about the state first.
    pub(crate) fn first_version(self) -> ApiVersion {
        match self {
            Self::Target(target) => match target {
                Target::Manage | Target::Provide => since::MANAGE_PROVIDE_VERBS,
                Target::Inspect => since::INSPECTION,
                Target::Abort => since::ABORT_VERB,
                Target::Clean => since::CLEAN_VERB,
                Target::Adopt => since::ADOPT_VERB,
                Target::Rescue | Target::Unrescue => since::RESCUE,
                Target::Deploy => since::DEPLOY_VERBS,
                Target::Active
                | Target::Rebuild
                | Target::Deleted
                | Target::Undeploy
                | Target::Service
                | Target::Unhold => since::BASE,
            },
            Self::Event(Verb::Delete) => since::DEPLOY_VERBS,
            Self::Event(_) | Self::Nothing => since::BASE,
        }
    }
}
