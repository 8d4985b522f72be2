//! A login as the target sees it (RFC 7143 §6.3): who may come in, by which proof, and with which
//! parameters.

use crate::iscsi::{
    chap::{self, Algorithm, Challenge, Credentials},
    negotiation::{Offer, Parameters, Reply},
    pdu::{LoginRequest, LoginResponse, text_flags},
    text::{Assembler, Pairs},
};
use std::sync::Arc;

/// The longest login in PDUs; eight are usual with mutual authentication.
const REQUEST_LIMIT: u32 = 32;

/// The portal group of the one portal.
pub const PORTAL_GROUP: u16 = 1;

const SECURITY: u8 = 0;
const OPERATIONAL: u8 = 1;
const FULL_FEATURE: u8 = 3;

/// The target's name, and who may log in.
#[derive(Debug, Clone)]
pub struct Access {
    pub target: String,
    /// The names of initiators; all if `None`.
    pub initiators: Option<Vec<String>>,
    /// What an initiator has to prove; nothing if `None`.
    pub chap: Option<Credentials>,
    /// What the target proves if the initiator asks for it.
    pub mutual_chap: Option<Credentials>,
    pub offer: Offer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionType {
    Normal,
    Discovery,
}

/// A login that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedIn {
    pub initiator: String,
    pub isid: [u8; 6],
    pub session_type: SessionType,
    pub parameters: Parameters,
}

/// Why a login is refused: status class and detail (RFC 7143 §11.13.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the initiator's login is malformed")]
    InitiatorError = 0x0200,
    #[error("the initiator cannot be authenticated")]
    Authentication = 0x0201,
    #[error("the initiator is not the one that this target is for")]
    Authorization = 0x0202,
    #[error("the initiator asks for another target")]
    NotFound = 0x0203,
    #[error("the initiator asks for another version of iSCSI")]
    Version = 0x0205,
    #[error("the initiator does not say who it is or which target it wants")]
    MissingParameter = 0x0207,
    #[error("the initiator asks for an unknown type of session")]
    SessionType = 0x0209,
    #[error("the initiator asks for a session that does not exist")]
    NoSession = 0x020a,
}

impl Refusal {
    fn status(self) -> [u8; 2] {
        (self as u16).to_be_bytes()
    }
}

/// What a request led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Continues,
    Finished,
    Refused(Refusal),
}

#[derive(Debug)]
enum Authentication {
    /// The initiator has to name a method.
    Method,
    /// It has to name a hash function.
    Algorithm,
    /// It has to answer the challenge.
    Response(Algorithm),
    Done,
}

/// A login under way.
#[derive(Debug)]
pub(super) struct Login {
    access: Arc<Access>,
    /// Random; sent where CHAP is wanted.
    challenge: Challenge,
    /// The identifier of the new session.
    tsih: u16,
    stage: Option<u8>,
    authentication: Authentication,
    text: Assembler,
    requests: u32,
    declared: bool,
    initiator: String,
    isid: [u8; 6],
    session_type: SessionType,
    parameters: Parameters,
}

impl Login {
    pub(super) fn new(access: Arc<Access>, challenge: Challenge, tsih: u16) -> Self {
        let authentication = match access.chap {
            Some(_) => Authentication::Method,
            None => Authentication::Done,
        };
        Self {
            access,
            challenge,
            tsih,
            stage: None,
            authentication,
            text: Assembler::default(),
            requests: 0,
            declared: false,
            initiator: String::new(),
            isid: [0; 6],
            session_type: SessionType::Normal,
            parameters: Parameters::default(),
        }
    }

    pub(super) fn logged_in(&self) -> LoggedIn {
        LoggedIn {
            initiator: self.initiator.clone(),
            isid: self.isid,
            session_type: self.session_type,
            parameters: self.parameters,
        }
    }

