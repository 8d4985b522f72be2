//! Why a disk behind iSCSI did not do what it was asked to.

use crate::{DriverError, Failure};
use proto::iscsi::{
    DecodeError,
    initiator::{LoginError, SessionError},
    scsi::{Sense, status},
};
use std::{io, sync::Arc};

#[derive(Debug, Clone, thiserror::Error)]
pub enum IscsiError {
    #[error("there is no connection to the iSCSI target")]
    Connection(#[source] Arc<io::Error>),
    #[error("the iSCSI login failed")]
    Login(#[from] LoginError),
    #[error("a PDU of the iSCSI target cannot be read")]
    Decode(#[from] DecodeError),
    #[error("the iSCSI session cannot go on")]
    Session(#[from] SessionError),
    #[error("the iSCSI target did not answer in time")]
    Timeout,
    #[error("the iSCSI target is silent")]
    Silent,
    #[error("the iSCSI target ended the session")]
    LoggedOut,
    #[error("the iSCSI session was lost before {0} was answered; it may have been carried out")]
    Interrupted(&'static str),
    #[error("the disk answered {command} with {sense}")]
    Sense { command: &'static str, sense: Sense },
    #[error("the disk answered {command} with status {status:#04x}")]
    Status { command: &'static str, status: u8 },
    #[error("the disk is reserved by another initiator")]
    Reserved,
    #[error(
        "the disk's reservation was gone when the iSCSI session came back: somebody else had the disk, or the target was started again; deploy the node again"
    )]
    ReservationLost,
    #[error("the iSCSI target rejected a PDU for reason {0:#04x}")]
    Rejected(u8),
    #[error("the disk's answer to {0} is too short")]
    Short(&'static str),
    #[error("the disk has no {0}")]
    Unsupported(&'static str),
    #[error("{0} is not within the disk, or not in whole blocks")]
    OutOfRange(&'static str),
}

impl From<io::Error> for IscsiError {
    fn from(error: io::Error) -> Self {
        Self::Connection(Arc::new(error))
    }
}

impl IscsiError {
    /// What a command that did not succeed was answered with.
    pub(super) fn refusal(command: &'static str, answer: (u8, Option<Sense>)) -> Self {
        match answer {
            (status::CHECK_CONDITION, Some(sense)) => Self::Sense { command, sense },
            (status::RESERVATION_CONFLICT, _) => Self::Reserved,
            (status, _) => Self::Status { command, status },
        }
    }

    /// Whether another login may help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Login(error) => matches!(error, LoginError::Unavailable(_)),
            Self::Connection(_)
            | Self::Decode(_)
            | Self::Session(_)
            | Self::Timeout
            | Self::Silent
            | Self::LoggedOut => true,
            _ => false,
        }
    }
}

impl From<IscsiError> for DriverError {
    fn from(error: IscsiError) -> Self {
        let variant = match &error {
            IscsiError::Connection(_)
            | IscsiError::Timeout
            | IscsiError::Silent
            | IscsiError::LoggedOut
            | IscsiError::Interrupted(_) => Self::Unreachable,
            IscsiError::Login(
                LoginError::Authentication(_)
                | LoginError::Authorization(_)
                | LoginError::TargetNotAuthentic
                | LoginError::NoMethod,
            ) => Self::Refused,
            IscsiError::Login(LoginError::Unavailable(_))
            | IscsiError::Reserved
            | IscsiError::ReservationLost => Self::Busy,
            IscsiError::Login(_)
            | IscsiError::Decode(_)
            | IscsiError::Session(_)
            | IscsiError::Short(_)
            | IscsiError::Rejected(_) => Self::Protocol,
            IscsiError::Sense { .. }
            | IscsiError::Status { .. }
            | IscsiError::Unsupported(_)
            | IscsiError::OutOfRange(_) => Self::Rejected,
        };
        variant(Failure::because("writing a disk over iSCSI", error))
    }
}
