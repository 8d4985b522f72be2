//! One conductor group is taken over from an Ironic that goes on with the others.
//!
//! No node may be driven by two services, nor by none for long, whenever this is interrupted. So the order
//! is: record the move here; lock every node of the group in Ironic's database; import the locked nodes,
//! and record that, in one transaction; mark the locks as final. Before the import Ironic has the nodes
//! and none of ours knows of them; after it they are here, and Ironic's are locked. Whoever finds an
//! unfinished move knows from the record which of both is so, and goes on or goes back.
//!
//! The way back is the same with the sides changed: record it; lock every node here; write the rows into
//! Ironic's database, locked as well; remove them here, and record that, in one transaction; take the
//! locks off there.

use crate::{ExportFault, Import, ImportFault, Outcome, Written, export::group_to_ironic};
use std::{
    fmt,
    time::{Duration, Instant},
};
use store::{
    KeyRing, Location, StoreError,
    dump::Dump,
    group_move::{self, GroupName, MovePhase, Moves},
    ironic::{GroupLocks, Resisting},
    load::Load,
};

/// Between two looks at nodes that are waited for.
const PAUSE: Duration = Duration::from_secs(1);

/// Why a group was not moved.
#[derive(Debug, thiserror::Error)]
pub enum GroupFault {
    #[error(transparent)]
    Records(#[from] group_move::MoveFault),
    #[error(transparent)]
    Import(#[from] ImportFault),
    #[error("cannot lock nodes in Ironic's database")]
    Locks(#[source] StoreError),
    #[error("cannot write to the target")]
    Target(#[source] StoreError),
    #[error(transparent)]
    Export(#[from] ExportFault),
    #[error("cannot read our own database")]
    Own(#[source] StoreError),
    #[error("{0}. Nothing was moved, and no lock was left")]
    StillWorkedOn(Waiting),
    #[error("{0} was never taken over")]
    NotHere(GroupName),
}

/// Nodes that conductors work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting(pub Resisting);

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes are worked on: ", self.0.count)?;
        for (at, node) in self.0.first.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({}", node.node, node.state)?;
            match &node.holder {
                Some(holder) => write!(f, ", reserved by {holder})")?,
                None => f.write_str(", reserved by nobody)")?,
            }
        }
        if self.0.count > self.0.first.len() as u64 {
            f.write_str(", …")?;
        }
        Ok(())
    }
}

/// How a group is taken over.
#[derive(Debug, Clone, Copy)]
pub struct TakeOver {
    /// How long nodes that are worked on are waited for.
    pub patience: Duration,
    /// Take over what a conductor that is gone was working on.
    pub with_working: bool,
    /// How long a conductor of Ironic may be silent before it counts as gone.
    pub heartbeat_timeout: Duration,
}

/// What a move came to.
#[derive(Debug)]
pub struct Taken {
    pub outcome: Outcome,
    /// Nodes that were made in Ironic while the others were moved; the next run takes them.
    pub newcomers: u64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a command of its own, on a thread where nobody waits behind it"
)]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// Moves one group. All calls block; must not be used on a runtime thread.
#[derive(Debug)]
pub struct GroupMover {
    source: Location,
    target: Location,
    keys: KeyRing,
    group: GroupName,
    moves: Moves,
    locks: GroupLocks,
}

impl GroupMover {
    /// Looks at both databases; changes none.
    pub fn open(
        source: Location,
        target: Location,
        keys: KeyRing,
        group: GroupName,
    ) -> Result<Self, GroupFault> {
        // Whatever is no database of Ironic gets no lock.
        drop(Import::open(&source)?);
        let moves = Moves::open(&target)?;
        let locks = GroupLocks::open(&source, group.clone()).map_err(GroupFault::Locks)?;
        Ok(Self {
            source,
            target,
            keys,
            group,
            moves,
            locks,
        })
    }

    /// The conductors of this service that will serve the group.
    pub fn conductors(&mut self) -> Result<Vec<String>, GroupFault> {
        self.moves
            .conductors(&self.group)
            .map_err(GroupFault::Target)
    }

    /// Takes the group over, or what of it is still in Ironic. `tell` is called while nodes are waited for.
    pub fn take_over(
        &mut self,
        how: TakeOver,
        tell: &mut dyn FnMut(&Waiting),
    ) -> Result<Taken, GroupFault> {
        match self.phase()? {
            None => self.moves.begin(&self.group).map_err(GroupFault::Target)?,
            Some(MovePhase::Imported) => self.finish()?,
            Some(MovePhase::Leaving) => self.stay()?,
            Some(MovePhase::Left) => {
                self.release()?;
                self.moves.begin(&self.group).map_err(GroupFault::Target)?;
            }
            Some(MovePhase::Locking | MovePhase::Moved) => {}
        }
        match self.lock_and_import(how, tell) {
            Ok(outcome) => {
                self.finish()?;
                let resisting = self.locks.resisting().map_err(GroupFault::Locks)?;
                Ok(Taken {
                    outcome,
                    newcomers: resisting.count,
                })
            }
            Err(fault) => {
                // A commit whose answer was lost may have happened: only the record knows. If it cannot be
                // read, the locks stay, and so does the record of them.
                match self.phase()? {
                    Some(MovePhase::Imported) => self.finish()?,
                    Some(MovePhase::Locking) => self.undo()?,
                    Some(MovePhase::Moved) => {
                        self.locks.give_back().map_err(GroupFault::Locks)?;
                    }
                    Some(MovePhase::Leaving | MovePhase::Left) | None => {}
                }
                Err(fault)
            }
        }
    }

    /// Gives the group back to Ironic, as it is here by now. `tell` is called while nodes are waited for
    /// that conductors of this service work on.
    pub fn give_back(
        &mut self,
        patience: Duration,
        tell: &mut dyn FnMut(&Waiting),
    ) -> Result<Written, GroupFault> {
        match self.phase()? {
            None => return Err(GroupFault::NotHere(self.group.clone())),
            Some(MovePhase::Locking) => {
                self.undo()?;
                return Ok(Written::new());
            }
            Some(MovePhase::Left) => {
                self.release()?;
                return Ok(Written::new());
            }
            Some(MovePhase::Imported) => self.finish()?,
            Some(MovePhase::Moved | MovePhase::Leaving) => {}
        }
        self.record(MovePhase::Leaving)?;
        match self.lock_and_export(patience, tell) {
            Ok(written) => {
                self.release()?;
                Ok(written)
            }
            Err(fault) => {
                if self.phase()? == Some(MovePhase::Leaving) {
                    self.stay()?;
                }
                Err(fault)
            }
        }
    }

    fn lock_and_export(
        &mut self,
        patience: Duration,
        tell: &mut dyn FnMut(&Waiting),
    ) -> Result<Written, GroupFault> {
        let began = Instant::now();
        loop {
            self.moves
                .lock_own(&self.group)
                .map_err(GroupFault::Target)?;
            let resisting = self.moves.own_resisting(&self.group);
            let resisting = resisting.map_err(GroupFault::Target)?;
            if resisting.count > 0 {
                let waiting = Waiting(resisting);
                if began.elapsed() >= patience {
                    return Err(GroupFault::StillWorkedOn(waiting));
                }
                tell(&waiting);
                pause();
                continue;
            }
            // Opened after the last lock. What is written is locked there until nothing is here.
            let own = Dump::open(&self.target, self.keys.clone()).map_err(GroupFault::Own)?;
            let written = group_to_ironic(own, &self.source, &self.group)?;
            if self
                .moves
                .remove_rows(&self.group)
                .map_err(GroupFault::Target)?
            {
                return Ok(written);
            }
            // A node was made here meanwhile: it is locked and written as well.
        }
    }

    fn phase(&mut self) -> Result<Option<MovePhase>, GroupFault> {
        self.moves.phase(&self.group).map_err(GroupFault::Target)
    }

    fn lock_and_import(
        &mut self,
        how: TakeOver,
        tell: &mut dyn FnMut(&Waiting),
    ) -> Result<Outcome, GroupFault> {
        let began = Instant::now();
        loop {
            self.locks
                .take(how.with_working)
                .map_err(GroupFault::Locks)?;
            let resisting = self.locks.resisting().map_err(GroupFault::Locks)?;
            if resisting.count == 0 {
                break;
            }
            if how.with_working && self.seize(&resisting, how.heartbeat_timeout)? {
                continue;
            }
            let waiting = Waiting(resisting);
            if began.elapsed() >= how.patience {
                return Err(GroupFault::StillWorkedOn(waiting));
            }
            tell(&waiting);
            pause();
        }
        // Opened after the last lock: whatever a conductor did before is in this snapshot.
        let mut import = Import::open(&self.source)?;
        import.restrict(self.locks.rows());
        let load = Load::join(&self.target, self.keys.clone(), self.group.clone());
        Ok(import.run(load.map_err(GroupFault::Target)?)?)
    }

    /// Takes the locks of conductors that are gone; says whether there were any.
    fn seize(&mut self, resisting: &Resisting, timeout: Duration) -> Result<bool, GroupFault> {
        let alive = Import::open(&self.source)?.alive(timeout)?;
        let mut seized = 0;
        for node in &resisting.first {
            let Some(holder) = &node.holder else { continue };
            if !alive.iter().any(|conductor| conductor.host == *holder) {
                seized += self.locks.take_from(holder).map_err(GroupFault::Locks)?;
            }
        }
        Ok(seized > 0)
    }

    /// The rows are here: Ironic keeps its own locked from now on.
    fn finish(&mut self) -> Result<(), GroupFault> {
        self.locks.keep().map_err(GroupFault::Locks)?;
        self.record(MovePhase::Moved)
    }

    /// The rows stay here, whatever was written into Ironic's database: all of it is locked.
    fn stay(&mut self) -> Result<(), GroupFault> {
        self.locks.keep_returned().map_err(GroupFault::Locks)?;
        self.moves
            .unlock_own(&self.group)
            .map_err(GroupFault::Target)?;
        self.record(MovePhase::Moved)
    }

    /// No row is here any more: Ironic takes its own up.
    fn release(&mut self) -> Result<(), GroupFault> {
        self.locks.release_returned().map_err(GroupFault::Locks)?;
        self.moves.forget(&self.group).map_err(GroupFault::Target)
    }

    fn record(&mut self, phase: MovePhase) -> Result<(), GroupFault> {
        self.moves
            .set(&self.group, phase)
            .map_err(GroupFault::Target)
    }

    /// No row is here: Ironic goes on as before.
    fn undo(&mut self) -> Result<(), GroupFault> {
        self.locks.give_back().map_err(GroupFault::Locks)?;
        self.moves.forget(&self.group).map_err(GroupFault::Target)
    }
}
