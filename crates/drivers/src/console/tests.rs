//! Who sees what, who may type, and when the line is given back.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The machine's side of a line.
struct Machine {
    says: mpsc::Sender<io::Result<Vec<u8>>>,
    hears: mpsc::UnboundedReceiver<String>,
}

struct Wire {
    from: mpsc::Receiver<io::Result<Vec<u8>>>,
    to: mpsc::UnboundedSender<String>,
    closing: Arc<Mutex<()>>,
}

#[async_trait]
impl Serial for Wire {
    async fn next(&mut self) -> io::Result<Vec<u8>> {
        match self.from.recv().await {
            Some(said) => said,
            None => std::future::pending().await,
        }
    }
    fn has_room(&self) -> bool {
        true
    }
    fn push(&mut self, characters: &[u8]) {
        let _ = self.to.send(String::from_utf8_lossy(characters).into());
    }
    fn send_break(&mut self) {
        let _ = self.to.send("BREAK".into());
    }
    async fn close(self: Box<Self>) {
        drop(self.closing.lock().await);
        let _ = self.to.send("CLOSED".into());
    }
}

#[derive(Clone, Default)]
struct Exchange {
    dialled: Arc<AtomicUsize>,
    machine: Arc<Mutex<Option<Machine>>>,
    /// No line is given back while it is locked.
    closing: Arc<Mutex<()>>,
}

#[async_trait]
impl Dial for Exchange {
    async fn dial(&self) -> Result<Box<dyn Serial>, DriverError> {
        self.dialled.fetch_add(1, Ordering::Relaxed);
        let (says, from) = mpsc::channel(1);
        let (to, hears) = mpsc::unbounded_channel();
        *self.machine.lock().await = Some(Machine { says, hears });
        let closing = Arc::clone(&self.closing);
        Ok(Box::new(Wire { from, to, closing }))
    }
}

impl Exchange {
    fn hub(&self, idle: Option<Duration>) -> Hub {
        Hub::new(Box::new(self.clone()), idle)
    }

    async fn machine(&self) -> Machine {
        self.machine.lock().await.take().unwrap()
    }
}

const WRITE: ConsoleWish = ConsoleWish {
    write: true,
    take_over: false,
};

fn typed(text: &str) -> ConsoleInput {
    ConsoleInput::Characters(text.as_bytes().to_vec())
}

fn said(text: &str) -> Option<ConsoleOutput> {
    Some(ConsoleOutput::Characters(text.as_bytes().to_vec()))
}

#[tokio::test]
async fn all_see_one_types_and_the_last_one_closes_the_line() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let mut first = hub.join(WRITE).await.unwrap();
    let mut second = hub.join(WRITE).await.unwrap();
    let mut machine = exchange.machine().await;
    assert_eq!(first.reader.next().await, Some(ConsoleOutput::Writer(true)));
    assert_eq!(
        second.reader.next().await,
        Some(ConsoleOutput::Writer(false))
    );
    machine.says.send(Ok(b"login: ".to_vec())).await.unwrap();
    assert_eq!(first.reader.next().await, said("login: "));
    assert_eq!(second.reader.next().await, said("login: "));

    assert!(second.writer.send(typed("not this")).await);
    assert!(first.writer.send(typed("root")).await);
    assert!(first.writer.send(ConsoleInput::Break).await);
    assert_eq!(machine.hears.recv().await.unwrap(), "root");
    assert_eq!(machine.hears.recv().await.unwrap(), "BREAK");

    assert!(second.writer.send(ConsoleInput::TakeOver).await);
    assert_eq!(
        first.reader.next().await,
        Some(ConsoleOutput::Writer(false))
    );
    assert_eq!(
        second.reader.next().await,
        Some(ConsoleOutput::Writer(true))
    );
    assert!(second.writer.send(typed("now")).await);
    assert_eq!(machine.hears.recv().await.unwrap(), "now");
    drop(first);
    drop(second);
    assert_eq!(machine.hears.recv().await.unwrap(), "CLOSED");
    assert_eq!(exchange.dialled.load(Ordering::Relaxed), 1);

    let third = hub.join(ConsoleWish::default()).await.unwrap();
    assert_eq!(exchange.dialled.load(Ordering::Relaxed), 2);
    drop(third);
}

