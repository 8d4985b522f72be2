//! A disk behind a target, by bytes.

use super::{
    InitiatorSettings, IscsiError,
    client::Client,
    held::{self, Held},
};
use bytes::Bytes;
use futures_util::future::{join_all, try_join_all};
use proto::iscsi::{
    initiator::{Command, Payload},
    scsi::cdb,
};
use tokio::time::timeout;

/// The most that one command transfers.
const CHUNK: u64 = 1 << 20;

/// The most that one command makes zero, where the target does not say.
const ZERO_CHUNK: u64 = 64 << 20;

/// What the target can do besides reading and writing.
#[derive(Debug, Clone, Copy, Default)]
struct Abilities {
    /// WRITE SAME (16) with the UNMAP bit.
    write_same_unmap: bool,
    /// UNMAP, after which blocks read as zeros.
    unmap_zeroes: bool,
    /// In bytes.
    transfer_limit: u64,
    unmap_limit: u64,
    write_same_limit: u64,
}

/// A disk.
#[derive(Debug)]
pub struct IscsiDisk {
    client: Client,
    lun: u16,
    block_size: u64,
    blocks: u64,
    abilities: Abilities,
}

/// A reservation that this initiator holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    key: u64,
}

impl IscsiDisk {
    /// Logs in, and asks the disk what it is.
    pub async fn connect(settings: InitiatorSettings) -> Result<Self, IscsiError> {
        let lun = settings.lun;
        let client = Client::connect(settings).await?;
        let mut disk = Self {
            client,
            lun,
            block_size: 512,
            blocks: 0,
            abilities: Abilities::default(),
        };
        disk.plain(cdb::test_unit_ready(), "TEST UNIT READY")
            .await?;
        disk.learn_capacity().await?;
        Ok(disk)
    }

    pub fn block_size(&self) -> u64 {
        self.block_size
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.blocks.saturating_mul(self.block_size)
    }

    async fn plain(&self, cdb: cdb::Cdb, name: &'static str) -> Result<(), IscsiError> {
        self.send(cdb, Payload::None, name, true).await.map(drop)
    }

    async fn send(
        &self,
        cdb: cdb::Cdb,
        payload: Payload,
        name: &'static str,
        repeatable: bool,
    ) -> Result<Bytes, IscsiError> {
        let lun = self.lun;
        let command = Command { lun, cdb, payload };
        let completed = self.client.send(command, name, repeatable).await?;
        Ok(completed.data)
    }

    async fn learn_capacity(&mut self) -> Result<(), IscsiError> {
        const NAME: &str = "READ CAPACITY (16)";
        let payload = Payload::Read(32);
        let data = self
            .send(cdb::read_capacity_16(32), payload, NAME, true)
            .await?;
        let last = field::<8>(&data, 0).ok_or(IscsiError::Short(NAME))?;
        let block_size = field::<4>(&data, 8).ok_or(IscsiError::Short(NAME))?;
        let sane = block_size.is_power_of_two() && (512..=65_536).contains(&block_size);
        if !sane || last == u64::MAX {
            return Err(IscsiError::Unsupported("size that we understand"));
        }
        (self.blocks, self.block_size) = (last + 1, block_size);
        let flags = data.get(14).copied().unwrap_or(0);
        let zeroes = flags & 0xc0 == 0xc0;
        self.learn_abilities(zeroes).await
    }

    /// Pages that a target does not have are as good as pages that say nothing.
    async fn learn_abilities(&mut self, zeroes: bool) -> Result<(), IscsiError> {
        let limits = self.inquire(0xb0).await?;
        let blocks = |at: usize| field::<4>(&limits, at).unwrap_or(0);
        let bytes = |count: u64, otherwise: u64| match count.saturating_mul(self.block_size) {
            0 => otherwise,
            limit => limit,
        };
        let transfer_limit = bytes(blocks(8), CHUNK).min(CHUNK);
        let unmap_limit = bytes(blocks(20), ZERO_CHUNK);
        let same = field::<8>(&limits, 36).unwrap_or(0);
        let write_same_limit = bytes(same, ZERO_CHUNK);
        let provisioning = self.inquire(0xb2).await?;
        let ways = provisioning.get(5).copied().unwrap_or(0);
        self.abilities = Abilities {
            write_same_unmap: zeroes && ways & 0x40 != 0,
            unmap_zeroes: zeroes && ways & 0x80 != 0,
            transfer_limit,
            unmap_limit,
            write_same_limit,
        };
        Ok(())
    }

