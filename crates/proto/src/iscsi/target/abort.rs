//! Task management (RFC 7143 §11.5): commands that are called back.
//!
//! A command is answered as aborted when the disk has stopped working for it, so nothing is
//! written after the answer. A reset does not call the commands of other sessions back: they end
//! as if it had come a moment later, and those sessions are told by a unit attention.

use super::connection::{Connection, StatSn};
use crate::iscsi::{
    pdu::{FINAL, TaskRequest, TaskResponse, decode_lun},
    scsi::{DISK_LUN, Unit},
};
use bytes::Bytes;

/// Functions.
const ABORT_TASK: u8 = 1;
const ABORT_TASK_SET: u8 = 2;
const CLEAR_TASK_SET: u8 = 4;
const UNIT_RESET: u8 = 5;
const TARGET_WARM_RESET: u8 = 6;
const TARGET_COLD_RESET: u8 = 7;
const REASSIGN: u8 = 8;

/// Responses.
const COMPLETE: u8 = 0;
const NO_TASK: u8 = 1;
const NO_UNIT: u8 = 2;
const NO_REASSIGNMENT: u8 = 4;
const NOT_SUPPORTED: u8 = 5;

/// A request that waits for the disk.
#[derive(Debug)]
pub(super) struct Abort {
    request: u32,
    tasks: Vec<u32>,
}

impl Connection {
    pub(super) fn manage_task(&mut self, unit: &mut Unit, request: &TaskRequest) {
        let function = request.function & 0x7f;
        let whole_target = matches!(function, TARGET_WARM_RESET | TARGET_COLD_RESET);
        if !whole_target && !matches!(decode_lun(request.lun), Some(0 | DISK_LUN)) {
            return self.answer_task(request.task, NO_UNIT);
        }
        let tasks: Vec<u32> = match function {
            ABORT_TASK => {
                let found = self.tasks.get(&request.referenced);
                if found.is_none_or(|task| task.lun != request.lun) {
                    return self.answer_task(request.task, NO_TASK);
                }
                vec![request.referenced]
            }
            ABORT_TASK_SET | CLEAR_TASK_SET | UNIT_RESET => {
                let of_unit = self
                    .tasks
                    .iter()
                    .filter(|(_, task)| task.lun == request.lun);
                of_unit.map(|(id, _)| *id).collect()
            }
            TARGET_WARM_RESET | TARGET_COLD_RESET => self.tasks.keys().copied().collect(),
            REASSIGN => return self.answer_task(request.task, NO_REASSIGNMENT),
            _ => return self.answer_task(request.task, NOT_SUPPORTED),
        };
        if matches!(function, UNIT_RESET | TARGET_WARM_RESET | TARGET_COLD_RESET)
            && let Some(nexus) = &self.nexus
        {
            unit.reset(nexus);
        }
        for id in &tasks {
            if let Some(task) = self.tasks.get_mut(id) {
                task.aborted = true;
            }
        }
        self.drop_replies(&tasks);
        self.drop_jobs(&tasks);
        self.aborts.push(Abort {
            request: request.task,
            tasks: tasks.clone(),
        });
        for id in tasks {
            self.finish_abort(id);
        }
        self.answer_aborts();
    }

    /// What belongs to an aborted command does not leave any more.
    fn drop_replies(&mut self, tasks: &[u32]) {
        let mut replies = std::mem::take(&mut self.replies);
        replies.retain(|reply| {
            let keeps = !tasks.contains(&reply.bhs.task());
            if !keeps {
                self.let_go_of(reply);
            }
            keeps
        });
        self.replies = replies;
    }

    /// What the disk did not begin is not begun.
    fn drop_jobs(&mut self, aborted: &[u32]) {
        let (jobs, tasks) = (&mut self.jobs, &mut self.tasks);
        self.ready.retain(|job| {
            let owner = jobs.get(&job.id).map(|(task, _)| *task);
            let Some(owner) = owner.filter(|task| aborted.contains(task)) else {
                return true;
            };
            jobs.remove(&job.id);
            if let Some(task) = tasks.get_mut(&owner) {
                task.jobs = task.jobs.saturating_sub(1);
            }
            false
        });
    }

    /// Removes an aborted command once the disk does nothing for it.
    pub(super) fn finish_abort(&mut self, id: u32) {
        if self.tasks.get(&id).is_some_and(|task| task.jobs == 0) {
            self.remove_task(id);
        }
        self.answer_aborts();
    }

    fn answer_aborts(&mut self) {
        let mut aborts = std::mem::take(&mut self.aborts);
        aborts.retain_mut(|abort| {
            abort.tasks.retain(|id| self.tasks.contains_key(id));
            if abort.tasks.is_empty() {
                self.answer_task(abort.request, COMPLETE);
            }
            !abort.tasks.is_empty()
        });
        self.aborts = aborts;
    }

    fn answer_task(&mut self, request: u32, response: u8) {
        let pdu = TaskResponse {
            flags: FINAL,
            response,
            task: request,
        };
        self.queue_reply(pdu.encode(), Bytes::new(), StatSn::Advances);
    }
}
