//! `corten node power` and `reboot`.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Names, for_each};
use crate::Session;
use crate::client::Call;
use crate::error::Error;

#[derive(Debug, Args)]
pub(crate) struct Power {
    #[command(subcommand)]
    verb: PowerVerb,
}

#[derive(Debug, Subcommand)]
enum PowerVerb {
    /// Switch machines on
    On {
        #[command(flatten)]
        names: Names,
        #[command(flatten)]
        timeout: Timeout,
    },
    /// Switch machines off
    Off {
        #[command(flatten)]
        names: Names,
        /// Ask the operating system to shut down
        #[arg(long)]
        soft: bool,
        #[command(flatten)]
        timeout: Timeout,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Reboot {
    #[command(flatten)]
    names: Names,
    /// Ask the operating system to restart
    #[arg(long)]
    soft: bool,
    #[command(flatten)]
    timeout: Timeout,
}

#[derive(Debug, Args)]
struct Timeout {
    /// Seconds the machine has to follow before that counts as failed
    #[arg(
        long = "power-timeout",
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    seconds: Option<u32>,
}

impl Power {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        match self.verb {
            PowerVerb::On { names, timeout } => switch(session, &names, "power on", &timeout).await,
            PowerVerb::Off {
                names,
                soft,
                timeout,
            } => {
                let target = if soft { "soft power off" } else { "power off" };
                switch(session, &names, target, &timeout).await
            }
        }
    }
}

impl Reboot {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        let target = if self.soft {
            "soft rebooting"
        } else {
            "rebooting"
        };
        switch(session, &self.names, target, &self.timeout).await
    }
}

async fn switch(
    session: &Session,
    names: &Names,
    target: &str,
    timeout: &Timeout,
) -> Result<(), Error> {
    let mut body = json!({"target": target});
    if let Some(seconds) = timeout.seconds {
        body["timeout"] = Value::from(seconds);
    }
    for_each(session, &names.nodes, |node| {
        Ok(Call::new(Method::PUT, &["nodes", node, "states", "power"])?.body(body.clone()))
    })
    .await
}
