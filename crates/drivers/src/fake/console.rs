//! Fake console: can be switched on and off, and leads nowhere.

use super::Fake;
use crate::{
    DriverError,
    iface::{Console, Machine},
};
use async_trait::async_trait;
use serde_json::{Value, json};
use types::{InterfaceKind, LeaseProof};

const KIND: InterfaceKind = InterfaceKind::Console;

#[async_trait]
impl Console for Fake {
    async fn start(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "start").await
    }

    async fn stop(&self, lease: &LeaseProof, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "stop").await
    }

    async fn info(&self, machine: &Machine<'_>) -> Result<Value, DriverError> {
        self.bench.read(machine, KIND, "info").await?;
        Ok(json!({}))
    }
}
