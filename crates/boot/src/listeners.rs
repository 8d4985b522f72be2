//! Sockets that come and go with the networks of the database.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    time::Duration,
};
use tokio::{net::UdpSocket, sync::watch, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

/// Where to listen: on an interface, or on all (`None`) for relays.
pub(crate) type Places = BTreeSet<Option<String>>;

/// How often a socket that could not be opened is tried again: an interface may come later.
const RETRY: Duration = Duration::from_secs(10);

/// A socket that is open, and whether it is there for networks of the database.
struct Open {
    stop: CancellationToken,
    is_lasting: bool,
}

/// Serves `first` sockets until the end, and others for as long as they are wanted.
pub(crate) async fn keep<F>(
    service: &'static str,
    first: Vec<(Option<String>, UdpSocket)>,
    mut wanted: watch::Receiver<Places>,
    stop: CancellationToken,
    open: impl Fn(Option<&str>) -> io::Result<UdpSocket>,
    serve: impl Fn(UdpSocket, Option<String>, CancellationToken) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    let mut sockets: BTreeMap<Option<String>, Open> = BTreeMap::new();
    for (place, socket) in first {
        let stop = stop.child_token();
        tasks.spawn(serve(socket, place.clone(), stop.clone()));
        let is_lasting = true;
        sockets.insert(place, Open { stop, is_lasting });
    }
    let mut failed = Places::new();
    loop {
        let places = wanted.borrow_and_update().clone();
        sockets.retain(|place, socket| {
            let stays = socket.is_lasting || places.contains(place);
            if !stays {
                socket.stop.cancel();
            }
            stays
        });
        failed.retain(|place| places.contains(place));
        for place in places {
            if sockets.contains_key(&place) {
                continue;
            }
            let shown = place
                .as_deref()
                .unwrap_or("all interfaces, for relays")
                .to_owned();
            match open(place.as_deref()) {
                Ok(socket) => {
                    tracing::info!("{service} is served on {shown}");
                    failed.remove(&place);
                    let stop = stop.child_token();
                    tasks.spawn(serve(socket, place.clone(), stop.clone()));
                    let is_lasting = false;
                    sockets.insert(place, Open { stop, is_lasting });
                }
                Err(error) => {
                    if failed.insert(place) {
                        tracing::warn!(%error, "{service} cannot be served on {shown} yet");
                    }
                }
            }
        }
        tokio::select! {
            () = stop.cancelled() => break,
            changed = wanted.changed() => if changed.is_err() {
                stop.cancelled().await;
                break;
            },
            () = sleep(RETRY), if !failed.is_empty() => {}
        }
    }
    while tasks.join_next().await.is_some() {}
}
