//! Running a batch, from wherever its rows say that it is.

use super::{
    ask::{self, Answer, ask},
    outcome::{self, Outcome},
};
use crate::core::Core;
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use store::{
    StoreError,
    batch::{self, BatchFence, Change, Turn},
    event::Bell,
};
use tokio::task::JoinSet;
use types::{
    Caller, Conductor, NodeId,
    batch::{Batch, BatchAction, BatchNode, BatchNodeState as N, BatchState},
    error::chain,
};

/// How often nodes are looked at although nothing was told about them.
const LOOK: Duration = Duration::from_secs(1);
/// The shortest time between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// The same while no node is at work.
const IDLE: Duration = Duration::from_millis(500);
/// How long to leave a database alone that does not answer.
const TROUBLE: Duration = Duration::from_secs(5);
/// After how long a node is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// Runs a batch in the background. Does nothing if it is being run here.
pub(super) fn begin(core: &Arc<Core>, crew: Arc<dyn Conductor>, batch: Batch) {
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        let Some(_running) = core.batches.begin(batch.id) else {
            return;
        };
        let fence = match batch::claim(&core.db, &batch, &core.me()).await {
            Ok(fence) => fence,
            // Another conductor was faster.
            Err(StoreError::Stale) => return,
            Err(error) => {
                tracing::warn!(batch = %batch.id, error = %chain(&error), "a batch cannot be taken on");
                return;
            }
        };
        tracing::info!(batch = %batch.id, state = %batch.state, "running a batch");
        if let Err(error) = Box::pin(run(&core, crew, batch.clone(), fence)).await {
            match error {
                // It was removed, or is another conductor's now.
                StoreError::Stale | StoreError::NotFound => {}
                error => {
                    tracing::warn!(batch = %batch.id, error = %chain(&error), "a batch is left for now");
                    // The pass finds it again.
                    let pause = tokio::time::sleep(TROUBLE);
                    core.leaving.run_until_cancelled(pause).await;
                }
            }
        }
    });
}

async fn run(
    core: &Arc<Core>,
    crew: Arc<dyn Conductor>,
    batch: Batch,
    fence: BatchFence,
) -> Result<(), StoreError> {
    let action = Arc::new(batch::action_of(&core.db, &batch)?);
    let mut run = Run {
        core: Arc::clone(core),
        crew,
        fence,
        action,
        active: BTreeMap::new(),
        calls: JoinSet::new(),
        failed: 0,
    };
    run.recover(&batch).await?;
    let mut bell = Bell::of(&core.db);
    loop {
        bell.listen();
        if !core.may_act(core.me().epoch) {
            return Ok(());
        }
        let Some(batch) = batch::find(&core.db, fence.id).await? else {
            return Ok(());
        };
        if batch.generation != fence.generation || batch.state.is_ended() {
            return Ok(());
        }
        run.follow(&batch).await?;
        if core.leaving.is_cancelled() {
            return run.leave(&batch).await;
        }
        let went_on = match run.decide(&batch).await {
            Ok(went_on) => went_on,
            // Somebody paused or aborted it just now.
            Err(StoreError::Stale) => true,
            Err(error) => return Err(error),
        };
        if went_on {
            continue;
        }
        let pause = match run.active.is_empty() {
            true => IDLE,
            false => PAUSE,
        };
        let rest = tokio::time::sleep(pause);
        core.leaving.run_until_cancelled(rest).await;
        tokio::select! {
            () = bell.rings() => {}
            () = tokio::time::sleep(LOOK) => {}
            () = core.leaving.cancelled() => {}
        }
    }
}

/// A node that was asked, or is about to be.
struct Active {
    node: BatchNode,
    phase: Phase,
    /// When it was first asked by us, without the time in which the batch did not run.
    since: Instant,
}

impl Active {
    fn new(node: BatchNode, phase: Phase, since: Instant) -> Self {
        Self { node, phase, since }
    }

    /// Lets the patience with a node begin anew that cannot be asked again for now.
    fn rest(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Due(_) | Phase::Unsure(_)) {
            self.since = now;
        }
    }
}

/// Whether nodes may be asked.
enum Hindered {
    /// None: the batch was stopped.
    Stopped,
    /// All but those at these places.
    Nodes(Vec<i64>),
}

enum Phase {
    /// The call is under way.
    Calling,
    /// To be asked (again), not before this.
    Due(Instant),
    /// Whether it accepted is to be learned from the log, and trusted to be complete from this on.
    Unsure(Instant),
    Accepted,
}

