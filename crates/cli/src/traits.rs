//! `trait list|add|remove`, of nodes and of runbooks.
//!
//! For nodes the stock client also knows `add trait` and `remove trait`, and so does this one.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};

/// The commands for the traits of a kind of resource, which is at this path.
pub(crate) fn leaves(noun: &'static str, path: &'static str) -> [Leaf; 3] {
    [
        Leaf::new(
            format!("{noun} trait list"),
            "List traits",
            async move |list: List, session: &mut Session| {
                let owner = Owner { noun, path };
                owner.list(&list, session).await
            },
        ),
        add(format!("{noun} trait add"), Owner { noun, path }),
        remove(format!("{noun} trait remove"), Owner { noun, path }),
    ]
}

/// The same with the words in another order.
pub(crate) fn swapped_leaves(noun: &'static str, path: &'static str) -> [Leaf; 2] {
    [
        add(format!("{noun} add trait"), Owner { noun, path }),
        remove(format!("{noun} remove trait"), Owner { noun, path }),
    ]
}

fn add(words: String, owner: Owner) -> Leaf {
    Leaf::new(
        words,
        "Add traits",
        async move |added: Added, session: &mut Session| {
            owner
                .each(&added.id, &added.traits, Method::PUT, "Added", session)
                .await
        },
    )
}

fn remove(words: String, owner: Owner) -> Leaf {
    Leaf::new(
        words,
        "Remove traits",
        async move |removed: Removed, session: &mut Session| {
            if removed.all {
                return owner.clear(&removed.id, session).await;
            }
            owner
                .each(
                    &removed.id,
                    &removed.traits,
                    Method::DELETE,
                    "Removed",
                    session,
                )
                .await
        },
    )
}

#[derive(Debug, Args)]
struct List {
    /// Name or UUID
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, Args)]
struct Added {
    /// Name or UUID
    #[arg(value_name = "ID")]
    id: String,
    /// Traits, such as HW_CPU_X86_VMX or CUSTOM_GPU
    #[arg(value_name = "TRAIT", required = true)]
    traits: Vec<String>,
}

#[derive(Debug, Args)]
struct Removed {
    /// Name or UUID
    #[arg(value_name = "ID")]
    id: String,
    /// Remove them all
    #[arg(long, conflicts_with = "traits")]
    all: bool,
    /// Traits to remove
    #[arg(value_name = "TRAIT", required_unless_present = "all")]
    traits: Vec<String>,
}

/// What has the traits.
struct Owner {
    noun: &'static str,
    path: &'static str,
}

impl Owner {
    async fn list(&self, list: &List, session: &mut Session) -> Result<(), Error> {
        let call = Call::get(&[self.path, &list.id, "traits"])?;
        let traits = session.client.list(&call, "traits", None).await;
        let rows: Vec<Vec<Value>> = traits
            .map_err(|error| self.about(error, &list.id))?
            .into_iter()
            .map(|name| vec![name])
            .collect();
        output::print_list(&mut session.console, &list.output, &["traits"], rows)
    }

    async fn clear(&self, id: &str, session: &mut Session) -> Result<(), Error> {
        let call = Call::new(Method::DELETE, &[self.path, id, "traits"])?;
        let answer = session.client.send(&call).await;
        answer.map_err(|error| self.about(error, id))?;
        session
            .console
            .line(&format!("Removed all traits from {} {id}", self.noun))
    }

    /// Does one thing with each trait; one that fails does not keep the others from their turn.
    async fn each(
        &self,
        id: &str,
        traits: &[String],
        method: Method,
        done: &str,
        session: &mut Session,
    ) -> Result<(), Error> {
        let mut failures = Vec::new();
        for name in traits {
            let call = Call::new(method.clone(), &[self.path, id, "traits", name])?;
            match session.client.send(&call).await {
                Ok(_) => session.console.line(&format!("{done} trait {name}"))?,
                Err(error) => {
                    failures.push(error.about(format!("{} {id}: trait {name}", self.noun)));
                }
            }
        }
        Error::all(failures)
    }

    fn about(&self, error: Error, id: &str) -> Error {
        error.about(format!("{} {id}", self.noun))
    }
}
