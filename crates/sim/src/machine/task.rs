//! Work that takes time: tasks, how far each has come, and what is done when one ends.
//!
//! Nothing runs in the background. How far a task has come follows from the time, and its work is
//! done when somebody looks after it is due, so that a machine at rest costs nothing.

use super::{firmware::Install, storage::VolumeRequest};
use std::time::Duration;

/// What a task does when its time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    CreateVolume(VolumeRequest),
    DeleteVolume {
        controller: usize,
        number: u32,
    },
    InitializeVolume {
        controller: usize,
        number: u32,
    },
    /// Lets a controller pass drives on as they are, or not.
    SetRaw {
        drives: Vec<usize>,
        raw: bool,
    },
    Install(Install),
    /// A boot device, set in the way of a maker.
    BootOnce {
        is_optical: bool,
        once: bool,
    },
    /// Everything that can be set is written down, in the way of a maker.
    Export,
    /// Nothing but time.
    Pass,
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// For the next start of the machine.
    Waits,
    Runs {
        since: Duration,
        takes: Duration,
    },
    Done {
        at: Duration,
    },
    Failed {
        at: Duration,
        why: String,
    },
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub number: u32,
    pub name: &'static str,
    pub made: Duration,
    pub work: Work,
    pub stage: Stage,
    takes: Duration,
}

impl Task {
    /// How much of it is done.
    pub fn percent(&self, now: Duration) -> u64 {
        match &self.stage {
            Stage::Waits => 0,
            Stage::Done { .. } | Stage::Failed { .. } => 100,
            Stage::Runs { since, takes } => {
                let passed = now.saturating_sub(*since).as_millis();
                let percent = passed * 100 / takes.as_millis().max(1);
                u64::try_from(percent).unwrap_or(100).min(99)
            }
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Done { .. } | Stage::Failed { .. })
    }

    pub fn ended(&self) -> Option<Duration> {
        match self.stage {
            Stage::Done { at } | Stage::Failed { at, .. } => Some(at),
            Stage::Waits | Stage::Runs { .. } => None,
        }
    }
}

/// How many tasks are remembered; the oldest that are over are forgotten first.
const REMEMBERED: usize = 32;

/// The tasks of one machine.
#[derive(Debug, Default)]
pub struct Tasks {
    tasks: Vec<Task>,
    last: u32,
}

/// When a task begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Now,
    AtStart,
}

impl Tasks {
    pub fn all(&self) -> &[Task] {
        &self.tasks
    }

    pub fn find(&self, number: u32) -> Option<&Task> {
        self.tasks.iter().find(|task| task.number == number)
    }

    pub fn add(
        &mut self,
        name: &'static str,
        work: Work,
        begin: Begin,
        now: Duration,
        takes: Duration,
    ) -> u32 {
        self.last += 1;
        let stage = match begin {
            Begin::Now => Stage::Runs { since: now, takes },
            Begin::AtStart => Stage::Waits,
        };
        self.tasks.push(Task {
            number: self.last,
            name,
            made: now,
            work,
            stage,
            takes,
        });
        if self.tasks.len() > REMEMBERED
            && let Some(oldest) = self.tasks.iter().position(Task::is_over)
        {
            self.tasks.remove(oldest);
        }
        self.last
    }

    /// Forgets a task; one that runs cannot be forgotten.
    pub fn remove(&mut self, number: u32) -> bool {
        let before = self.tasks.len();
        self.tasks
            .retain(|task| task.number != number || matches!(task.stage, Stage::Runs { .. }));
        self.tasks.len() < before
    }

    /// The machine starts: what waited for it begins.
    pub fn start(&mut self, now: Duration) {
        for task in self
            .tasks
            .iter_mut()
            .filter(|task| task.stage == Stage::Waits)
        {
            task.stage = Stage::Runs {
                since: now,
                takes: task.takes,
            };
        }
    }

    /// The work that is due, oldest first, with when it became so.
    pub fn due(&self, now: Duration) -> Vec<(u32, Duration, Work)> {
        let due = self.tasks.iter().filter_map(|task| match task.stage {
            Stage::Runs { since, takes } if since + takes <= now => {
                Some((task.number, since + takes, task.work.clone()))
            }
            _ => None,
        });
        due.collect()
    }

    pub fn end(&mut self, number: u32, at: Duration, result: Result<(), String>) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.number == number) {
            task.stage = match result {
                Ok(()) => Stage::Done { at },
                Err(why) => Stage::Failed { at, why },
            };
        }
    }

    /// Whether anything is not over yet.
    pub fn is_busy(&self) -> bool {
        self.tasks.iter().any(|task| !task.is_over())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_task_goes_on_with_time_and_waits_for_a_start() {
        let mut tasks = Tasks::default();
        let now = tasks.add("now", Work::Pass, Begin::Now, s(10), s(4));
        let later = tasks.add("later", Work::Pass, Begin::AtStart, s(10), s(4));
        assert_eq!(tasks.find(now).map(|task| task.percent(s(11))), Some(25));
        assert_eq!(tasks.due(s(13)), []);
        assert_eq!(tasks.due(s(99)), [(now, s(14), Work::Pass)]);
        tasks.end(now, s(14), Err("no".to_owned()));
        assert!(!tasks.remove(99));
        tasks.start(s(20));
        assert!(!tasks.remove(later));
        assert_eq!(tasks.due(s(24)), [(later, s(24), Work::Pass)]);
        tasks.end(later, s(24), Ok(()));
        assert!(!tasks.is_busy());
        assert!(tasks.remove(later));
    }

    #[test]
    fn only_so_many_tasks_are_remembered() {
        let mut tasks = Tasks::default();
        for number in 0..100 {
            let made = tasks.add("pass", Work::Pass, Begin::Now, s(number), s(0));
            tasks.end(made, s(number), Ok(()));
        }
        assert_eq!(tasks.all().len(), REMEMBERED);
    }
}
