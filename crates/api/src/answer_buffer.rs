//! Buffers of large answers, used again.
//!
//! A list in detail is some megabytes. The system maps and clears fresh memory for each such buffer,
//! page by page while it is written, which costs as much as sending it does. So a few of them are
//! kept until nobody has used one for a moment; then the memory goes back ([`release`]).

use bytes::Bytes;
use std::{
    mem,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Smaller buffers come from memory that the allocator keeps anyway.
const SMALLEST: usize = 128 << 10;
/// Larger ones are rare.
const LARGEST: usize = 8 << 20;
/// How many are kept.
const KEPT: usize = 4;

static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
/// Whether one was used since the last call of [`release`].
static USED: AtomicBool = AtomicBool::new(false);

fn spare() -> MutexGuard<'static, Vec<Vec<u8>>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An empty buffer for an answer that may become large.
pub(crate) fn take() -> Vec<u8> {
    let found = spare().pop();
    found.unwrap_or_else(|| Vec::with_capacity(16 << 10))
}

/// The bytes of an answer; its buffer is used again once they are sent.
pub(crate) fn answer(bytes: Vec<u8>) -> Bytes {
    if bytes.capacity() < SMALLEST || bytes.capacity() > LARGEST {
        return Bytes::from(bytes);
    }
    Bytes::from_owner(Lent(bytes))
}

/// Gives back the memory of buffers if none was used since the last call.
pub fn release() {
    if !USED.swap(false, Ordering::Relaxed) {
        drop(mem::take(&mut *spare()));
    }
}

struct Lent(Vec<u8>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        USED.store(true, Ordering::Relaxed);
        let mut buffer = mem::take(&mut self.0);
        buffer.clear();
        let mut spare = spare();
        if spare.len() < KEPT {
            spare.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_buffer_comes_back_until_it_is_released() {
        let mut buffer = Vec::with_capacity(SMALLEST);
        buffer.extend_from_slice(b"abc");
        let place = buffer.as_ptr();
        let bytes = answer(buffer);
        assert_eq!(bytes, "abc");
        drop(bytes);
        let again = take();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        drop(answer(again));
        release();
        assert_eq!(spare().len(), 1);
        release();
        assert!(spare().is_empty());
    }
}
