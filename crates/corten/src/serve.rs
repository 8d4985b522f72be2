//! The service from start to stop: all of it in one process (`corten serve`), or a part of it
//! (`corten api`, `corten conductor`).
//!
//! Sockets are opened first, so that a second start on the same port fails before it touches
//! anything; requests wait in them until the conductor is up. The stop goes the other way: no new
//! requests, those under way are answered, then the conductor lets go of its work.

mod calls;
mod overtaken;
mod plan;
#[cfg(test)]
mod stock;
mod window;

pub(crate) use plan::{Plan, Role};
pub(crate) use window::Window;

use crate::{
    args,
    db::Lock,
    listen::{Certificate, Limits, Responder, Socket},
    logging, memory,
    metrics::Numbers,
    notifications::{Outlets, Traces},
    notify::Manager,
    owner,
    settings::{self, Cluster},
    signals::{self, End, Signals},
    sources,
};
use ::boot::{Boot, service::Running};
use ::cluster::{Remote, View};
use anyhow::{Context, bail};
use api::{ApiState, Auth, ShadowWatch, webhook::Sender};
use axum::{
    body::Body,
    extract::Request,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use calls::Calls;
use conductor::{AlertReceiver, Service};
use config::{Config, Warning};
use drivers::{Registry, RegistrySettings};
use futures_util::StreamExt;
use image::store::ImageStore;
use plan::{Back, Front};
use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use store::Db;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Level;
use types::Conductor;

/// How long requests under way may take after a stop was asked for.
const DRAIN: Duration = Duration::from_secs(10);

/// Stop timeout where work has no limit.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Timeout for threads to end after everything is written.
const THREADS: Duration = Duration::from_secs(1);

/// Where long polls are.
const EVENTS: &str = "/corten/v1/events";

pub(crate) fn run(args: &args::Serve, role: Role) -> anyhow::Result<ExitCode> {
    let (config, warnings) = sources::load(&args.common)?;
    sources::create_data_dir(&config)?;
    owner::write_as_owner(&config);
    let mut log = logging::start(&config, Level::INFO)?;
    let exporter = log.take_exporter();
    warn(&warnings);
    forbid_dumps();
    in_runtime(async {
        let plan = Plan::new(&config, role)?;
        let traces = Traces::start(exporter);
        let server = Box::pin(Server::start(&config, plan, args.insecure)).await?;
        // Not before: a start that hangs at a database must end on the first signal.
        let mut signals = Signals::listen()?;
        let common = args.common.clone();
        signals::on_hangup(move || look_again(&common, &log))?;
        let conductor = server.conductor();
        signals.on_user_signal(move || {
            if let Some(conductor) = &conductor {
                tracing::info!("SIGUSR1: the conductor will stay registered when it stops");
                conductor.stay_registered();
            }
        })?;
        let line = format!("listening on {}", server.url());
        tracing::info!("{line}");
        Manager::from_environment().ready(&line);
        // Standard output may be closed: serve anyway.
        let _ = writeln!(io::stdout(), "{line}");
        let ended = server.run(&mut signals).await;
        traces.stop().await;
        ended
    })
}

/// Keeps what is in memory, keys and passwords among it, out of files that a crash would leave, and
/// from other processes of the same user.
pub(crate) fn forbid_dumps() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "cannot disable core dumps: a crash may write keys and passwords to disk");
    }
}

/// Takes up what may change while the service runs: the level of the log. Users and certificates
/// need no signal, because their files are looked at whenever they are used.
pub(crate) fn look_again(common: &args::Common, log: &logging::Log) {
    let adjusted = sources::load(common)
        .map_err(anyhow::Error::from)
        .and_then(|(config, _)| log.adjust(&config));
    match adjusted {
        Ok(()) => tracing::info!("SIGHUP: reloaded the configuration"),
        Err(error) => {
            tracing::warn!("SIGHUP: reload failed, keeping the old configuration: {error:#}")
        }
    }
}

pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        tracing::warn!("{warning}");
    }
}

/// Runs to the end on as many threads as there are cores.
pub(crate) fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("corten")
        // As much as the first thread has: a flow that calls drivers is deep, without optimisation
        // too deep for what threads get otherwise.
        .thread_stack_size(8 * 1024 * 1024)
        .build()
        .context("cannot start the runtime's threads")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_timeout(THREADS);
    outcome
}