    /// Answers a request.
    pub(super) fn request(
        &mut self,
        request: &LoginRequest,
        data: &[u8],
    ) -> (LoginResponse, Pairs, Progress) {
        let mut response = LoginResponse {
            isid: request.isid,
            tsih: request.tsih,
            task: request.task,
            ..LoginResponse::default()
        };
        let mut answers = Pairs::default();
        let stages = request.flags & 0x0f;
        match self.negotiate(request, data, &mut answers) {
            Ok(false) => {
                response.flags = stages & 0x0c;
                (response, answers, Progress::Continues)
            }
            Ok(true) => {
                let next = stages & 0x03;
                self.stage = Some(next);
                response.flags = text_flags::TRANSIT | stages;
                if next != FULL_FEATURE {
                    return (response, answers, Progress::Continues);
                }
                response.tsih = self.tsih;
                (response, answers, Progress::Finished)
            }
            Err(refusal) => {
                [response.status_class, response.status_detail] = refusal.status();
                (response, Pairs::default(), Progress::Refused(refusal))
            }
        }
    }

    /// Whether the login goes on to the stage that the request names.
    fn negotiate(
        &mut self,
        request: &LoginRequest,
        data: &[u8],
        answers: &mut Pairs,
    ) -> Result<bool, Refusal> {
        self.requests += 1;
        if self.requests > REQUEST_LIMIT {
            return Err(Refusal::InitiatorError);
        }
        if request.version_min > 0 {
            return Err(Refusal::Version);
        }
        let (current, next) = (request.flags >> 2 & 3, request.flags & 3);
        let transit = request.flags & text_flags::TRANSIT != 0;
        let continues = request.flags & text_flags::CONTINUE != 0;
        let known = [SECURITY, OPERATIONAL].contains(&current);
        if !known || self.stage.is_some_and(|stage| stage != current) || transit && continues {
            return Err(Refusal::InitiatorError);
        }
        if transit && (next <= current || next == 2) {
            return Err(Refusal::InitiatorError);
        }
        let part = self.text.part(data, continues);
        let Some(pairs) = part.map_err(|_| Refusal::InitiatorError)? else {
            return Ok(false);
        };
        if self.stage.is_none() {
            self.identify(request, &pairs, answers)?;
            self.stage = Some(current);
        } else if request.isid != self.isid {
            return Err(Refusal::InitiatorError);
        }
        if current == SECURITY {
            self.authenticate(&pairs, answers)?;
        } else if !matches!(self.authentication, Authentication::Done) {
            return Err(Refusal::Authentication);
        }
        self.operate(&pairs, answers)?;
        if current == OPERATIONAL && !self.declared {
            self.declared = true;
            self.parameters.receive_segment = self.access.offer.receive_segment;
            let length = self.parameters.receive_segment.to_string();
            answers.push("MaxRecvDataSegmentLength", length);
        }
        Ok(transit && matches!(self.authentication, Authentication::Done))
    }

    /// The first request says who wants what (§6.3).
    fn identify(
        &mut self,
        request: &LoginRequest,
        pairs: &Pairs,
        answers: &mut Pairs,
    ) -> Result<(), Refusal> {
        if request.tsih != 0 {
            // Sessions have one connection.
            return Err(Refusal::NoSession);
        }
        let initiator = pairs.get("InitiatorName").filter(|name| name.len() <= 223);
        self.initiator = initiator.ok_or(Refusal::MissingParameter)?.to_owned();
        self.isid = request.isid;
        self.session_type = match pairs.get("SessionType") {
            None | Some("Normal") => SessionType::Normal,
            Some("Discovery") => SessionType::Discovery,
            Some(_) => return Err(Refusal::SessionType),
        };
        if let Some(expected) = &self.access.initiators {
            // Names are compared without regard to case (RFC 3722).
            let same = |name: &String| name.eq_ignore_ascii_case(&self.initiator);
            if !expected.iter().any(same) {
                return Err(Refusal::Authorization);
            }
        }
        if self.session_type == SessionType::Normal {
            let target = pairs.get("TargetName").ok_or(Refusal::MissingParameter)?;
            if !target.eq_ignore_ascii_case(&self.access.target) {
                return Err(Refusal::NotFound);
            }
            answers.push("TargetPortalGroupTag", PORTAL_GROUP.to_string());
        }
        Ok(())
    }

