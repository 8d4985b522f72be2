//! A graphical console that is on: where its RFB server is, and the token that lets viewers in.

use super::{InternalInfo, key};
use crate::Timestamp;
use serde_json::Value;

const KEYS: &[&str] = &[
    key::VNC_HOST,
    key::VNC_PORT,
    key::NOVNC_SECRET_TOKEN,
    key::NOVNC_SECRET_TOKEN_CREATED,
];

impl InternalInfo {
    pub fn begin_screen(&mut self, host: &str, port: u16, token: &str, at: Timestamp) {
        self.set(key::VNC_HOST, host);
        self.set(key::VNC_PORT, port);
        self.set(key::NOVNC_SECRET_TOKEN, token);
        self.set(key::NOVNC_SECRET_TOKEN_CREATED, at.naive());
    }

    pub fn end_screen(&mut self) {
        self.remove_all(KEYS);
    }

    /// Whatever console was on, it listened for another service.
    pub fn forget_consoles(&mut self) {
        self.end_screen();
        self.forget_console_port();
    }

    pub fn screen_place(&self) -> Option<(&str, u16)> {
        let port = self.0.get(key::VNC_PORT)?.as_u64()?;
        Some((self.text(key::VNC_HOST)?, u16::try_from(port).ok()?))
    }

    /// The token and when it was made. In a row both are sealed.
    pub fn screen_token(&self) -> Option<(&Value, &Value)> {
        let token = self.0.get(key::NOVNC_SECRET_TOKEN)?;
        Some((token, self.0.get(key::NOVNC_SECRET_TOKEN_CREATED)?))
    }
}