struct Run {
    core: Arc<Core>,
    crew: Arc<dyn Conductor>,
    fence: BatchFence,
    action: Arc<BatchAction>,
    active: BTreeMap<i64, Active>,
    calls: JoinSet<(i64, Answer)>,
    failed: i64,
}

impl Run {
    /// Takes up the nodes that an earlier run had asked.
    async fn recover(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let db = &self.core.db;
        let counts = batch::counts(db, batch.id).await?;
        let failed = counts.iter().find(|count| count.state == N::Failed);
        self.failed = failed.map_or(0, |count| count.nodes);
        // What the conductor before us asked of a third one may be accepted only now.
        let echo = match self.core.settings.url {
            Some(_) => self.core.settings.heartbeat_timeout / 2,
            None => Duration::ZERO,
        };
        for state in [N::Asked, N::Running] {
            // There are never more than may work at a time.
            for node in batch::nodes(db, batch.id, Some(state), -1, MOST_ACTIVE).await? {
                let now = Instant::now();
                let phase = match state {
                    N::Asked => Phase::Unsure(now + echo),
                    _ => Phase::Accepted,
                };
                let active = Active::new(node, phase, now);
                self.active.insert(active.node.place, active);
            }
        }
        Ok(())
    }

    /// Takes the answers of nodes, and looks how those fare that have accepted.
    async fn follow(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let mut changes = Vec::new();
        while let Some(ended) = self.calls.try_join_next() {
            if let Ok((place, answer)) = ended {
                self.answered(place, answer, &mut changes);
            }
        }
        if self.calls.is_empty() {
            // A call that panicked has no answer.
            for active in self.active.values_mut() {
                if matches!(active.phase, Phase::Calling) {
                    active.phase = Phase::Unsure(Instant::now());
                }
            }
        }
        self.ask_the_log(batch, &mut changes).await?;
        self.look(batch, &mut changes).await?;
        if changes.is_empty() {
            return Ok(());
        }
        self.settle(changes).await
    }

    /// Writes what became of nodes, and works no longer on those that have ended.
    async fn settle(&mut self, changes: Vec<Change>) -> Result<(), StoreError> {
        batch::settle(&self.core.db, self.fence, changes.clone()).await?;
        for change in changes {
            match change.state {
                N::Failed => self.failed += 1,
                N::Done => {}
                _ => continue,
            }
            self.active.remove(&change.place);
        }
        Ok(())
    }

    fn answered(&mut self, place: i64, answer: Answer, changes: &mut Vec<Change>) {
        let Some(active) = self.active.get_mut(&place) else {
            return;
        };
        let now = Instant::now();
        let waited = now.duration_since(active.since);
        match answer {
            Answer::Accepted => {
                active.phase = Phase::Accepted;
                changes.push(change(&active.node, N::Running, None));
            }
            Answer::Later(_, patience) if waited < patience => {
                active.phase = Phase::Due(now + AGAIN);
            }
            Answer::Lost(text) if waited < ask::LOST => {
                tracing::debug!(node = %active.node.node, text, "an answer was lost");
                active.phase = Phase::Unsure(now + AGAIN);
            }
            Answer::Refused(text) | Answer::Later(text, _) | Answer::Lost(text) => {
                changes.push(change(&active.node, N::Failed, Some(text)));
            }
        }
    }

    /// Learns whether nodes accepted whose answers did not come.
    async fn ask_the_log(
        &mut self,
        batch: &Batch,
        changes: &mut Vec<Change>,
    ) -> Result<(), StoreError> {
        let now = Instant::now();
        for active in self.active.values_mut() {
            let Phase::Unsure(complete_at) = active.phase else {
                continue;
            };
            let node = &active.node;
            let request = batch.request_id(node.place);
            let position = node.log_position.unwrap_or(0);
            match batch::is_told(&self.core.db, node.node, request, position).await? {
                Turn::Accepted => {
                    active.phase = Phase::Accepted;
                    changes.push(change(node, N::Running, None));
                }
                Turn::NotAccepted if now < complete_at => {}
                Turn::NotAccepted => active.phase = Phase::Due(now),
                Turn::Unknown => {
                    let text = "whether the node was asked is not known any more: the event log \
                        has forgotten that time";
                    changes.push(change(node, N::Failed, Some(text.to_owned())));
                }
            }
        }
        Ok(())
    }

