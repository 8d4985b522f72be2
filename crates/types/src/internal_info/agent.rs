//! The session of an agent: where it listens, the token that it shows, and the steps it offers.
//!
//! A token is either given to the first ramdisk that looks its node up, or embedded in what the
//! machine boots. An embedded one outlives a restart of the machine, because the ramdisk that boots
//! again holds it already. Agents of releases up to 6 know no tokens: one is kept for them all the
//! same, so that nobody else is given one, and is told to nobody.

use super::{InternalInfo, key};
use crate::{
    InterfaceKind, JsonMap, Timestamp,
    rpc::Heartbeat,
    step::{Step, StepKind},
};
use serde_json::Value;

impl InternalInfo {
    /// Where the agent listens.
    pub fn agent_url(&self) -> Option<&str> {
        self.text(key::AGENT_URL)
    }

    /// Whether an agent has called since the machine was started.
    pub fn has_agent(&self) -> bool {
        self.agent_url().is_some()
    }

    /// The certificate that the agent serves with, as PEM text. Ironic keeps the path of a file on
    /// one of its conductors there, which is nothing to us: the next heartbeat brings the text.
    pub fn agent_certificate(&self) -> Option<&str> {
        self.text(key::AGENT_VERIFY_CA)
            .filter(|text| !text.starts_with('/'))
    }

    pub fn agent_version(&self) -> Option<&str> {
        self.text(key::AGENT_VERSION)
    }

    pub fn agent_last_heartbeat(&self) -> Option<Timestamp> {
        self.stamp(key::AGENT_LAST_HEARTBEAT)
    }

    pub fn set_agent_last_heartbeat(&mut self, at: Timestamp) {
        self.set(key::AGENT_LAST_HEARTBEAT, at.naive());
    }

    /// Keeps what an agent says about itself.
    pub fn note_heartbeat(&mut self, heartbeat: &Heartbeat, at: Timestamp) {
        self.set(key::AGENT_URL, heartbeat.callback_url.clone());
        self.set_agent_last_heartbeat(at);
        for (key, value) in [
            (key::AGENT_VERSION, &heartbeat.agent_version),
            (key::AGENT_VERIFY_CA, &heartbeat.agent_verify_ca),
            (key::AGENT_STATUS, &heartbeat.agent_status),
            (key::AGENT_STATUS_MESSAGE, &heartbeat.agent_status_message),
        ] {
            if let Some(value) = value {
                self.set(key, value.clone());
            }
        }
    }

    /// The agent's token. In a row it is sealed.
    pub fn agent_token(&self) -> Option<&Value> {
        self.0.get(key::AGENT_SECRET_TOKEN)
    }

    /// The token that a ramdisk was given when it asked.
    pub fn give_agent_token(&mut self, token: &str) {
        self.set(key::AGENT_SECRET_TOKEN, token);
        self.remove(key::AGENT_WITHOUT_TOKEN);
    }

    /// A token that is told to nobody, for an agent that knows none.
    pub fn withhold_agent_token(&mut self, token: &str) {
        self.set(key::AGENT_SECRET_TOKEN, token);
        self.set(key::AGENT_WITHOUT_TOKEN, true);
    }

    /// Whether somebody was told a token, who has to show it.
    pub fn is_agent_token_told(&self) -> bool {
        self.agent_token().is_some() && !self.is_agent_token_withheld()
    }

    /// Whether the agent is one that knows no tokens.
    pub fn is_agent_token_withheld(&self) -> bool {
        self.flag(key::AGENT_WITHOUT_TOKEN)
    }

    /// The token that comes to the machine with what it boots.
    pub fn embed_agent_token(&mut self, token: &str) {
        self.set(key::AGENT_SECRET_TOKEN, token);
        self.set(key::AGENT_SECRET_TOKEN_PREGENERATED, true);
        self.remove(key::AGENT_WITHOUT_TOKEN);
    }

    pub fn has_embedded_agent_token(&self) -> bool {
        self.flag(key::AGENT_SECRET_TOKEN_PREGENERATED)
    }

    /// The next ramdisk is told no token by what it boots: it asks for one.
    pub fn forget_embedded_agent_token(&mut self) {
        self.remove(key::AGENT_SECRET_TOKEN_PREGENERATED);
    }

    /// Nobody is to be called at the address that an agent had.
    pub fn forget_agent_url(&mut self) {
        self.remove(key::AGENT_URL);
    }

    /// The session is over: whatever agent comes next is a stranger.
    pub fn forget_agent(&mut self) {
        self.remove_all(&[
            key::AGENT_SECRET_TOKEN,
            key::AGENT_SECRET_TOKEN_PREGENERATED,
            key::AGENT_WITHOUT_TOKEN,
            key::AGENT_URL,
            key::AGENT_VERIFY_CA,
        ]);
    }

    /// The machine is about to be started: the agent that comes gets a token of its own, unless what
    /// it boots holds one.
    pub fn forget_agent_before_boot(&mut self) {
        self.forget_agent_url();
        self.forget_bash_ramdisk();
        self.forget_given_agent_token();
    }

    /// The machine lost its power, and whatever ran on it is gone.
    pub fn forget_agent_after_power_cut(&mut self) {
        self.remove_all(&[
            key::AGENT_URL,
            key::agent_steps(StepKind::Deploy),
            key::agent_steps(StepKind::Clean),
            key::AGENT_VERIFY_CA,
            key::AGENT_START_ATTEMPTED,
        ]);
        self.forget_given_agent_token();
    }

    fn forget_given_agent_token(&mut self) {
        if !self.has_embedded_agent_token() {
            self.remove_all(&[key::AGENT_SECRET_TOKEN, key::AGENT_WITHOUT_TOKEN]);
        }
    }

    /// The steps that the agent offers for a flow; `None` when it was not asked yet.
    pub fn agent_steps(&self, kind: StepKind) -> Option<Vec<Step>> {
        let by_interface = self.0.get(key::agent_steps(kind))?;
        let by_interface = by_interface.as_object().into_iter().flatten();
        let lists = by_interface.filter_map(|(_, list)| list.as_array());
        let maps = lists.flatten().filter_map(Value::as_object);
        Some(maps.filter_map(Step::from_map).collect())
    }

    /// Whether the agent offers this step for a flow.
    pub fn has_agent_step(&self, kind: StepKind, interface: InterfaceKind, name: &str) -> bool {
        let by_interface = self.0.get(key::agent_steps(kind));
        let list = by_interface.and_then(|all| all.get(interface.as_str())?.as_array());
        let mut steps = list.into_iter().flatten();
        steps.any(|known| known.get("step").and_then(Value::as_str) == Some(name))
    }

    /// Keeps the steps that the agent offers for a flow, by interface.
    pub fn set_agent_steps(&mut self, kind: StepKind, by_interface: JsonMap, at: Timestamp) {
        self.set(key::agent_steps(kind), by_interface);
        self.set(key::agent_steps_refreshed(kind), at.naive());
    }

    /// The versions of the agent's hardware managers. Only the agent understands them: it wants them
    /// back with every step, and refuses the step when it has others by then.
    pub fn hardware_manager_version(&self) -> Option<&Value> {
        self.0.get(key::HARDWARE_MANAGER_VERSION)
    }

    pub fn set_hardware_manager_version(&mut self, version: Value) {
        self.set(key::HARDWARE_MANAGER_VERSION, version);
    }
}