    fn authenticate(&mut self, pairs: &Pairs, answers: &mut Pairs) -> Result<(), Refusal> {
        if let Some(methods) = pairs.get("AuthMethod") {
            let ours = match self.access.chap {
                Some(_) => "CHAP",
                None => "None",
            };
            if !methods.split(',').any(|method| method == ours) {
                return Err(Refusal::Authentication);
            }
            if matches!(self.authentication, Authentication::Method) {
                self.authentication = Authentication::Algorithm;
            }
            answers.push("AuthMethod", ours);
        }
        if let Some(list) = pairs.get("CHAP_A") {
            let Authentication::Algorithm = self.authentication else {
                return Err(Refusal::InitiatorError);
            };
            let algorithm = Algorithm::choose(list).ok_or(Refusal::Authentication)?;
            answers.push("CHAP_A", algorithm.number().to_string());
            answers.push("CHAP_I", self.challenge.id.to_string());
            answers.push("CHAP_C", chap::encode_binary(&self.challenge.bytes));
            self.authentication = Authentication::Response(algorithm);
        }
        if let (Some(name), Some(response)) = (pairs.get("CHAP_N"), pairs.get("CHAP_R")) {
            let Authentication::Response(algorithm) = self.authentication else {
                return Err(Refusal::InitiatorError);
            };
            self.verify(algorithm, name, response)?;
            self.prove(algorithm, pairs, answers)?;
            self.authentication = Authentication::Done;
        }
        Ok(())
    }

    fn verify(&self, algorithm: Algorithm, name: &str, response: &str) -> Result<(), Refusal> {
        let expected = self.access.chap.as_ref().ok_or(Refusal::InitiatorError)?;
        let response = chap::decode_binary(response).ok_or(Refusal::Authentication)?;
        let right = algorithm.verify(&self.challenge, &expected.secret, &response);
        if !right || name != expected.name {
            return Err(Refusal::Authentication);
        }
        Ok(())
    }

    /// Answers the initiator's challenge, where it sends one.
    fn prove(
        &self,
        algorithm: Algorithm,
        pairs: &Pairs,
        answers: &mut Pairs,
    ) -> Result<(), Refusal> {
        let (Some(id), Some(bytes)) = (pairs.get("CHAP_I"), pairs.get("CHAP_C")) else {
            return Ok(());
        };
        let mutual = self.access.mutual_chap.as_ref();
        let mutual = mutual.ok_or(Refusal::Authentication)?;
        let id = id.parse().map_err(|_| Refusal::InitiatorError)?;
        let bytes = chap::decode_binary(bytes).ok_or(Refusal::InitiatorError)?;
        // An initiator that sends our own challenge back wants us to answer it for it
        // (RFC 7143 §12.1.3).
        if bytes == self.challenge.bytes {
            return Err(Refusal::Authentication);
        }
        let response = algorithm.response(&Challenge { id, bytes }, &mutual.secret);
        answers.push("CHAP_N", mutual.name.clone());
        answers.push("CHAP_R", chap::encode_binary(&response));
        Ok(())
    }

    /// Keys that are neither names nor authentication.
    fn operate(&mut self, pairs: &Pairs, answers: &mut Pairs) -> Result<(), Refusal> {
        const ELSEWHERE: [&str; 9] = [
            "InitiatorName",
            "TargetName",
            "SessionType",
            "AuthMethod",
            "CHAP_A",
            "CHAP_I",
            "CHAP_C",
            "CHAP_N",
            "CHAP_R",
        ];
        for (key, value) in pairs.iter().filter(|pair| !ELSEWHERE.contains(&pair.0)) {
            // The initiator's answer to a key that we did not understand ends there.
            if value == "NotUnderstood" {
                continue;
            }
            let answer = self.parameters.answer(&self.access.offer, key, value);
            if let Reply::Value(value) = answer.map_err(|_| Refusal::InitiatorError)? {
                answers.push(key, value);
            }
        }
        Ok(())
    }
}
