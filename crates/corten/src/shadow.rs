//! `corten shadow`: follows the database of an Ironic that goes on, shows the copy, and tells in which
//! answers the two differ.
//!
//! The copy is in a file of its own and marked as such, so that nothing is changed in it and no conductor
//! serves it. What is compared are answers to reads: those that clients of the proxy get (`--listen`),
//! those of a log (`--replay`), or a sweep over everything.

mod check;
mod difference;
mod follow;
mod log_file;
mod own;
mod request;
mod sides;
mod tally;
mod tee;

use crate::{
    args,
    console::print,
    db::DatabaseConfig,
    listen::{Limits, Responder, Socket},
    logging, memory, migrate,
    notify::Manager,
    owner,
    serve::{self, Window},
    settings::Address,
    signals::{self, Signals},
    sources,
};
use anyhow::Context;
use check::Checker;
use follow::{Importer, Step};
use log_file::Replay;
use own::{Asker, TokenFile};
use sides::{Here, Ironic};
use std::{
    io::{self, BufReader, Write},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};
use store::Location;
use tally::{Skipped, Tally};
use tee::Tee;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Level;

/// The copy and its keys, in the data folder.
const DATABASE: &str = "shadow.db";
const KEYS: &str = "shadow.keys";
/// How often the log says how things are.
const REPORT: Duration = Duration::from_secs(60);
/// How long requests under way may take after a stop was asked for.
const DRAIN: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &args::Shadow) -> anyhow::Result<ExitCode> {
    let (config, warnings) = sources::load(&args.common)?;
    let of = sides::address(&args.of)?;
    let source = migrate::ironic_database(
        "--source",
        args.source.as_deref(),
        args.source_file.as_deref(),
        std::env::var(migrate::DATABASE_VARIABLE).ok(),
    )?;
    let replay = args.replay.as_deref().map(|log| read_log(log, of.path()));
    let replay = replay.transpose()?;
    sources::create_data_dir(&config)?;
    owner::write_as_owner(&config);
    let log = logging::start(&config, Level::INFO)?;
    serve::warn(&warnings);
    serve::forbid_dumps();
    serve::in_runtime(async {
        let common = args.common.clone();
        signals::on_hangup(move || serve::look_again(&common, &log))?;
        let window = Window::open(&config, args.insecure).await?;
        let data_dir = &*config.corten.data_dir;
        let shadow = Box::pin(Shadow::start(args, &of, source, replay, data_dir, window));
        shadow.await?.run(Signals::listen()?).await
    })
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called before anything is served"
)]
fn read_log(log: &Path, prefix: &str) -> anyhow::Result<Replay> {
    let place = || log.display().to_string();
    let file = std::fs::File::open(log).with_context(place)?;
    let replay = log_file::read(BufReader::new(file), prefix.trim_end_matches('/'));
    let replay = replay.with_context(place)?;
    anyhow::ensure!(
        !replay.reads.is_empty(),
        "{}: no line of it asks for anything that is repeated",
        log.display()
    );
    Ok(replay)
}

/// A shadow that is up.
struct Shadow {
    tally: Arc<Tally>,
    serving: JoinSet<()>,
    stop: CancellationToken,
    over: CancellationToken,
    url: String,
    /// Keeps others from the copy.
    _lock: crate::db::Lock,
}