/// A service that is up.
pub(crate) struct Server {
    api: Option<Listening>,
    calls: Option<Calls>,
    service: Option<Arc<Service>>,
    /// Posts events to webhooks.
    sender: Option<Sender>,
    boot: Option<Running>,
    stop_boot: CancellationToken,
    /// Ends what only looks on.
    over: CancellationToken,
    outlets: Outlets,
    db: Db,
    /// How long a stop takes at most, if nothing hangs that never should.
    longest_stop: Duration,
    /// Keeps others from the database for as long as we are here.
    _lock: Lock,
}

/// A socket and what is behind it.
struct Listening {
    socket: Socket,
    limits: Limits,
    certificate: Option<Arc<Certificate>>,
    responder: Responder,
}

impl Listening {
    fn url(&self) -> String {
        self.socket.url(self.certificate.is_some())
    }

    async fn serve(self, stop: CancellationToken) {
        let socket = self.socket;
        socket
            .serve(self.responder, self.limits, self.certificate, stop)
            .await;
    }
}

impl Server {
    pub(crate) async fn start(config: &Config, plan: Plan, insecure: bool) -> anyhow::Result<Self> {
        let (over, stop_boot) = (CancellationToken::new(), CancellationToken::new());
        let socket = match &plan.front {
            Some(front) => Some(Socket::open(&front.address, &front.access, insecure).await?),
            None => None,
        };
        memory::fix_thresholds();
        tokio::spawn(memory::give_back(over.clone()));
        let numbers = Numbers::open(&settings::metrics(config)?).await?;
        let joins = plan.cluster.as_ref().filter(|_| plan.back.is_some());
        let door = match joins {
            Some(cluster) => Some(calls::CallListener::open(cluster).await?),
            None => None,
        };
        let registry = match plan.back {
            Some(mut back) => Some((prepared(config, &mut back)?, back)),
            None => None,
        };
        let (db, lock) = plan.database.open()?;
        numbers.serve(&db, settings::silence(config), &over);
        if let Some(statsd) = settings::statsd(config) {
            statsd.start(&db, settings::silence(config), &over);
        }
        let wanted = plan.notifications;
        Outlets::prepare(&db, wanted.as_ref());
        let outlets = Outlets::start(&db, wanted.filter(|_| registry.is_some()))?;
        let (mut service, mut boot) = (None, None);
        let mut longest_stop = DRAIN * 3;
        if let Some((registry, mut back)) = registry {
            longest_stop += match back.conductor.graceful_shutdown_timeout {
                Duration::ZERO => FOREVER,
                limit => limit,
            };
            if let (Some(door), Some(cluster)) = (&door, &plan.cluster) {
                door.settle(cluster, &mut back.conductor);
            }
            for address in settings::traps(config)? {
                let receiver = AlertReceiver::bind(&db, address).await;
                let receiver = receiver.with_context(|| {
                    format!("[corten]trap_listen: cannot take SNMP traps at {address}")
                })?;
                tracing::info!("SNMP traps are taken at {address}");
                tokio::spawn(receiver.run(over.clone()));
            }
            back.conductor.sensors.sink = outlets.sensors();
            let started = Service::start(db.clone(), registry, back.conductor).await;
            service = Some(started.context("cannot start the conductor")?);
            if let (Some(prepared), Some(settings)) = (&back.hardware.boot, &back.boot) {
                let running = Box::pin(prepared.start(settings, stop_boot.clone())).await;
                boot = Some(running.context("cannot start the boot services")?);
            } else {
                tracing::info!(
                    "boot services are disabled: [corten]dhcp, tftp_listen and http_listen are not set"
                );
            }
        }
        let calls = match (door, &service, &plan.cluster) {
            (Some(door), Some(service), Some(cluster)) => {
                Some(door.guard(config, cluster, service, db.clone())?)
            }
            _ => None,
        };
        let sender = plan.front.as_ref().map(|front| {
            let settings = front.api.webhooks.clone();
            Sender::start(db.clone(), settings, &config.default.host)
        });
        let conductor = asked(&db, plan.cluster, service.as_ref(), &over).await?;
        if let Some(service) = &service {
            service.run_batches(Arc::clone(&conductor));
        }
        let api = match (plan.front, socket) {
            (Some(front), Some(socket)) => {
                Some(front.listen(socket, db.clone(), conductor, over.clone()))
            }
            _ => None,
        };
        Ok(Self {
            api,
            calls,
            service,
            sender,
            boot,
            stop_boot,
            over,
            outlets,
            db,
            longest_stop,
            _lock: lock,
        })
    }