    async fn look(&mut self, batch: &Batch, changes: &mut Vec<Change>) -> Result<(), StoreError> {
        let accepted = self
            .active
            .values()
            .filter(|active| matches!(active.phase, Phase::Accepted));
        let nodes: Vec<NodeId> = accepted.map(|active| active.node.node).collect();
        let seen = batch::look(&self.core.db, nodes).await?;
        for active in self.active.values() {
            if !matches!(active.phase, Phase::Accepted) {
                continue;
            }
            let found = seen.iter().find(|seen| seen.node == active.node.node);
            let outcome = match found {
                Some(seen) if batch.state == BatchState::Aborting => {
                    outcome::of_aborted(&self.action, seen)
                }
                Some(seen) => outcome::of(&self.action, seen),
                None => Some(Outcome::Failed {
                    reason: "the node was deleted".to_owned(),
                    last_error: None,
                }),
            };
            let ended = match outcome {
                None => continue,
                Some(Outcome::Done) => change(&active.node, N::Done, None),
                Some(Outcome::Failed { reason, last_error }) => Change {
                    last_error,
                    ..change(&active.node, N::Failed, Some(reason))
                },
            };
            changes.retain(|change| change.place != ended.place);
            changes.push(ended);
        }
        Ok(())
    }

    /// Does what is next. Whether there may be more to do at once.
    async fn decide(&mut self, batch: &Batch) -> Result<bool, StoreError> {
        let db = self.core.db.clone();
        match batch.state {
            BatchState::Running if self.ask_again(batch).await? => return Ok(true),
            BatchState::Running => {}
            BatchState::Aborting => {
                batch::skip_waiting(&db, self.fence).await?;
                self.give_up().await?;
                if self.active.is_empty() {
                    batch::finish(&db, self.fence, BatchState::Aborting).await?;
                    return Ok(true);
                }
                return Ok(false);
            }
            _ => {
                let now = Instant::now();
                self.active.values_mut().for_each(|active| active.rest(now));
                return Ok(false);
            }
        }
        let failed = self.failed - batch.forgiven;
        if batch.max_failures.is_some_and(|most| failed > most) {
            let reason = format!("{failed} nodes failed, more than are allowed");
            batch::stop(&db, self.fence, reason).await?;
            return Ok(true);
        }
        let most = usize::try_from(batch.at_once).unwrap_or(1);
        let free = most.saturating_sub(self.active.len());
        let next = match free {
            0 => return Ok(false),
            free => batch::waiting(&db, batch.id, batch.wave, free).await?,
        };
        if !next.is_empty() {
            return self.begin(batch, next).await;
        }
        if !self.active.is_empty() {
            return Ok(false);
        }
        let waves = i64::try_from(batch.wave_sizes.len()).unwrap_or(i64::MAX);
        if batch.wave + 1 >= waves {
            batch::finish(&db, self.fence, BatchState::Running).await?;
        } else if batch.max_failures.is_none() && failed > 0 {
            let reason = format!("{failed} nodes failed in wave {}", batch.wave + 1);
            batch::stop(&db, self.fence, reason).await?;
        } else {
            batch::advance(&db, self.fence).await?;
        }
        Ok(true)
    }

    /// Gives up nodes that have not accepted and were to be asked again.
    async fn give_up(&mut self) -> Result<(), StoreError> {
        let due = self.active.values();
        let due = due.filter(|active| matches!(active.phase, Phase::Due(_)));
        let changes: Vec<Change> = due
            .map(|active| change(&active.node, N::Skipped, None))
            .collect();
        if changes.is_empty() {
            return Ok(());
        }
        batch::settle(&self.core.db, self.fence, changes).await?;
        self.active
            .retain(|_, active| !matches!(active.phase, Phase::Due(_)));
        Ok(())
    }

    /// Notes that nodes are about to be asked, then asks them. Whether there may be more to do at
    /// once.
    async fn begin(&mut self, batch: &Batch, next: Vec<BatchNode>) -> Result<bool, StoreError> {
        let places: Vec<i64> = next.iter().map(|node| node.place).collect();
        let moved = match self.hindered(batch, places).await? {
            Hindered::Stopped => return Ok(true),
            Hindered::Nodes(moved) => moved,
        };
        let (moved, next): (Vec<_>, Vec<_>) = next
            .into_iter()
            .partition(|node| moved.contains(&node.place));
        self.refuse(&moved).await?;
        let places: Vec<i64> = next.iter().map(|node| node.place).collect();
        batch::begin(&self.core.db, self.fence, places.clone()).await?;
        let now = Instant::now();
        for node in next {
            let active = Active::new(node, Phase::Due(now), now);
            self.active.insert(active.node.place, active);
        }
        self.call(batch, &places);
        Ok(!moved.is_empty())
    }

