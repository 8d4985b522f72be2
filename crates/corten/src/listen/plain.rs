//! Answers plain HTTP requests on an HTTPS port with a readable error.
//!
//! Such a client would otherwise see an alert of TLS, which is no HTTP, and be none the wiser.

use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const BODY: &str = r#"{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"This port speaks HTTPS: begin the address with https://\", \"debuginfo\": null}"}"#;

/// As much of a request as is read before it is answered, so that the answer is not lost to a reset.
const HEAD: usize = 16 * 1024;

/// Whether a client begins with a letter, as no client of TLS does. Nothing is taken from the stream.
pub(super) async fn is_plain(stream: &TcpStream, patience: Duration) -> bool {
    let mut first = [0];
    matches!(timeout(patience, stream.peek(&mut first)).await, Ok(Ok(1)) if first[0].is_ascii_uppercase())
}

/// Refuses a request in plain HTTP.
pub(super) async fn refuse(mut stream: TcpStream, patience: Duration) {
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    let spoken = async {
        let mut head = vec![0; HEAD];
        let _ = stream.read(&mut head).await;
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    };
    // A client that does not take the answer has gone.
    let _ = timeout(patience, spoken).await;
    tracing::debug!("a client sent plain HTTP to an HTTPS port");
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        (client, listener.accept().await.unwrap().0)
    }

    #[tokio::test]
    async fn whoever_forgot_the_s_is_told() {
        let patience = Duration::from_secs(60);
        let (mut client, server) = pair().await;
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n")
            .await
            .unwrap();
        assert!(is_plain(&server, patience).await);
        refuse(server, patience).await;
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 400 ") && answer.contains("https://"),
            "{answer}"
        );
        let (mut client, server) = pair().await;
        client.write_all(&[0x16, 3, 1]).await.unwrap();
        assert!(!is_plain(&server, patience).await);
        let (client, server) = pair().await;
        drop(client);
        assert!(!is_plain(&server, patience).await);
    }
}
