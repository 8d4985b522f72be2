//! Devices of older protocols, each with machines behind it: switched outlets, managers of chassis,
//! management controllers that speak something else than Redfish.
//!
//! They are written from what is known of the devices, not from the drivers, and keep what they were
//! told, so that tests see it. What goes wrong can be chosen ([`Fault`]).

pub mod amt;
mod digest;
pub mod drac;
pub mod iboot;
pub mod msftocs;
pub mod nuova;
pub mod seamicro;

use axum::Router;
use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::net::TcpListener;

/// Who may log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub user: String,
    pub password: String,
}

/// What is wrong with a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    #[default]
    None,
    /// Answers nothing.
    Silent,
    /// Lets clients in, and answers none of their questions.
    Stalls,
    /// An iBoot ends connections instead of answering; others answer nothing.
    Closes,
    /// Answers that it cannot.
    Refuses,
    /// Accepts orders and does not follow them.
    Stuck,
    /// Answers what means nothing.
    Garbage,
}

/// No code panics while it holds one of these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a device that speaks HTTP, until the socket fails or the future is dropped.
pub async fn serve(listener: TcpListener, device: Router) -> io::Result<()> {
    axum::serve(listener, device).await
}