    /// Asks the nodes again whose turn it is. Whether there may be more to do at once.
    async fn ask_again(&mut self, batch: &Batch) -> Result<bool, StoreError> {
        let now = Instant::now();
        let due = self.active.iter();
        let due = due.filter(|(_, active)| matches!(active.phase, Phase::Due(at) if at <= now));
        let due: Vec<i64> = due.map(|(place, _)| *place).collect();
        if due.is_empty() {
            return Ok(false);
        }
        let moved = match self.hindered(batch, due.clone()).await? {
            Hindered::Stopped => return Ok(true),
            Hindered::Nodes(moved) => moved,
        };
        let node_of = |place: &i64| Some(self.active.get(place)?.node.clone());
        let moved: Vec<BatchNode> = moved.iter().filter_map(node_of).collect();
        self.refuse(&moved).await?;
        self.call(batch, &due);
        Ok(!moved.is_empty())
    }

    /// What stands in the way of asking these nodes now: they may be others' since the batch was
    /// made, and whoever made it may have lost the right. In that case the batch is stopped.
    async fn hindered(&self, batch: &Batch, places: Vec<i64>) -> Result<Hindered, StoreError> {
        let maker = batch.maker.clone();
        let found = batch::hindrance(&self.core.db, batch.id, maker, places).await?;
        match found.maker {
            None => Ok(Hindered::Nodes(found.moved)),
            Some(why) => {
                let why = format!("{why}; abort it, or resume it when that was changed");
                tracing::warn!(batch = %batch.id, why, "a batch is stopped");
                batch::stop(&self.core.db, self.fence, why).await?;
                Ok(Hindered::Stopped)
            }
        }
    }

    /// Nodes that have another owner or lessee than when the batch was made are not asked.
    async fn refuse(&mut self, nodes: &[BatchNode]) -> Result<(), StoreError> {
        if nodes.is_empty() {
            return Ok(());
        }
        let why = "the node has another owner or lessee than when the batch was made";
        let refused = |node| change(node, N::Failed, Some(why.to_owned()));
        self.settle(nodes.iter().map(refused).collect()).await
    }

    /// Asks those of these nodes that are due. A batch that does not run asks no node, also not
    /// again.
    fn call(&mut self, batch: &Batch, places: &[i64]) {
        if batch.state != BatchState::Running || !self.core.may_act(self.core.me().epoch) {
            return;
        }
        for place in places {
            let Some(active) = self.active.get_mut(place) else {
                continue;
            };
            match active.phase {
                Phase::Due(_) => active.phase = Phase::Calling,
                _ => continue,
            }
            let who = Caller {
                user: batch.user.clone(),
                project: batch.project.clone(),
                request_id: batch.request_id(*place),
                token: None,
            };
            let (db, crew) = (self.core.db.clone(), Arc::clone(&self.crew));
            let (place, node, action) = (*place, active.node.node, Arc::clone(&self.action));
            self.calls
                .spawn(async move { (place, ask(db, crew, who, node, action).await) });
        }
    }

    /// Waits for the calls that are under way, and gives the batch back.
    async fn leave(mut self, batch: &Batch) -> Result<(), StoreError> {
        let stop = self.core.stop.clone();
        let mut changes = Vec::new();
        while let Some(Some(ended)) = stop.run_until_cancelled(self.calls.join_next()).await {
            if let Ok((place, answer)) = ended {
                self.answered(place, answer, &mut changes);
            }
        }
        if !changes.is_empty() {
            batch::settle(&self.core.db, self.fence, changes).await?;
        }
        tracing::info!(batch = %batch.id, "a batch is left to others");
        batch::release(&self.core.db, self.fence).await
    }
}

/// How many nodes a batch may ask at a time at most.
const MOST_ACTIVE: u32 = 1000;

fn change(node: &BatchNode, state: N, reason: Option<String>) -> Change {
    Change {
        place: node.place,
        node: node.node,
        name: node.name.clone(),
        state,
        reason,
        last_error: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_does_not_end_while_a_batch_is_paused() {
        let node = BatchNode {
            place: 0,
            node: NodeId::generate(),
            name: None,
            wave: 0,
            state: N::Asked,
            reason: None,
            last_error: None,
            log_position: None,
            asked_at: None,
            ended_at: None,
        };
        let start = Instant::now();
        let later = start + Duration::from_secs(7200);
        for (phase, since) in [
            (Phase::Due(start), later),
            (Phase::Unsure(start), later),
            (Phase::Calling, start),
            (Phase::Accepted, start),
        ] {
            let mut active = Active::new(node.clone(), phase, start);
            active.rest(later);
            assert_eq!(active.since, since);
        }
    }
}
