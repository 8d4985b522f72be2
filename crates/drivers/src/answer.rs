//! Answers of machines, which may be anything: how much of one is read, and how it is parsed.
//!
//! Agents and BMCs are not trusted with our memory. An answer is read up to a limit, what is more
//! than a little of it is claimed from the pool that all machines share, and its values are counted
//! before they are built. Large ones are parsed on a thread where nobody waits behind them.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::time::Duration;
use types::{
    json_shape::{Shape, TooManyValues},
    memory_budget::{Arrival, Claim, FREE, MACHINES},
};

/// How long an answer waits for others to be done.
const PATIENCE: Duration = Duration::from_secs(30);
/// In steps of how many bytes memory is claimed for an answer that arrives.
const STEP: usize = 1 << 20;

/// What is kept of an answer becomes part of a larger document, which must be parsed again: deeper
/// than 128 levels serde_json does not follow.
const DEEPEST: usize = 64;

/// Why an answer is not taken.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("it is longer than {} KiB", .0 >> 10)]
    TooLong(usize),
    #[error("{0}")]
    TooManyValues(#[from] TooManyValues),
    #[error("its values are nested more than {DEEPEST} levels deep")]
    TooDeep,
    #[error("too many large answers of machines are being read at the moment")]
    NoMemory,
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
    #[error("it could not be parsed: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// An answer that is being read.
#[derive(Debug)]
pub(crate) struct Arriving {
    bytes: Vec<u8>,
    limit: usize,
    claimed: usize,
    claims: Vec<Claim>,
    /// There for what holds memory that others may need.
    arrival: Option<Arrival>,
}

/// An answer that has been read, and the memory claimed for it.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: Bytes,
    pub(crate) claims: Vec<Claim>,
}

impl Arriving {
    /// Nothing yet, of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
            claimed: FREE,
            claims: Vec::new(),
            arrival: None,
        }
    }

    /// Waits for the next piece, unless the answer has to give way to others because it is slow.
    pub(crate) async fn piece<T>(&self, piece: impl Future<Output = T>) -> Result<T, AnswerError> {
        let Some(arrival) = &self.arrival else {
            return Ok(piece.await);
        };
        arrival.has(self.bytes.len());
        tokio::select! {
            biased;
            () = arrival.dismissed() => Err(AnswerError::NoMemory),
            piece = piece => Ok(piece),
        }
    }

    pub(crate) async fn add(&mut self, piece: &[u8]) -> Result<(), AnswerError> {
        let length = self.bytes.len() + piece.len();
        if length > self.limit {
            return Err(AnswerError::TooLong(self.limit));
        }
        while length > self.claimed && self.claimed < MACHINES.largest() {
            let arrival = self.arrival.get_or_insert_with(|| MACHINES.arrival());
            let claim = arrival.claims(claim(STEP)).await?;
            self.claimed += claim.bytes();
            self.claims.push(claim);
        }
        if length > FREE && length > self.bytes.capacity() {
            // A buffer that doubles would hold three times what has arrived while it grows.
            self.bytes.reserve_exact(piece.len().max(STEP));
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    pub(crate) fn finish(self) -> Arrived {
        Arrived {
            bytes: self.bytes.into(),
            claims: self.claims,
        }
    }
}

/// Memory, if there is some in time. What arrives slowly in the meantime gives way.
async fn claim(bytes: usize) -> Result<Claim, AnswerError> {
    const AGAIN: Duration = Duration::from_secs(1);
    for _ in 0..PATIENCE.as_secs() {
        if let Ok(claim) = tokio::time::timeout(AGAIN, MACHINES.claim(bytes)).await {
            return Ok(claim);
        }
    }
    Err(AnswerError::NoMemory)
}

/// What an answer says.
pub(crate) async fn parse<T>(bytes: Bytes) -> Result<T, AnswerError>
where
    T: DeserializeOwned + Send + 'static,
{
    if bytes.len() <= FREE {
        return parse_here(&bytes);
    }
    let text = bytes.clone();
    let shape = tokio::task::spawn_blocking(move || judged(&text)).await??;
    let _room = claim(shape.memory()).await?;
    let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice(&bytes)).await?;
    Ok(parsed?)
}

/// What a short answer says.
pub(crate) fn parse_here<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AnswerError> {
    judged(bytes)?;
    Ok(serde_json::from_slice(bytes)?)
}

/// What an answer becomes, if it may be parsed.
fn judged(bytes: &[u8]) -> Result<Shape, AnswerError> {
    let shape = Shape::within_bounds(bytes)?;
    match shape.depth > DEEPEST {
        true => Err(AnswerError::TooDeep),
        false => Ok(shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[tokio::test]
    async fn an_answer_is_read_up_to_its_limit() {
        let mut arriving = Arriving::new(3 << 20);
        for _ in 0..3 {
            arriving.add(&[b' '; 1 << 20]).await.unwrap();
        }
        let refused = arriving.add(b" ").await.unwrap_err();
        assert_eq!(refused.to_string(), "it is longer than 3072 KiB");
        let arrived = arriving.finish();
        let claimed: usize = arrived.claims.iter().map(Claim::bytes).sum();
        assert!(claimed + FREE >= arrived.bytes.len());
    }

    #[tokio::test]
    async fn a_bomb_is_refused_before_it_is_built() {
        let bomb = Bytes::from(format!("[{}0]", "[0],".repeat(1 << 20)));
        let refused = parse::<Value>(bomb).await.unwrap_err();
        assert!(
            matches!(refused, AnswerError::TooManyValues(_)),
            "{refused}"
        );
        let logs = format!(r#"{{"logs": "{}"}}"#, "x".repeat(1 << 20));
        let logs: Value = parse(Bytes::from(logs)).await.unwrap();
        assert_eq!(logs["logs"].as_str().map(str::len), Some(1 << 20));
        for size in [0, FREE] {
            let deep = format!("{}{}{}", " ".repeat(size), "[".repeat(65), "]".repeat(65));
            let refused = parse::<Value>(Bytes::from(deep)).await;
            assert!(matches!(refused, Err(AnswerError::TooDeep)), "{refused:?}");
        }
        let broken = parse::<Value>(Bytes::from_static(b"{")).await;
        assert!(matches!(broken, Err(AnswerError::Syntax(_))));
    }
}
