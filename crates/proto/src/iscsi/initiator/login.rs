//! A login as the initiator sees it (RFC 7143 §6.3).

use crate::iscsi::{
    DecodeError,
    chap::{self, Algorithm, Challenge, Credentials},
    negotiation::{InvalidValue, Offer, Parameters},
    pdu::{Bhs, LoginRequest, LoginResponse, Pdu, text_flags},
    text::{Assembler, Pairs},
};
use bytes::Bytes;

/// The longest login in PDUs.
const RESPONSE_LIMIT: u32 = 32;

const SECURITY: u8 = 0;
const OPERATIONAL: u8 = 1;
const FULL_FEATURE: u8 = 3;

/// Who logs in where.
#[derive(Debug, Clone)]
pub struct LoginSettings {
    pub initiator: String,
    /// `None` for a discovery session.
    pub target: Option<String>,
    /// The initiator's part of the session's name. A login with the same one ends an earlier
    /// session (§6.3.5).
    pub isid: [u8; 6],
    /// What we prove. Without it no authentication is offered, with it nothing less is accepted.
    pub chap: Option<Credentials>,
    /// What the target has to prove.
    pub mutual_chap: Option<Credentials>,
    pub offer: Offer,
}

/// Why a login failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Negotiation(#[from] InvalidValue),
    #[error("the target refused the credentials (login status {0:#06x})")]
    Authentication(u16),
    #[error("the target does not know this initiator (login status {0:#06x})")]
    Authorization(u16),
    #[error("the target does not exist (login status {0:#06x})")]
    NotFound(u16),
    #[error("the target moved to {0}")]
    Moved(String),
    #[error("the target refused the login (login status {0:#06x})")]
    Refused(u16),
    #[error("the target cannot take a login now (login status {0:#06x})")]
    Unavailable(u16),
    #[error("the target does not authenticate as was agreed")]
    TargetNotAuthentic,
    #[error("the target offers no authentication that we know")]
    NoMethod,
    #[error("the target's login is against the protocol: {0}")]
    Protocol(&'static str),
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginStep {
    Send(Bhs, Bytes),
    /// The parameters, the session's identifier, and the next StatSN.
    Done(Parameters, u16, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Authentication {
    Method,
    Challenge,
    /// The target has to answer our challenge by this hash function, if we sent one.
    Proof(Algorithm),
    Done,
}

/// A login under way.
#[derive(Debug)]
pub struct Login {
    settings: LoginSettings,
    /// Random; sent where the target has to authenticate.
    challenge: Challenge,
    cmd_sn: u32,
    exp_stat_sn: u32,
    stage: u8,
    authentication: Authentication,
    proposed: bool,
    text: Assembler,
    responses: u32,
    parameters: Parameters,
}

impl Login {
    pub fn new(settings: LoginSettings, challenge: Challenge, cmd_sn: u32) -> Self {
        let authentication = match settings.chap {
            Some(_) => Authentication::Method,
            None => Authentication::Done,
        };
        let parameters = Parameters {
            receive_segment: settings.offer.receive_segment,
            ..Parameters::default()
        };
        Self {
            settings,
            challenge,
            cmd_sn,
            exp_stat_sn: 0,
            stage: SECURITY,
            authentication,
            proposed: false,
            text: Assembler::default(),
            responses: 0,
            parameters,
        }
    }

    /// The first request.
    pub fn start(&mut self) -> (Bhs, Bytes) {
        let mut pairs = Pairs::default();
        pairs.push("InitiatorName", self.settings.initiator.clone());
        match &self.settings.target {
            Some(target) => {
                pairs.push("SessionType", "Normal");
                pairs.push("TargetName", target.clone());
            }
            None => pairs.push("SessionType", "Discovery"),
        }
        let method = match self.settings.chap {
            Some(_) => "CHAP",
            None => "None",
        };
        pairs.push("AuthMethod", method);
        self.request(&pairs)
    }

    /// Takes a response in.
    pub fn response(&mut self, bhs: &Bhs, data: &[u8]) -> Result<LoginStep, LoginError> {
        let Pdu::LoginResponse(response) = Pdu::decode(bhs)? else {
            return Err(LoginError::Protocol("another PDU came during the login"));
        };
        self.responses += 1;
        if self.responses > RESPONSE_LIMIT {
            return Err(LoginError::Protocol("it does not come to an end"));
        }
        self.judge_status(&response, data)?;
        self.exp_stat_sn = bhs.stat_sn().wrapping_add(1);
        let continues = response.flags & text_flags::CONTINUE != 0;
        let Some(pairs) = self.text.part(data, continues)? else {
            let (bhs, data) = self.request_without_transit(&Pairs::default());
            return Ok(LoginStep::Send(bhs, data));
        };
        let mut answers = Pairs::default();
        if self.stage == SECURITY {
            self.authenticate(&pairs, &mut answers)?;
        }
        for (key, value) in pairs.iter() {
            self.parameters.accept(key, value)?;
        }
        if response.flags & text_flags::TRANSIT != 0 {
            if self.authentication != Authentication::Done {
                return Err(LoginError::TargetNotAuthentic);
            }
            match response.flags & 3 {
                FULL_FEATURE if self.proposed => {
                    let next = self.exp_stat_sn;
                    return Ok(LoginStep::Done(self.parameters, response.tsih, next));
                }
                OPERATIONAL if self.stage == SECURITY => self.stage = OPERATIONAL,
                _ => return Err(LoginError::Protocol("it goes to an unexpected stage")),
            }
        }
        if self.stage == OPERATIONAL && !self.proposed {
            self.proposed = true;
            let discovery = self.settings.target.is_none();
            answers = Parameters::propose(&self.settings.offer, discovery);
        }
        let (bhs, data) = self.request(&answers);
        Ok(LoginStep::Send(bhs, data))
    }

    fn judge_status(&self, response: &LoginResponse, data: &[u8]) -> Result<(), LoginError> {
        let (class, detail) = (response.status_class, response.status_detail);
        let status = u16::from_be_bytes([class, detail]);
        Err(match (class, detail) {
            (0, _) => return Ok(()),
            (1, _) => {
                let pairs = Pairs::decode(data)?;
                let address = pairs.get("TargetAddress").unwrap_or("an unknown address");
                LoginError::Moved(address.to_owned())
            }
            (2, 1) => LoginError::Authentication(status),
            (2, 2) => LoginError::Authorization(status),
            (2, 3 | 4) => LoginError::NotFound(status),
            (3, _) => LoginError::Unavailable(status),
            _ => LoginError::Refused(status),
        })
    }

    fn authenticate(&mut self, pairs: &Pairs, answers: &mut Pairs) -> Result<(), LoginError> {
        let Some(chap) = &self.settings.chap else {
            return Ok(());
        };
        match self.authentication {
            Authentication::Method if pairs.get("AuthMethod") == Some("CHAP") => {
                answers.push("CHAP_A", Algorithm::OFFER);
                self.authentication = Authentication::Challenge;
            }
            Authentication::Method => return Err(LoginError::NoMethod),
            Authentication::Challenge => {
                let (algorithm, theirs) = read_challenge(pairs)?;
                let response = algorithm.response(&theirs, &chap.secret);
                answers.push("CHAP_N", chap.name.clone());
                answers.push("CHAP_R", chap::encode_binary(&response));
                self.authentication = match self.settings.mutual_chap {
                    Some(_) => {
                        // A target that reflects our challenge could send our own response back
                        // (RFC 7143 §12.1.3).
                        if theirs.bytes == self.challenge.bytes {
                            return Err(LoginError::TargetNotAuthentic);
                        }
                        answers.push("CHAP_I", self.challenge.id.to_string());
                        answers.push("CHAP_C", chap::encode_binary(&self.challenge.bytes));
                        Authentication::Proof(algorithm)
                    }
                    None => Authentication::Done,
                };
            }
            Authentication::Proof(algorithm) => {
                let mutual = self.settings.mutual_chap.as_ref();
                let mutual = mutual.ok_or(LoginError::TargetNotAuthentic)?;
                let response = pairs.get("CHAP_R").and_then(chap::decode_binary);
                let response = response.ok_or(LoginError::TargetNotAuthentic)?;
                let right = algorithm.verify(&self.challenge, &mutual.secret, &response);
                // The same secret in both directions would let a target prove itself by what we
                // told it.
                let own = mutual.secret != chap.secret;
                if !right || !own || pairs.get("CHAP_N") != Some(mutual.name.as_str()) {
                    return Err(LoginError::TargetNotAuthentic);
                }
                self.authentication = Authentication::Done;
            }
            Authentication::Done => {}
        }
        Ok(())
    }

    fn request(&self, pairs: &Pairs) -> (Bhs, Bytes) {
        let next = match (self.stage, self.authentication) {
            (SECURITY, Authentication::Done | Authentication::Proof(_)) => Some(OPERATIONAL),
            (SECURITY, _) => None,
            _ => Some(FULL_FEATURE),
        };
        let flags = next.map_or(0, |next| text_flags::TRANSIT | next);
        self.build(flags, pairs)
    }

    fn request_without_transit(&self, pairs: &Pairs) -> (Bhs, Bytes) {
        self.build(0, pairs)
    }

    fn build(&self, flags: u8, pairs: &Pairs) -> (Bhs, Bytes) {
        let request = LoginRequest {
            flags: flags | self.stage << 2,
            isid: self.settings.isid,
            ..LoginRequest::default()
        };
        let mut bhs = request.encode().immediate();
        bhs.set_cmd_sn(self.cmd_sn);
        bhs.set_exp_stat_sn(self.exp_stat_sn);
        (bhs, pairs.encode())
    }
}

fn read_challenge(pairs: &Pairs) -> Result<(Algorithm, Challenge), LoginError> {
    let algorithm = pairs.get("CHAP_A").and_then(Algorithm::from_number);
    let id = pairs.get("CHAP_I").and_then(|id| id.parse().ok());
    let bytes = pairs.get("CHAP_C").and_then(chap::decode_binary);
    match (algorithm, id, bytes) {
        (Some(algorithm), Some(id), Some(bytes)) => Ok((algorithm, Challenge { id, bytes })),
        (None, _, _) => Err(LoginError::NoMethod),
        _ => Err(LoginError::Protocol("its challenge is incomplete")),
    }
}
