//! `corten node power` and `reboot`.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Names, for_each};
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;

pub(super) fn leaves() -> [Leaf; 3] {
    [
        Leaf::new(
            "node power on",
            "Switch machines on",
            async |on: On, session: &mut Session| {
                switch(session, &on.names, "power on", &on.timeout).await
            },
        ),
        Leaf::new(
            "node power off",
            "Switch machines off",
            async |off: Off, session: &mut Session| {
                let target = if off.soft {
                    "soft power off"
                } else {
                    "power off"
                };
                switch(session, &off.names, target, &off.timeout).await
            },
        ),
        Leaf::new(
            "node reboot",
            "Restart machines",
            async |off: Off, session: &mut Session| {
                let target = if off.soft {
                    "soft rebooting"
                } else {
                    "rebooting"
                };
                switch(session, &off.names, target, &off.timeout).await
            },
        ),
    ]
}

#[derive(Debug, Args)]
struct On {
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    timeout: Timeout,
}

#[derive(Debug, Args)]
struct Off {
    #[command(flatten)]
    names: Names,
    /// Ask the operating system to do it
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
