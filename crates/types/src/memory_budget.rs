//! How much memory large bodies and documents of others may take, all of them together.
//!
//! A limit for each request does not bound a process that serves a thousand of them. Whoever
//! buffers or parses more than a little claims that memory here first, and gives it back by
//! dropping the claim. Those who have shown who they are, those who have not, machines (agents
//! and BMCs) and other services have a pool each, so that none of them can use up the memory of
//! the others.
//!
//! One claim is never for more than half of its pool, so that whatever an operator allows to be
//! sent can pass, if need be alone. Small pieces ([`FREE`]) need no claim: how many requests there are at a time is bounded, and
//! everyday requests must not wait for large ones.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// What needs no claim, in bytes.
pub const FREE: usize = 64 << 10;

/// For clients that have shown who they are: the largest config drive as body and as value.
pub static CLIENTS: Pool = Pool::new(160 << 20);
/// For requests that need no credentials: the largest inspection report.
pub static ANYBODY: Pool = Pool::new(64 << 20);
/// For what agents and BMCs answer.
pub static MACHINES: Pool = Pool::new(64 << 20);
/// For what other services of the cloud answer: the longest list of ports, and its values.
pub static SERVICES: Pool = Pool::new(64 << 20);

/// What takes longer than this for so many bytes gives way when the pool is full. Otherwise a few
/// clients that stop in the middle would keep everybody else out.
const SLOW_AFTER: Duration = Duration::from_secs(2);
const STRETCH: usize = 1 << 20;

/// After this much was given back at once, the allocator is asked to return it to the system.
const NOTICEABLE: usize = 1 << 20;
static RETURNED: AtomicBool = AtomicBool::new(false);

/// Whether much memory has been given back since the last call.
pub fn take_returned() -> bool {
    RETURNED.swap(false, Ordering::Relaxed)
}

/// Memory that several share.
#[derive(Debug)]
pub struct Pool {
    size: usize,
    room: Mutex<Room>,
}

#[derive(Debug)]
struct Room {
    taken: usize,
    waiting: VecDeque<Waker>,
    /// Numbers those who arrive.
    next: u64,
    arriving: Vec<Arriving>,
}

/// Something of somebody else's that holds memory while it is read.
#[derive(Debug)]
struct Arriving {
    id: u64,
    /// Since when, and from which byte on, it is on its present stretch.
    since: Instant,
    from: usize,
    /// Waits for memory itself, which is not its fault.
    is_waiting: bool,
    is_dismissed: bool,
    waker: Option<Waker>,
}

impl Arriving {
    fn is_slow(&self, now: Instant) -> bool {
        let age = now.saturating_duration_since(self.since);
        !self.is_dismissed && !self.is_waiting && age >= SLOW_AFTER
    }
}

impl Room {
    /// Has the slowest of those who are slow give way.
    fn dismiss_slowest(&mut self, now: Instant) {
        let slow = self.arriving.iter_mut().filter(|one| one.is_slow(now));
        if let Some(slowest) = slow.min_by_key(|one| one.since) {
            slowest.is_dismissed = true;
            if let Some(waker) = slowest.waker.take() {
                waker.wake();
            }
        }
    }

    fn arriving(&mut self, id: u64) -> Option<&mut Arriving> {
        self.arriving.iter_mut().find(|one| one.id == id)
    }
}

impl Pool {
    pub const fn new(size: usize) -> Self {
        Self {
            size,
            room: Mutex::new(Room {
                taken: 0,
                waiting: VecDeque::new(),
                next: 0,
                arriving: Vec::new(),
            }),
        }
    }

    /// Notes that something begins to arrive for which memory is claimed piece by piece.
    pub fn arrival(&'static self) -> Arrival {
        let mut room = self.room();
        let id = room.next;
        room.next += 1;
        room.arriving.push(Arriving {
            id,
            since: Instant::now(),
            from: 0,
            is_waiting: false,
            is_dismissed: false,
            waker: None,
        });
        Arrival { pool: self, id }
    }

    /// Waits until so much is free, without an end: the caller sets the deadline. Whatever arrives
    /// slowly meanwhile is told to give way; who waits for long asks again for that to be looked at.
    pub fn claim(&'static self, bytes: usize) -> Claiming {
        Claiming {
            pool: self,
            bytes: bytes.min(self.largest()),
        }
    }

    /// The largest claim.
    pub fn largest(&self) -> usize {
        self.size / 2
    }

    /// How much is claimed now.
    pub fn taken(&self) -> usize {
        self.room().taken
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        // Nothing is left half-written when a holder panics.
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory that may be used until this is dropped.
#[derive(Debug)]
pub struct Claim {
    pool: &'static Pool,
    bytes: usize,
}

impl Claim {
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let waiting = {
            let mut room = self.pool.room();
            room.taken = room.taken.saturating_sub(self.bytes);
            std::mem::take(&mut room.waiting)
        };
        // Who fits in is found out by trying; there are as many as requests at most.
        waiting.into_iter().for_each(Waker::wake);
        if self.bytes >= NOTICEABLE {
            RETURNED.store(true, Ordering::Relaxed);
        }
    }
}

/// A claim that waits for others to end.
#[derive(Debug)]
#[must_use = "nothing is claimed before it is awaited"]
pub struct Claiming {
    pool: &'static Pool,
    bytes: usize,
}

impl Future for Claiming {
    type Output = Claim;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut room = self.pool.room();
        if room.taken + self.bytes <= self.pool.size {
            room.taken += self.bytes;
            return Poll::Ready(Claim {
                pool: self.pool,
                bytes: self.bytes,
            });
        }
        room.dismiss_slowest(Instant::now());
        room.waiting.push_back(context.waker().clone());
        Poll::Pending
    }
}

