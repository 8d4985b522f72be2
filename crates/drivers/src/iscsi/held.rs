//! The reservation of a session that was lost, taken up by the one that replaces it.
//!
//! Some targets keep reservations by session: to tgt the new session is a stranger, and whatever it
//! writes meets a conflict. So the reservation is taken again before anything is sent again. It has
//! to be there still: where it is not, somebody else had the disk meanwhile, or the target was
//! started again and has lost what was not on the medium, and nothing may be written any more.

use super::{IscsiError, client::ATTENTIONS, disk::field, link::Link};
use bytes::{Bytes, BytesMut};
use proto::iscsi::{
    initiator::{Command, Event, Payload},
    scsi::{ReservationType, cdb, status},
};
use std::time::Duration;
use tokio::time::timeout;

/// A reservation that sessions have in turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) lun: u16,
    pub(super) key: u64,
}

/// A change of reservations, as it is sent.
pub(super) fn change(action: u8, key: u64, service_key: u64) -> (cdb::Cdb, Payload) {
    let kind = Some(ReservationType::WriteExclusive);
    let (cdb, list) = cdb::persistent_reserve_out(action, kind, key, service_key);
    (cdb, Payload::Write(Bytes::copy_from_slice(&list)))
}

/// The question of who holds the disk.
pub(super) fn who() -> (cdb::Cdb, Payload) {
    (cdb::persistent_reserve_in(1, 64), Payload::Read(64))
}

/// The key in the answer to [`who`].
pub(super) fn holder(answer: &[u8]) -> Option<u64> {
    field::<8>(answer, 8)
}

impl Held {
    /// Takes the reservation up on a session that has done nothing yet.
    pub(super) async fn take_up(
        self,
        link: &mut Link,
        patience: Duration,
    ) -> Result<(), IscsiError> {
        let taken = timeout(patience, self.try_take_up(link)).await;
        taken.unwrap_or(Err(IscsiError::Timeout))
    }

    async fn try_take_up(self, link: &mut Link) -> Result<(), IscsiError> {
        let answer = self.carry_out(link, who()).await?;
        if holder(&answer) != Some(self.key) {
            return Err(IscsiError::ReservationLost);
        }
        let register = change(cdb::action::REGISTER_AND_IGNORE, 0, self.key);
        self.carry_out(link, register).await?;
        let reserve = change(cdb::action::RESERVE, self.key, 0);
        match self.carry_out(link, reserve).await {
            // The holder is what is left of the session before. Whoever came in between has another
            // key, and is not what is pre-empted.
            Err(IscsiError::Reserved) => {
                let preempt = change(cdb::action::PREEMPT, self.key, self.key);
                self.carry_out(link, preempt).await?;
            }
            reserved => drop(reserved?),
        }
        Ok(())
    }

    /// Carries out a command while nothing else is under way.
    async fn carry_out(
        self,
        link: &mut Link,
        (cdb, payload): (cdb::Cdb, Payload),
    ) -> Result<Bytes, IscsiError> {
        const NAME: &str = "PERSISTENT RESERVE";
        let lun = self.lun;
        let mut attentions = 0;
        loop {
            while !link.session.has_room() {
                link.progress().await?;
            }
            let payload = payload.clone();
            let task = link.session.submit(Command { lun, cdb, payload });
            let (answer, status, sense) = answer(link, task).await?;
            return match (status, sense) {
                (status::GOOD, _) => Ok(answer),
                (status::CHECK_CONDITION, Some(sense))
                    if sense.is_unit_attention() && attentions < ATTENTIONS =>
                {
                    attentions += 1;
                    continue;
                }
                (status::BUSY | status::TASK_SET_FULL, _) => Err(IscsiError::Silent),
                other => Err(IscsiError::refusal(NAME, other)),
            };
        }
    }
}

type Answer = (Bytes, u8, Option<proto::iscsi::scsi::Sense>);

async fn answer(link: &mut Link, task: u32) -> Result<Answer, IscsiError> {
    let mut answer = BytesMut::new();
    loop {
        while let Some(event) = link.session.event() {
            match event {
                Event::Data { task: of, data, .. } if of == task => answer.extend_from_slice(&data),
                Event::Done {
                    task: of,
                    status,
                    sense,
                    ..
                } if of == task => return Ok((answer.freeze(), status, sense)),
                Event::Rejected { task: of, reason } if of == task => {
                    return Err(IscsiError::Rejected(reason));
                }
                Event::LogoutRequested | Event::LoggedOut => return Err(IscsiError::LoggedOut),
                _ => {}
            }
        }
        link.progress().await?;
    }
}
