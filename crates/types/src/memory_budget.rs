//! How much memory large bodies and documents of others may take, all of them together.
//!
//! A limit for each request does not bound a process that serves a thousand of them. Whoever
//! buffers or parses more than a little claims that memory here first, and gives it back by
//! dropping the claim. Those who have shown who they are, those who have not, and machines (agents
//! and BMCs) have a pool each, so that none of them can use up the memory of the others.
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
};

/// What needs no claim, in bytes.
pub const FREE: usize = 64 << 10;

/// For clients that have shown who they are: the largest config drive as body and as value.
pub static CLIENTS: Pool = Pool::new(160 << 20);
/// For requests that need no credentials: the largest inspection report.
pub static ANYBODY: Pool = Pool::new(64 << 20);
/// For what agents and BMCs answer.
pub static MACHINES: Pool = Pool::new(64 << 20);

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
}

impl Pool {
    pub const fn new(size: usize) -> Self {
        Self {
            size,
            room: Mutex::new(Room {
                taken: 0,
                waiting: VecDeque::new(),
            }),
        }
    }

    /// Waits until so much is free, without an end: the caller sets the deadline.
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
        room.waiting.push_back(context.waker().clone());
        Poll::Pending
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