#[tokio::test]
async fn a_line_is_not_opened_before_it_was_given_back() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let held = Arc::clone(&exchange.closing).lock_owned().await;
    drop(hub.join(WRITE).await.unwrap());
    let next = tokio::spawn(async move { hub.join(WRITE).await.map(drop) });
    // Time enough for whoever would not wait.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(exchange.dialled.load(Ordering::Relaxed), 1);
    drop(held);
    next.await.unwrap().unwrap();
    assert_eq!(exchange.dialled.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_line_that_breaks_ends_for_all_and_can_be_opened_again() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let mut user = hub.join(ConsoleWish::default()).await.unwrap();
    let machine = exchange.machine().await;
    let broken = io::Error::other("the BMC does not answer");
    machine.says.send(Err(broken)).await.unwrap();
    assert_eq!(user.reader.next().await, Some(ConsoleOutput::Writer(false)));
    let reason = "the console was lost: the BMC does not answer".to_owned();
    assert_eq!(user.reader.next().await, Some(ConsoleOutput::Ended(reason)));
    assert_eq!(user.reader.next().await, None);
    hub.join(WRITE).await.unwrap();
}

#[tokio::test]
async fn switched_off_it_ends_and_stays_so() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let mut user = hub.join(WRITE).await.unwrap();
    let mut machine = exchange.machine().await;
    hub.close().await;
    assert_eq!(machine.hears.recv().await.unwrap(), "CLOSED");
    assert_eq!(user.reader.next().await, Some(ConsoleOutput::Writer(true)));
    assert!(matches!(
        user.reader.next().await,
        Some(ConsoleOutput::Ended(_))
    ));
    assert!(hub.join(WRITE).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_silent_line_is_given_back_but_not_by_the_log() {
    let exchange = Exchange::default();
    let hub = exchange.hub(Some(Duration::from_secs(600)));
    let mut user = hub.join(WRITE).await.unwrap();
    let mut machine = exchange.machine().await;
    user.reader.next().await;
    assert!(matches!(
        user.reader.next().await,
        Some(ConsoleOutput::Ended(_))
    ));
    assert_eq!(machine.hears.recv().await.unwrap(), "CLOSED");

    let folder = tempfile::tempdir().unwrap();
    let log = LogSettings {
        folder: folder.path().into(),
        bytes: 1000,
        kept: 1,
    };
    hub.keep_log(log, "n1".into());
    let mut user = hub.join(WRITE).await.unwrap();
    let mut machine = exchange.machine().await;
    while !matches!(user.reader.next().await, Some(ConsoleOutput::Ended(_))) {}
    machine.says.send(Ok(b"still here".to_vec())).await.unwrap();
    let mut again = hub.join(ConsoleWish::default()).await.unwrap();
    machine.says.send(Ok(b", really".to_vec())).await.unwrap();
    while again.reader.next().await != said(", really") {}
    hub.close().await;
    assert_eq!(machine.hears.recv().await.unwrap(), "CLOSED");
    // The log is written by a thread of its own, which may be behind.
    let file = folder.path().join("n1.log");
    while !std::fs::read_to_string(&file)
        .unwrap()
        .starts_with("still here")
    {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(exchange.dialled.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_slow_lose_and_learn_how_much() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let mut slow = hub.join(ConsoleWish::default()).await.unwrap();
    let mut quick = hub.join(ConsoleWish::default()).await.unwrap();
    let machine = exchange.machine().await;
    quick.reader.next().await;
    for _ in 0..BACKLOG + 9 {
        machine.says.send(Ok(b"xx".to_vec())).await.unwrap();
        assert_eq!(quick.reader.next().await, said("xx"));
    }
    slow.reader.next().await;
    for _ in 0..BACKLOG - 1 {
        assert_eq!(slow.reader.next().await, said("xx"));
    }
    machine.says.send(Ok(b"end".to_vec())).await.unwrap();
    assert_eq!(slow.reader.next().await, Some(ConsoleOutput::Lost(20)));
    assert_eq!(slow.reader.next().await, said("end"));
}

#[tokio::test]
async fn there_is_room_for_so_many() {
    let exchange = Exchange::default();
    let hub = exchange.hub(None);
    let mut users = Vec::new();
    for _ in 0..USERS {
        users.push(hub.join(ConsoleWish::default()).await.unwrap());
    }
    let refused = hub.join(WRITE).await.unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");
    users.pop();
    hub.join(WRITE).await.unwrap();
}