    /// The address as clients write it.
    pub(crate) fn url(&self) -> String {
        let api = self.api.as_ref().map(Listening::url);
        let calls = || self.calls.as_ref().map(|calls| calls.url());
        api.or_else(calls).unwrap_or_default()
    }

    pub(crate) fn conductor(&self) -> Option<Arc<Service>> {
        self.service.clone()
    }

    pub(crate) fn db(&self) -> Db {
        self.db.clone()
    }

    /// Serves until a signal comes, then stops.
    pub(crate) async fn run(self, signals: &mut Signals) -> anyhow::Result<ExitCode> {
        let (stop, stop_calls) = (CancellationToken::new(), CancellationToken::new());
        let (mut serving, mut answering) = (JoinSet::new(), JoinSet::new());
        if let Some(mut api) = self.api {
            api.responder = with_polls_ending(api.responder, stop.clone());
            serving.spawn(api.serve(stop.clone()));
        }
        let leaving = self.calls.as_ref().map(|calls| calls.leaving.clone());
        if let Some(calls) = self.calls {
            answering.spawn(calls.listening.serve(stop_calls.clone()));
        }
        let mut code = ExitCode::SUCCESS;
        let end = tokio::select! {
            end = signals.next() => end,
            version = overtaken::by(&self.db) => {
                tracing::error!("{}", store::too_new(version));
                code = ExitCode::FAILURE;
                End::Stop("schema")
            }
            Some(ended) = serving.join_next() => {
                ended.context("the API server panicked")?;
                bail!("the API server stopped unexpectedly");
            }
            Some(ended) = answering.join_next() => {
                ended.context("the server for cluster calls panicked")?;
                bail!("the server for cluster calls stopped unexpectedly");
            }
        };
        let manager = Manager::from_environment();
        match end {
            End::Stop(signal) => {
                tracing::info!("{signal}: stopping");
                manager.stopping(self.longest_stop);
            }
            End::Drain => {
                tracing::info!("SIGUSR2: stopping when all work is done");
                // Not `STOPPING=1`: the service manager would apply its stop timeout.
                manager.status("draining: stopping when all work is done");
            }
        }
        stop.cancel();
        let gentle = async {
            if tokio::time::timeout(DRAIN, serving.join_all())
                .await
                .is_err()
            {
                tracing::warn!(
                    "shutdown timeout: some API requests were not answered after {DRAIN:?}"
                );
            }
            if let Some(service) = &self.service {
                service.leave().await;
            }
            if let Some(leaving) = leaving {
                leaving.cancel();
            }
            if let Some(sender) = self.sender {
                sender.stop().await;
            }
            if let Some(service) = &self.service {
                match end {
                    End::Stop(_) => service.stop().await,
                    End::Drain => service.drain().await,
                }
            }
            // Not before: until then callers are redirected to other conductors.
            stop_calls.cancel();
            if tokio::time::timeout(DRAIN, answering.join_all())
                .await
                .is_err()
            {
                tracing::warn!(
                    "shutdown timeout: some cluster calls were not answered after {DRAIN:?}"
                );
            }
            self.over.cancel();
            self.outlets.stop().await;
            // Last: machines may be in the middle of a file.
            self.stop_boot.cancel();
            if let Some(boot) = self.boot {
                boot.wait().await;
            }
        };
        tokio::select! {
            () = gentle => {
                tracing::info!("stopped");
                Ok(code)
            }
            end = signals.next() => {
                let signal = end.signal();
                tracing::warn!("{signal} received again: stopping without waiting");
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// Whom the API asks: the conductor of this process if it is alone, all of a cluster otherwise.
async fn asked(
    db: &Db,
    cluster: Option<Cluster>,
    service: Option<&Arc<Service>>,
    over: &CancellationToken,
) -> anyhow::Result<Arc<dyn Conductor>> {
    let Some(cluster) = cluster else {
        let alone = service.context("neither a conductor nor a cluster is configured")?;
        return Ok(Arc::clone(alone) as Arc<dyn Conductor>);
    };
    let (view, local) = match service {
        Some(service) => {
            let conductor = Arc::clone(service) as Arc<dyn Conductor>;
            (service.view(), Some((service.host().to_owned(), conductor)))
        }
        None => {
            let view = View::shared(db.clone(), cluster.view);
            tokio::spawn(Arc::clone(&view).follow(over.clone()));
            (view, None)
        }
    };
    let remote = Remote::new(db.clone(), view, cluster.remote, local)
        .context("cannot set up calls to conductors")?
        .with_trace(telemetry::trace::traceparent);
    Ok(Arc::new(remote))
}

/// Says how the first user is made, if there is none.
async fn look_for_users(db: Db) {
    match store::account::user::is_any(&db).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "there is no user yet, so nobody can sign in: make one by 'corten user add NAME --admin' \
             with the --config-file or --data-dir of this service"
        ),
        Err(error) => tracing::warn!("the users cannot be read: {}", types::error::chain(&error)),
    }
}

impl Front {
    fn listen(
        self,
        socket: Socket,
        db: Db,
        conductor: Arc<dyn Conductor>,
        over: CancellationToken,
    ) -> Listening {
        self.listen_as(socket, db, conductor, over, None)
    }

    /// The same for a service that may be the shadow of an Ironic.
    fn listen_as(
        mut self,
        socket: Socket,
        db: Db,
        conductor: Arc<dyn Conductor>,
        over: CancellationToken,
        shadow: Option<Arc<dyn ShadowWatch>>,
    ) -> Listening {
        self.api.is_local_only = socket.is_local_only();
        if let Auth::Keystone(keystone) = &self.api.auth {
            // In the background: the service starts also when Keystone is not up yet.
            let keystone = Arc::clone(keystone);
            tokio::spawn(async move { keystone.try_login().await });
        }
        if let Auth::Local(_) = &self.api.auth {
            tokio::spawn(look_for_users(db.clone()));
        }
        let state = ApiState::new(db, conductor, Arc::new(self.api));
        let mut state = state.with_inventories(self.inventories);
        state.shadow = shadow;
        tokio::spawn(memory::give_back_answers(state.clone(), over));
        let mut responder =
            Responder::new(move |request| Box::pin(api::respond(state.clone(), request)));
        if self.has_page {
            responder = with_page(responder, self.certificate.is_some());
        }
        Listening {
            socket,
            limits: self.limits,
            certificate: self.certificate.map(Arc::new),
            responder,
        }
    }
}

/// Answers requests for the web page; all others go on to the API, which knows nothing of it.
#[cfg(feature = "ui")]
fn with_page(api: Responder, is_secure: bool) -> Responder {
    Responder::new(move |request| match ui::answer(&request, is_secure) {
        Some(response) => Box::pin(std::future::ready(response)),
        None => api.call(request),
    })
}

#[cfg(not(feature = "ui"))]
fn with_page(api: Responder, _: bool) -> Responder {
    api
}

/// Makes ready what hardware is served with.
fn prepared(config: &Config, back: &mut Back) -> anyhow::Result<Registry> {
    if let Some(settings) = &back.boot {
        let boot = Boot::open(settings.files.clone(), &settings.state_dir)
            .context("cannot prepare the boot services")?;
        back.hardware.boot = Some(boot);
    }
    drivers::ansible::sweep(&back.hardware.ansible.state);
    drivers::ssh::sweep(&back.hardware.ssh.state);
    let images = ImageStore::new(back.images.clone()).context("cannot set up the image cache")?;
    back.hardware.images = Some(Arc::new(images));
    registry(config, &back.hardware)
}

/// The hardware that can be served; none at all is an error, as in Ironic.
pub(crate) fn registry(config: &Config, settings: &RegistrySettings) -> anyhow::Result<Registry> {
    let registry = Registry::new(settings)?;
    if registry.hardware_types().next().is_none() {
        bail!(
            "none of the hardware types in [DEFAULT]enabled_hardware_types ({}) can be served: \
             each needs an interface of every kind in the enabled_…_interfaces",
            config.default.enabled_hardware_types.join(", "),
        );
    }
    for left_out in registry.reductions() {
        let (option, names) = (&left_out.option, left_out.names.join(", "));
        tracing::info!(
            "not available in this build, left out of the default of [DEFAULT]{option}: {names}"
        );
    }
    if !config.has_files() && !config.default.enabled_hardware_types.is_set() {
        tracing::info!(
            "serving {}, with every interface that needs no other service; \
             [DEFAULT]enabled_hardware_types chooses others",
            registry.hardware_types().collect::<Vec<_>>().join(", ")
        );
    }
    Ok(registry)
}

/// Ends the streams of the event log when the service stops: long polls wait for something to
/// happen, and nothing will; streams never end by themselves.
fn with_polls_ending(responder: Responder, stop: CancellationToken) -> Responder {
    Responder::new(move |request: Request| {
        let is_poll = request.uri().path().trim_end_matches('/') == EVENTS;
        let answering = responder.call(request);
        if !is_poll {
            return answering;
        }
        let stop = stop.clone();
        Box::pin(async move {
            let response = tokio::select! {
                biased;
                response = answering => response,
                () = stop.cancelled() => return stopping(),
            };
            if response.headers().contains_key(header::CONTENT_LENGTH) {
                return response;
            }
            response.map(|body| {
                let pieces = body.into_data_stream();
                Body::from_stream(pieces.take_until(stop.cancelled_owned()))
            })
        })
    })
}

fn stopping() -> Response {
    let body = r#"{"error":{"message":"The service is stopping.","code":503}}"#;
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::RETRY_AFTER, "2"),
    ];
    (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{self, Access, Address};
    use axum::{Router, routing::get};
    use std::future::pending;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        sync::Notify,
    };

