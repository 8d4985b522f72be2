//! The user's terminal while a console has it: every key is passed on as it is.

use std::io::Read;
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

/// Keeps the terminal raw, and puts it right when it goes.
pub(super) struct RawMode(Option<Termios>);

impl RawMode {
    /// Nothing happens to what is no terminal.
    pub(super) fn enter() -> Self {
        let stdin = std::io::stdin();
        let Ok(before) = tcgetattr(&stdin) else {
            return Self(None);
        };
        let mut raw = before.clone();
        raw.make_raw();
        match tcsetattr(&stdin, OptionalActions::Now, &raw) {
            Ok(()) => Self(Some(before)),
            Err(_) => Self(None),
        }
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // There is nobody left to tell if it fails.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Drain, before);
        }
    }
}

/// What the user types.
pub(super) struct Keyboard(mpsc::Receiver<Vec<u8>>);

impl Keyboard {
    /// Reads on a thread of its own: a read cannot be called off, and the end of the program
    /// should not wait for one more key.
    pub(super) fn listen() -> Self {
        let (to, keys) = mpsc::channel(16);
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = std::io::stdin().lock().read(&mut buffer) {
                let typed = buffer.get(..count).unwrap_or_default().to_vec();
                if to.blocking_send(typed).is_err() {
                    return;
                }
            }
        });
        Self(keys)
    }

    /// `None` when there is no more to come.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        self.0.recv().await
    }
}
