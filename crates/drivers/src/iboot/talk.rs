//! Talking to an iBoot: the gate, the address, the order, and the rule for retries.

use super::{IbootSettings, Info};
use crate::{
    DriverError, Failure,
    gate::{Gates, Permit},
    recorder::Recorder,
};
use proto::iboot::{DONE, FAILED, HELLO, Order, Request};
use std::{error::Error, io, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout},
};
use types::recording::{Answer, Exchange, Question, Words};

/// What all iBoots share.
#[derive(Debug)]
pub struct Iboot {
    pub settings: IbootSettings,
    gates: Gates,
    recorder: Recorder,
}

/// Why an order came to nothing.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("no connection")]
    Connection(#[source] io::Error),
    #[error("no answer within {0} s")]
    Silence(f32),
    #[error("it ended the connection; the user or the password may be wrong")]
    Closed,
    #[error("the connection broke")]
    Broken(#[source] io::Error),
}

impl Iboot {
    pub fn new(settings: IbootSettings) -> Self {
        Self {
            gates: Gates::new(settings.gate.clone()),
            recorder: Recorder::default(),
            settings,
        }
    }

    /// The same, noting what is said on tapes that others can read.
    pub fn recorded(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// Has an order followed.
    pub(super) async fn order(
        &self,
        info: &Info,
        operation: &'static str,
        order: &Order,
    ) -> Result<(), DriverError> {
        let said = self.ask(info, operation, order, 1).await?;
        match said.first() {
            Some(&DONE) => Ok(()),
            Some(&FAILED) => {
                let cause = "it refuses; the user, the password or the relay may be wrong";
                Err(DriverError::Rejected(failure(info, operation, cause)))
            }
            odd => Err(self.nonsense(info, operation, odd.copied())),
        }
    }

    /// An answer that has no meaning.
    pub(super) fn nonsense(
        &self,
        info: &Info,
        operation: &'static str,
        said: Option<u8>,
    ) -> DriverError {
        let said = said.map_or_else(|| "nothing".to_owned(), |byte| format!("{byte:#04x}"));
        let cause = format!("it answers {said}, which means nothing");
        DriverError::Protocol(failure(info, operation, cause))
    }

    /// Sends an order, and waits for an answer of so many bytes. What is lost on the way is sent
    /// again: every order may be followed twice.
    pub(super) async fn ask(
        &self,
        info: &Info,
        operation: &'static str,
        order: &Order,
        length: usize,
    ) -> Result<Vec<u8>, DriverError> {
        let outbound = &self.settings.outbound;
        let address = outbound.resolve(&info.host, info.port).await;
        let address =
            address.map_err(|error| DriverError::Unreachable(failure(info, operation, error)))?;
        let permit = self.gates.of(&address.to_string()).enter().await;
        let permit = permit.map_err(|error| error.variant()(failure(info, operation, error)))?;
        let mut sent = 0;
        loop {
            let began = Instant::now();
            let tried = permit.within(self.try_once(address, info, order, length));
            let outcome = tried
                .await
                .map_err(|error| error.variant()(failure(info, operation, error)))?;
            self.note(info, operation, order, &outcome, began);
            sent += 1;
            match outcome {
                Ok(answer) => {
                    permit.heard();
                    return Ok(answer);
                }
                Err(lost) if sent > self.settings.retries => {
                    return Err(silent(&permit, info, operation, lost));
                }
                Err(lost) => {
                    tracing::debug!(iboot = info.peer(), error = %types::error::chain(&lost), "asking again");
                    tokio::time::sleep(self.settings.pause).await;
                }
            }
        }
    }

    async fn try_once(
        &self,
        address: SocketAddr,
        info: &Info,
        order: &Order,
        length: usize,
    ) -> Result<Vec<u8>, Lost> {
        let limit = self.settings.timeout;
        let silence = |_| Lost::Silence(limit.as_secs_f32());
        let connected = timeout(limit, TcpStream::connect(address)).await;
        let mut stream = connected.map_err(silence)?.map_err(Lost::Connection)?;
        let talk = async {
            stream.write_all(HELLO).await?;
            let mut sequence = [0; 2];
            stream.read_exact(&mut sequence).await?;
            let request = Request {
                login: info.login.clone(),
                sequence: u16::from_le_bytes(sequence).wrapping_add(1),
                order: order.clone(),
            };
            stream.write_all(&request.encode()).await?;
            let mut answer = vec![0; length];
            stream.read_exact(&mut answer).await?;
            Ok(answer)
        };
        let talked: io::Result<Vec<u8>> = timeout(limit, talk).await.map_err(silence)?;
        talked.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => Lost::Closed,
            _ => Lost::Broken(error),
        })
    }

    /// Keeps an exchange for the flight recorder. Neither side of it says who asks.
    fn note(
        &self,
        info: &Info,
        operation: &'static str,
        order: &Order,
        outcome: &Result<Vec<u8>, Lost>,
        began: Instant,
    ) {
        let password = &info.login.password;
        let tape = self.recorder.of(info.node);
        // The bytes of an answer are whatever the other side pleases.
        let tape = tape.hiding([types::hex::encode(password).as_bytes()]);
        let words = |words: String| Words { words };
        let exchange = Exchange {
            peer: info.peer(),
            operation: operation.into(),
            question: Question::Words(words(format!("{order:?}"))),
            answer: outcome
                .as_ref()
                .ok()
                .map(|bytes| Answer::Words(words(types::hex::encode(bytes)))),
            failure: outcome.as_ref().err().map(|lost| types::error::chain(lost)),
        };
        tape.note(exchange, began.elapsed());
    }
}

fn silent(permit: &Permit, info: &Info, operation: &'static str, lost: Lost) -> DriverError {
    if let Err(rest) = permit.silent() {
        tracing::warn!(iboot = info.peer(), error = %rest, "an iBoot does not answer");
    }
    DriverError::Unreachable(failure(info, operation, lost))
}

fn failure(
    info: &Info,
    operation: &'static str,
    cause: impl Into<Box<dyn Error + Send + Sync>>,
) -> Failure {
    let tried = format!(
        "{operation} of relay {} of iBoot {}",
        info.relay,
        info.peer()
    );
    Failure::because(tried, cause)
}
