//! Adopting: a machine that already runs its instance becomes `active` without a deploy.

use super::reason;
use crate::{
    inband,
    task::{Stop, Task},
};
use drivers::DriverError;
use types::Verb;

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    let outcome = take_over(task).await;
    let mut story = task.story();
    match outcome {
        Ok(()) => task.process(Verb::Done, &mut story),
        Err(error) => {
            let why = reason(&task.node, &error);
            task.node.power_state = None;
            let text = format!("Error while attempting to adopt node {}: {why}", task.id());
            task.blame(&error);
            task.error(&mut story, "adoption", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

async fn take_over(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    hardware.boot.validate(&task.machine()).await?;
    inband::take_over(task).await?;
    if task.node.console_enabled {
        let (lease, mut machine) = task.hands()?;
        hardware.console.start(lease, &mut machine).await?;
    }
    task.node.conductor_affinity = Some(task.settings().host.clone());
    Ok(())
}