    async fn inquire(&self, page: u8) -> Result<Bytes, IscsiError> {
        let cdb = cdb::inquiry(Some(page), 252);
        match self.send(cdb, Payload::Read(252), "INQUIRY", true).await {
            Err(IscsiError::Sense { .. }) => Ok(Bytes::new()),
            answer => answer,
        }
    }

    fn range(&self, what: &'static str, offset: u64, length: u64) -> Result<(), IscsiError> {
        let end = offset.checked_add(length);
        let inside = end.is_some_and(|end| end <= self.size());
        let whole =
            offset.is_multiple_of(self.block_size) && length.is_multiple_of(self.block_size);
        match inside && whole {
            true => Ok(()),
            false => Err(IscsiError::OutOfRange(what)),
        }
    }

    /// How many blocks are so many bytes, within one command.
    fn count(&self, bytes: u64) -> u32 {
        u32::try_from(bytes / self.block_size).unwrap_or(u32::MAX)
    }

    /// Reads whole blocks, by several commands at a time.
    pub async fn read_at(&self, offset: u64, length: u64) -> Result<Bytes, IscsiError> {
        const NAME: &str = "READ (16)";
        self.range("what is read", offset, length)?;
        let reads = chunks(offset, length, self.abilities.transfer_limit);
        let reads = reads.map(|(offset, length)| async move {
            let cdb = cdb::read_16(offset / self.block_size, self.count(length));
            let room = u32::try_from(length).unwrap_or(u32::MAX);
            let data = self.send(cdb, Payload::Read(room), NAME, true).await?;
            match data.len() as u64 == length {
                true => Ok(data),
                false => Err(IscsiError::Short(NAME)),
            }
        });
        let mut pieces = try_join_all(reads).await?;
        if pieces.len() == 1 {
            return Ok(pieces.swap_remove(0));
        }
        Ok(pieces.concat().into())
    }

    /// Writes whole blocks, by several commands at a time. They are on the medium after
    /// [`Self::flush`].
    pub async fn write_at(&self, offset: u64, data: Bytes) -> Result<(), IscsiError> {
        self.range("what is written", offset, data.len() as u64)?;
        let writes = chunks(offset, data.len() as u64, self.abilities.transfer_limit);
        let writes = writes.map(|(at, length)| {
            let start = usize::try_from(at - offset).unwrap_or(usize::MAX);
            let end = start + usize::try_from(length).unwrap_or(0);
            let piece = data.slice(start..end);
            let cdb = cdb::write_16(at / self.block_size, self.count(length));
            self.send(cdb, Payload::Write(piece), "WRITE (16)", true)
        });
        // All of them are awaited, so that none is under way when an error is returned.
        join_all(writes)
            .await
            .into_iter()
            .try_for_each(|done| done.map(drop))
    }

    /// Makes a range zero, by unmapping it where the disk then reads as zeros.
    pub async fn zero(&self, offset: u64, length: u64) -> Result<(), IscsiError> {
        self.range("what is made zero", offset, length)?;
        let abilities = &self.abilities;
        let limit = match (abilities.write_same_unmap, abilities.unmap_zeroes) {
            (true, _) => abilities.write_same_limit,
            (_, true) => abilities.unmap_limit,
            _ => abilities.transfer_limit,
        };
        let zeros = Bytes::from(vec![0; usize::try_from(CHUNK).unwrap_or(0)]);
        for (at, length) in chunks(offset, length, limit.min(ZERO_CHUNK)) {
            let (block, count) = (at / self.block_size, self.count(length));
            if abilities.write_same_unmap {
                let payload = zeros.slice(..usize::try_from(self.block_size).unwrap_or(0));
                let cdb = cdb::write_same_16(block, count, true);
                let payload = Payload::Write(payload);
                self.send(cdb, payload, "WRITE SAME (16)", true).await?;
            } else if abilities.unmap_zeroes {
                let (cdb, list) = cdb::unmap(block, count);
                let payload = Payload::Write(Bytes::copy_from_slice(&list));
                self.send(cdb, payload, "UNMAP", true).await?;
            } else {
                let length = usize::try_from(length).unwrap_or(0);
                self.write_at(at, zeros.slice(..length)).await?;
            }
        }
        Ok(())
    }