    #[tokio::test]
    async fn a_long_poll_does_not_hold_up_the_stop() {
        let address = Address::Tcp {
            host: "127.0.0.1".to_owned(),
            port: 0,
        };
        let socket = Socket::open(&address, &Access::Open, false).await.unwrap();
        let Socket::Tcp(_, address) = socket else {
            panic!("no port");
        };
        let asked = Arc::new(Notify::new());
        let heard = Arc::clone(&asked);
        let handler = get(|| async move {
            heard.notify_one();
            pending::<&str>().await
        });
        let stop = CancellationToken::new();
        let router = Router::new().route(EVENTS, handler);
        let router = with_polls_ending(router.into(), stop.clone());
        let serving = socket.serve(router, Limits::default(), None, stop.clone());
        let serving = tokio::spawn(serving);

        let mut client = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {EVENTS}?wait=30 HTTP/1.1\r\nhost: h\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        asked.notified().await;
        stop.cancel();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_stream_ends_cleanly_with_the_stop() {
        let asked = || async {
            let first = futures_util::stream::once(async { Ok::<_, std::io::Error>("one\n") });
            Body::from_stream(first.chain(futures_util::stream::pending()))
        };
        let stop = CancellationToken::new();
        let router = Router::new().route(EVENTS, get(asked));
        let router = with_polls_ending(router.into(), stop.clone());
        let address = Address::Tcp {
            host: "127.0.0.1".to_owned(),
            port: 0,
        };
        let socket = Socket::open(&address, &Access::Open, false).await.unwrap();
        let Socket::Tcp(_, address) = socket else {
            panic!("no port");
        };
        let serving = socket.serve(router, Limits::default(), None, stop.clone());
        let serving = tokio::spawn(serving);
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {EVENTS} HTTP/1.1\r\nhost: h\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"one\n\r\n") {
            let mut piece = [0; 256];
            let count = client.read(&mut piece).await.unwrap();
            assert!(count > 0);
            answer.extend(&piece[..count]);
        }
        stop.cancel();
        client.read_to_end(&mut answer).await.unwrap();
        // The last chunk, which says that nothing is missing.
        assert!(answer.ends_with(b"\r\n0\r\n\r\n"));
        serving.await.unwrap();
    }

    #[test]
    fn a_configuration_without_servable_hardware_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "[DEFAULT]\nenabled_management_interfaces = fake\n").unwrap();
        let sources = config::Sources {
            files: vec![file.path().to_owned()],
            ..Default::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        let hardware = settings::hardware(&config).unwrap();
        let refused = registry(&config, &hardware).unwrap_err().to_string();
        assert!(refused.contains("(ipmi, redfish)"), "{refused}");
    }
}