impl Shadow {
    async fn start(
        args: &args::Shadow,
        of: &reqwest::Url,
        source: Location,
        replay: Option<Replay>,
        data_dir: &Path,
        window: Window,
    ) -> anyhow::Result<Self> {
        let (stop, over) = (CancellationToken::new(), CancellationToken::new());
        let listen = match &args.listen {
            Some(address) => Some(listen_at(address).await?),
            None => None,
        };
        let proxy = listen.as_ref().map(|socket| socket.url(false));
        let tally = Arc::new(Tally::new(of.to_string(), source.public(), proxy));
        let ironic = Ironic::find(of, Arc::clone(&tally)).await?;
        let place = DatabaseConfig::embedded(data_dir.join(DATABASE), data_dir.join(KEYS));
        let (db, lock) = place.open()?;
        let importer = Importer {
            source,
            target: db.location().clone(),
            keys: db.keys().clone(),
        };
        let began = Instant::now();
        let Step::Imported {
            release,
            outcome,
            fingerprint,
        } = importer.step(None).await?
        else {
            anyhow::bail!("the first import found nothing to do");
        };
        tally.imported(release, &outcome, began.elapsed());
        print(&format!(
            "imported {} nodes of Ironic {release} from {}",
            outcome.taken("nodes"),
            importer.source.public()
        ))?;
        memory::fix_thresholds();
        tokio::spawn(memory::give_back(over.clone()));
        let (state, takes_tokens) = window.compared(&db)?;
        let here = Here::new(state, takes_tokens);
        let checker = Arc::new(Checker::new(ironic, here, Arc::clone(&tally)));
        checker.set_damaged(follow::damaged(&outcome));
        let (tell, told) = watch::channel(0);
        let every = Duration::from_secs(args.every);
        let gap = Duration::from_secs(1) / args.pace;
        let follow = follow::follow(
            importer,
            fingerprint,
            every,
            Arc::clone(&checker),
            tell,
            over.clone(),
        );
        tokio::spawn(follow);
        tokio::spawn(follow::look_again(Arc::clone(&checker), told, gap));
        let token = TokenFile::new(args.token_file.clone());
        let asker = Asker::new(Arc::clone(&checker), db.clone(), token, gap);
        match replay {
            Some(replay) => {
                tally.skipped(Skipped::LineLeftOut, replay.left_out);
                tokio::spawn(asker.replay(replay.reads, over.clone()));
            }
            None if listen.is_none() => drop(tokio::spawn(asker.sweep(over.clone()))),
            None => {}
        }
        let url = window.url();
        let mut serving = JoinSet::new();
        serving.spawn(window.serve(&db, Arc::clone(&tally) as _, over.clone(), stop.clone())?);
        if let Some(socket) = listen {
            let tee = Tee::start(checker, over.clone()).await?;
            print(&format!("passing requests on at {}", socket.url(false)))?;
            let responder = Responder::new(move |request| Box::pin(tee.clone().forward(request)));
            serving.spawn(socket.serve(responder, Limits::default(), None, stop.clone()));
        }
        Ok(Self {
            tally,
            serving,
            stop,
            over,
            url,
            _lock: lock,
        })
    }

    async fn run(mut self, mut signals: Signals) -> anyhow::Result<ExitCode> {
        let line = format!("listening on {}", self.url);
        tracing::info!("{line}");
        Manager::from_environment().ready(&line);
        // Standard output may be closed: serve anyway.
        let _ = writeln!(io::stdout(), "{line}");
        let mut report = tokio::time::interval(REPORT);
        report.tick().await;
        let end = loop {
            tokio::select! {
                end = signals.next() => break end,
                _ = report.tick() => tracing::info!("{}", self.tally.line()),
                Some(ended) = self.serving.join_next() => {
                    ended.context("a server panicked")?;
                    anyhow::bail!("a server stopped unexpectedly");
                }
            }
        };
        tracing::info!("{}: stopping", end.signal());
        self.stop.cancel();
        if tokio::time::timeout(DRAIN, self.serving.join_all())
            .await
            .is_err()
        {
            tracing::warn!("shutdown timeout: some requests were not answered after {DRAIN:?}");
        }
        self.over.cancel();
        tracing::info!("{}", self.tally.line());
        // Standard output may be closed.
        let _ = writeln!(io::stdout(), "{}", self.tally.line());
        Ok(ExitCode::SUCCESS)
    }
}

/// The socket of the proxy. Whoever reaches it reaches Ironic as through any other address, with Ironic's
/// own authentication.
async fn listen_at(address: &str) -> anyhow::Result<Socket> {
    let parsed = address.rsplit_once(':').and_then(|(host, port)| {
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let port = port.parse().ok()?;
        (!host.is_empty()).then_some(Address::Tcp { host, port })
    });
    let parsed = parsed.with_context(|| {
        format!("--listen: expected HOST:PORT, such as 127.0.0.1:6386, and not '{address}'")
    })?;
    Ok(Socket::open_guarded(&parsed).await?)
}