/// Something that arrives, until this is dropped.
#[derive(Debug)]
pub struct Arrival {
    pool: &'static Pool,
    id: u64,
}

impl Arrival {
    /// Notes how much has arrived so far.
    pub fn has(&self, bytes: usize) {
        if let Some(one) = self.pool.room().arriving(self.id)
            && bytes >= one.from + STRETCH
        {
            one.from = bytes;
            one.since = Instant::now();
        }
    }

    /// Waits for more memory. As long as it does, it is not slow.
    pub async fn claims<T>(&self, claiming: impl Future<Output = T>) -> T {
        let note = |is_waiting| {
            if let Some(one) = self.pool.room().arriving(self.id) {
                one.is_waiting = is_waiting;
                one.since = Instant::now();
            }
        };
        note(true);
        let claimed = claiming.await;
        note(false);
        claimed
    }

    /// Waits until it has to give way to others because it is slow.
    pub fn dismissed(&self) -> impl Future<Output = ()> {
        std::future::poll_fn(|context| {
            let mut room = self.pool.room();
            match room.arriving(self.id) {
                Some(one) if !one.is_dismissed => {
                    one.waker = Some(context.waker().clone());
                    Poll::Pending
                }
                _ => Poll::Ready(()),
            }
        })
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let id = self.id;
        self.pool.room().arriving.retain(|one| one.id != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn poll(claiming: &mut Claiming) -> Poll<Claim> {
        Pin::new(claiming).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn taken(pool: &'static Pool, bytes: usize) -> Claim {
        match poll(&mut pool.claim(bytes)) {
            Poll::Ready(claim) => claim,
            Poll::Pending => panic!("there is no room for {bytes} bytes"),
        }
    }

    #[test]
    fn no_more_is_given_than_there_is() {
        static POOL: Pool = Pool::new(10);
        let first = taken(&POOL, 5);
        let second = taken(&POOL, 3);
        assert!(poll(&mut POOL.claim(3)).is_pending());
        let third = taken(&POOL, 2);
        drop(first);
        assert_eq!(POOL.taken(), 5);
        drop((second, third));
        assert_eq!(POOL.taken(), 0);
    }

    #[test]
    fn who_waits_is_woken_when_room_is_given_back() {
        static POOL: Pool = Pool::new(10);
        struct Flag(AtomicBool);
        impl std::task::Wake for Flag {
            fn wake(self: Arc<Self>) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&flag));
        let held = (taken(&POOL, 5), taken(&POOL, 1));
        let mut waiting = POOL.claim(5);
        let polled = Pin::new(&mut waiting).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending() && !flag.0.load(Ordering::Relaxed));
        drop(held);
        assert!(flag.0.load(Ordering::Relaxed));
        assert!(matches!(poll(&mut waiting), Poll::Ready(claim) if claim.bytes() == 5));
    }

    #[test]
    fn what_arrives_slowly_gives_way_to_those_who_wait() {
        static POOL: Pool = Pool::new(64 << 20);
        let is_dismissed = |arrival: &Arrival| {
            let mut dismissed = std::pin::pin!(arrival.dismissed());
            let mut context = Context::from_waker(Waker::noop());
            dismissed.as_mut().poll(&mut context).is_ready()
        };
        let start = Instant::now();
        let (slower, slow, waiting) = (POOL.arrival(), POOL.arrival(), POOL.arrival());
        POOL.room().arriving(waiting.id).unwrap().is_waiting = true;
        let quick = POOL.arrival();
        let later = start + Duration::from_secs(10);
        POOL.room().arriving(quick.id).unwrap().since = later;
        // All are given some time.
        POOL.room()
            .dismiss_slowest(start + SLOW_AFTER - Duration::from_millis(500));
        assert!(
            ![&slow, &slower, &quick, &waiting]
                .into_iter()
                .any(is_dismissed)
        );
        POOL.room().dismiss_slowest(later);
        assert!(is_dismissed(&slower) && !is_dismissed(&slow));
        for _ in 0..3 {
            POOL.room().dismiss_slowest(later);
        }
        assert!(is_dismissed(&slow) && !is_dismissed(&quick) && !is_dismissed(&waiting));
        // A stretch that has come begins another one; a byte at a time does not.
        let since = |arrival: &Arrival| POOL.room().arriving(arrival.id).unwrap().since;
        let before = since(&waiting);
        waiting.has(STRETCH - 1);
        assert_eq!(since(&waiting), before);
        waiting.has(STRETCH);
        assert!(since(&waiting) > before);
        drop((slow, slower, quick, waiting));
        assert!(POOL.room().arriving.is_empty());
    }

    #[test]
    fn a_body_and_its_document_can_always_be_had_alone() {
        static POOL: Pool = Pool::new(10);
        let body = taken(&POOL, 1000);
        let document = taken(&POOL, 1000);
        assert_eq!((body.bytes(), document.bytes()), (5, 5));
    }

    #[test]
    fn large_returns_are_noted_once() {
        static POOL: Pool = Pool::new(2 * NOTICEABLE);
        drop(taken(&POOL, NOTICEABLE));
        assert!(take_returned());
        assert!(!take_returned());
    }
}
