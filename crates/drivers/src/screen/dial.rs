//! Getting in at a machine's RFB server.

use super::VncServer;
use crate::{DriverError, Failure};
use outbound::Policy;
use proto::rfb::login::{Login, LoginError};
use std::{io, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// How long a server may take to let us in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no conversation.
enum DialError {
    Broken(io::Error),
    Login(LoginError),
}

/// Connects with a server and logs in; what it says next is for a viewer.
pub(super) async fn dial(place: &VncServer, policy: &Policy) -> Result<TcpStream, DriverError> {
    let tried = || format!("connecting with the VNC server at {place}");
    let unreachable = |error| DriverError::Unreachable(Failure::because(tried(), error));
    let connecting = async {
        let address = policy.resolve(&place.host, place.port).await?;
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        io::Result::Ok(stream)
    };
    let connected = timeout(PATIENCE, connecting).await;
    let mut stream = match connected {
        Ok(connected) => connected.map_err(unreachable)?,
        Err(_) => return Err(unreachable(io::ErrorKind::TimedOut.into())),
    };
    let password = place.password.as_deref();
    match timeout(PATIENCE, log_in(&mut stream, password)).await {
        Ok(Ok(())) => Ok(stream),
        Ok(Err(DialError::Broken(error))) => Err(unreachable(error)),
        Ok(Err(DialError::Login(error))) => Err(variant(&error)(Failure::because(
            format!("logging in at the VNC server {place}"),
            error,
        ))),
        // The words are those of Ironic.
        Err(_) => Err(DriverError::Unreachable(
            format!("RFB data not returned by {place}").into(),
        )),
    }
}

/// The same for a server in this process.
pub(super) async fn enter<S>(mut stream: S) -> Result<S, DriverError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match log_in(&mut stream, None).await {
        Ok(()) => Ok(stream),
        Err(_) => Err(DriverError::Environment("the built-in screen ended".into())),
    }
}

fn variant(error: &LoginError) -> crate::error::Variant {
    match error {
        LoginError::NoPassword | LoginError::WrongPassword => DriverError::Refused,
        LoginError::Refused(_) | LoginError::Security(_) => DriverError::Rejected,
        LoginError::NotRfb | LoginError::Version(_) | LoginError::Nonsense(_) => {
            DriverError::Protocol
        }
    }
}

async fn log_in(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    password: Option<&str>,
) -> Result<(), DialError> {
    let mut login = Login::new(password);
    loop {
        let needed = login.needs();
        if needed == 0 {
            return Ok(());
        }
        let mut bytes = vec![0; needed];
        let read = stream.read_exact(&mut bytes).await;
        read.map_err(DialError::Broken)?;
        let answer = login.take(&bytes).map_err(DialError::Login)?;
        if !answer.is_empty() {
            let written = stream.write_all(&answer).await;
            written.map_err(DialError::Broken)?;
        }
    }
}
