//! A web server with one image, which can be slow, change and go away.

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::sync::{Arc, Mutex};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

pub(crate) struct Source {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    image: Mutex<Option<Vec<u8>>>,
    list: Mutex<String>,
    /// After how many bytes the server waits, if it does.
    stall: watch::Sender<Option<usize>>,
    /// How often it came so far.
    waiting: watch::Sender<usize>,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Source {
    pub(crate) async fn of(image: Vec<u8>) -> Self {
        let shared = Arc::new(Shared {
            image: Mutex::new(Some(image)),
            list: Mutex::default(),
            stall: watch::Sender::new(None),
            waiting: watch::Sender::new(0),
        });
        let router = Router::new()
            .route("/disk.qcow2", get(image_of))
            .route("/SUMS", get(list_of))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            shared,
            serving,
        }
    }

    /// One that sends so many bytes and then waits.
    pub(crate) async fn that_stalls(image: Vec<u8>, after: usize) -> Self {
        let source = Self::of(image).await;
        source.shared.stall.send_replace(Some(after));
        source
    }

    /// Waits until it has begun to send the image for the nth time, and stopped there.
    pub(crate) async fn has_stalled(&self, times: usize) {
        let mut waiting = self.shared.waiting.subscribe();
        let came = waiting.wait_for(|waiting| *waiting >= times);
        let came = tokio::time::timeout(std::time::Duration::from_secs(60), came).await;
        came.expect("no conductor fetches the image").unwrap();
    }

    pub(crate) fn goes_on(&self) {
        self.shared.stall.send_replace(None);
    }

    pub(crate) fn stalls_again(&self) {
        self.shared.stall.send_replace(Some(100_000));
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/disk.qcow2", self.address)
    }

    /// The address of a list of checksums with this text.
    pub(crate) fn list(&self, text: &str) -> String {
        *self.shared.list.lock().unwrap() = text.to_owned();
        format!("http://{}/SUMS", self.address)
    }

    pub(crate) fn becomes(&self, image: Option<Vec<u8>>) {
        *self.shared.image.lock().unwrap() = image;
    }
}

async fn list_of(State(shared): State<Arc<Shared>>) -> String {
    shared.list.lock().unwrap().clone()
}

/// The image, or the part of it that is asked for. Only the whole is sent slowly.
async fn image_of(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let Some(image) = shared.image.lock().unwrap().clone() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let length = image.len();
    if let Some(range) = headers.get(header::RANGE) {
        let range = range.to_str().unwrap().strip_prefix("bytes=").unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let start: usize = start.parse().unwrap();
        let end: usize = end.parse().unwrap_or(length - 1).min(length - 1);
        let told = format!("bytes {start}-{end}/{length}");
        let part = image[start..=end].to_vec();
        return (
            StatusCode::PARTIAL_CONTENT,
            [(header::CONTENT_RANGE, told)],
            part,
        )
            .into_response();
    }
    let after = (*shared.stall.borrow()).unwrap_or(length).min(length);
    let (first, rest) = image.split_at(after);
    let parts = vec![Bytes::copy_from_slice(rest), Bytes::copy_from_slice(first)];
    let body = futures_util::stream::unfold(parts, move |mut left| {
        let shared = Arc::clone(&shared);
        async move {
            let next = left.pop()?;
            if left.is_empty() {
                shared.waiting.send_modify(|waiting| *waiting += 1);
                let mut stall = shared.stall.subscribe();
                let _ = stall.wait_for(Option::is_none).await;
            }
            Some((Ok::<_, std::io::Error>(next), left))
        }
    });
    let headers = [(header::CONTENT_LENGTH, length.to_string())];
    (headers, Body::from_stream(body)).into_response()
}