    /// Returns when everything that was written is on the medium.
    pub async fn flush(&self) -> Result<(), IscsiError> {
        self.plain(cdb::synchronize_cache(), "SYNCHRONIZE CACHE")
            .await
    }

    /// Reserves the disk: nobody else may write then. `key` is ours alone, and a number that grows
    /// with every grant of the right to write: a reservation with a smaller one, of whoever
    /// had the right before, is taken over; one with a larger one is respected.
    pub async fn reserve(&self, key: u64) -> Result<Reservation, IscsiError> {
        self.change_reservation(cdb::action::REGISTER_AND_IGNORE, 0, key)
            .await?;
        match self.change_reservation(cdb::action::RESERVE, key, 0).await {
            Err(IscsiError::Reserved) => {
                let holder = self.reservation_holder().await?;
                match holder.filter(|holder| *holder <= key) {
                    Some(holder) => {
                        self.change_reservation(cdb::action::PREEMPT, key, holder)
                            .await?;
                    }
                    None => {
                        // What is ours must not stay behind.
                        self.change_reservation(cdb::action::REGISTER, key, 0)
                            .await?;
                        return Err(IscsiError::Reserved);
                    }
                }
            }
            reserved => reserved?,
        }
        let lun = self.lun;
        self.client.hold(Some(Held { lun, key }));
        Ok(Reservation { key })
    }

    /// The key of whoever holds the reservation.
    async fn reservation_holder(&self) -> Result<Option<u64>, IscsiError> {
        let (cdb, payload) = held::who();
        let name = "PERSISTENT RESERVE IN";
        let data = self.send(cdb, payload, name, true).await?;
        Ok(held::holder(&data))
    }

    /// Gives the reservation and the registration back, within the time that a login may take.
    pub async fn release(&self, reservation: Reservation) -> Result<(), IscsiError> {
        self.client.hold(None);
        let release = async {
            self.change_reservation(cdb::action::RELEASE, reservation.key, 0)
                .await?;
            self.change_reservation(cdb::action::REGISTER, reservation.key, 0)
                .await
        };
        let released = timeout(self.client.patience, release).await;
        released.unwrap_or(Err(IscsiError::Timeout))
    }

    async fn change_reservation(
        &self,
        action: u8,
        key: u64,
        service_key: u64,
    ) -> Result<(), IscsiError> {
        let (cdb, payload) = held::change(action, key, service_key);
        // Registering twice is harmless; to preempt somebody twice may hit another.
        let repeatable = matches!(
            action,
            cdb::action::REGISTER_AND_IGNORE | cdb::action::RESERVE
        );
        let name = "PERSISTENT RESERVE OUT";
        self.send(cdb, payload, name, repeatable).await.map(drop)
    }

    /// Ends the session, within the time that a login may take.
    pub async fn logout(&self) -> Result<(), IscsiError> {
        self.client.logout().await
    }

    /// Hangs up at once: nothing is written any more, not even what was asked for before and is still
    /// on its way.
    pub fn abandon(&self) {
        self.client.abandon();
    }
}

/// Offsets and lengths of parts that are at most `limit` long.
fn chunks(offset: u64, length: u64, limit: u64) -> impl Iterator<Item = (u64, u64)> {
    let (end, limit) = (offset + length, limit.max(512));
    let mut at = offset;
    std::iter::from_fn(move || {
        let length = limit.min(end - at);
        let part = (at, length);
        at += length;
        (length > 0).then_some(part)
    })
}

/// A number within an answer.
pub(super) fn field<const N: usize>(data: &[u8], at: usize) -> Option<u64> {
    let bytes = data.get(at..at + N)?;
    Some(
        bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}
