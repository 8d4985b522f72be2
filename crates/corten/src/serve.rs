//! `corten serve`: all parts of the service in one process, from start to stop.
//!
//! The socket is opened first, so that a second start on the same port fails before it touches
//! anything; requests wait in it until the conductor is up. The stop goes the other way: no new
//! requests, those under way are answered, then the conductor lets go of its work.

use crate::{
    args,
    config::{Config, Warning},
    db::{Lock, Place},
    listen::{Certificate, Limits, Socket},
    logging,
    settings::{self, Access, Address, FAKE_HARDWARE},
    signals::{self, Signals},
    sources,
};
use ::boot::{Boot, service::Running};
use anyhow::{Context, bail};
use api::{ApiState, Auth};
use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use conductor::Service;
use drivers::{Registry, RegistrySettings};
use image::store::ImageStore;
use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use store::Db;
use tokio_util::sync::CancellationToken;
use tracing::Level;

/// How long requests under way may take after a stop was asked for.
const DRAIN: Duration = Duration::from_secs(10);

/// How long threads may take to end once everything is written; nobody waits for more than that.
const THREADS: Duration = Duration::from_secs(1);

/// Where long polls are.
const EVENTS: &str = "/corten/v1/events";

pub(crate) fn run(args: &args::Serve) -> anyhow::Result<ExitCode> {
    let (config, warnings) = sources::load(&args.common)?;
    let log = logging::start(&config, Level::INFO)?;
    warn(&warnings);
    sources::create_data_dir(&config)?;
    in_runtime(async {
        let plan = Plan::new(&config)?;
        let server = Box::pin(Server::start(&config, plan, args.insecure)).await?;
        // Not before: a start that hangs at a database must end on the first signal.
        let mut signals = Signals::listen()?;
        let common = args.common.clone();
        signals::on_hangup(move || look_again(&common, &log))?;
        let line = format!("listening on {}", server.url());
        tracing::info!("{line}");
        // Nobody may be there to read it, which is no reason not to serve.
        let _ = writeln!(io::stdout(), "{line}");
        server.run(&mut signals).await
    })
}

/// Takes up what may change while the service runs: the level of the log. Users and certificates
/// need no signal, because their files are looked at whenever they are used.
fn look_again(common: &args::Common, log: &logging::Log) {
    let adjusted = sources::load(common)
        .map_err(anyhow::Error::from)
        .and_then(|(config, _)| log.adjust(&config));
    match adjusted {
        Ok(()) => tracing::info!("SIGHUP: the configuration was read again"),
        Err(error) => tracing::warn!("SIGHUP: the configuration stays as it is: {error:#}"),
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
        .context("no threads can be started")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_timeout(THREADS);
    outcome
}

/// What is to be served, found to be sound, with nothing opened yet but the files of users and
/// certificates.
pub(crate) struct Plan {
    access: Access,
    address: Address,
    limits: Limits,
    certificate: Option<Certificate>,
    api: api::Settings,
    pub(crate) conductor: conductor::Settings,
    pub(crate) hardware: RegistrySettings,
    boot: Option<boot::Settings>,
    images: image::store::StoreSettings,
    pub(crate) database: Place,
}

impl Plan {
    pub(crate) fn new(config: &Config) -> anyhow::Result<Self> {
        let access = settings::access(config)?;
        if matches!(access, Access::Keystone(_)) {
            for remark in settings::keystone_remarks(config) {
                tracing::warn!("{remark}");
            }
        }
        let api = settings::api(config, &access)?;
        for warning in api.policy.warnings() {
            tracing::warn!("policy: {warning}");
        }
        Ok(Self {
            address: settings::address(config),
            limits: settings::limits(config),
            certificate: settings::tls(config)?
                .map(Certificate::open)
                .transpose()
                .context("HTTPS cannot be served")?,
            api,
            conductor: settings::conductor(config)?,
            hardware: settings::hardware(config)?,
            boot: settings::boot(config)?,
            images: settings::images(config)?,
            database: Place::of(config)?,
            access,
        })
    }
}

/// A service that is up.
pub(crate) struct Server {
    socket: Socket,
    limits: Limits,
    certificate: Option<Arc<Certificate>>,
    router: Router,
    service: Arc<Service>,
    boot: Option<Running>,
    stop_boot: CancellationToken,
    db: Db,
    /// Keeps others from the database for as long as we are here.
    _lock: Lock,
}

impl Server {
    pub(crate) async fn start(
        config: &Config,
        mut plan: Plan,
        insecure: bool,
    ) -> anyhow::Result<Self> {
        if let Some(settings) = &plan.boot {
            let boot = Boot::open(settings.files.clone(), &settings.state_dir)
                .context("the boot services cannot be prepared")?;
            plan.hardware.boot = Some(boot);
        }
        let images = ImageStore::new(plan.images).context("images cannot be fetched")?;
        plan.hardware.images = Some(Arc::new(images));
        let registry = registry(config, &plan.hardware)?;
        let socket = Socket::open(&plan.address, &plan.access, insecure).await?;
        let (db, lock) = plan.database.open()?;
        let service = Service::start(db.clone(), registry, plan.conductor)
            .await
            .context("the conductor cannot be started")?;
        let stop_boot = CancellationToken::new();
        let boot = match (&plan.hardware.boot, &plan.boot) {
            (Some(boot), Some(settings)) => {
                let running = Box::pin(boot.start(settings, stop_boot.clone())).await;
                Some(running.context("the boot services cannot be started")?)
            }
            _ => None,
        };
        if let Auth::Keystone(keystone) = &plan.api.auth {
            // Nobody waits for it: the service is up before Keystone as well as after it.
            let keystone = Arc::clone(keystone);
            tokio::spawn(async move { keystone.try_login().await });
        }
        let router = api::router(ApiState {
            db: db.clone(),
            conductor: Arc::clone(&service) as Arc<dyn types::Conductor>,
            settings: Arc::new(plan.api),
        });
        Ok(Self {
            socket,
            limits: plan.limits,
            certificate: plan.certificate.map(Arc::new),
            router,
            service,
            boot,
            stop_boot,
            db,
            _lock: lock,
        })
    }

    /// The address as clients write it.
    pub(crate) fn url(&self) -> String {
        self.socket.url(self.certificate.is_some())
    }

    pub(crate) fn conductor(&self) -> Arc<Service> {
        Arc::clone(&self.service)
    }

    pub(crate) fn db(&self) -> Db {
        self.db.clone()
    }

    /// Serves until a signal comes, then stops.
    pub(crate) async fn run(self, signals: &mut Signals) -> anyhow::Result<ExitCode> {
        let stop = CancellationToken::new();
        let router = with_polls_ending(self.router, stop.clone());
        let socket = self.socket;
        let serving = socket.serve(router, self.limits, self.certificate, stop.clone());
        let mut serving = tokio::spawn(serving);
        let signal = tokio::select! {
            signal = signals.next() => signal,
            ended = &mut serving => {
                ended.context("the API panicked")?;
                bail!("the API ended by itself");
            }
        };
        tracing::info!("{signal}: stopping");
        stop.cancel();
        let gentle = async {
            if tokio::time::timeout(DRAIN, serving).await.is_err() {
                tracing::warn!("some requests had no answer after {DRAIN:?}");
            }
            self.service.stop().await;
            // Last: machines may be in the middle of a file.
            self.stop_boot.cancel();
            if let Some(boot) = self.boot {
                boot.wait().await;
            }
        };
        tokio::select! {
            () = gentle => {
                tracing::info!("stopped");
                Ok(ExitCode::SUCCESS)
            }
            signal = signals.next() => {
                tracing::warn!("{signal} again: stopped without waiting");
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// The hardware that can be served; none at all is an error, as in the original.
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
        tracing::info!("this build has to do {left_out}");
    }
    if !config.has_files() && !config.default.enabled_hardware_types.is_set() {
        tracing::info!(
            "serving simulated machines ({FAKE_HARDWARE}); name others in \
             [DEFAULT]enabled_hardware_types"
        );
    }
    Ok(registry)
}

/// Lets long polls end with the stop: they wait for something to happen, and nothing will.
fn with_polls_ending(router: Router, stop: CancellationToken) -> Router {
    router.layer(middleware::from_fn(move |request: Request, next: Next| {
        let stop = stop.clone();
        async move {
            if request.uri().path().trim_end_matches('/') != EVENTS {
                return next.run(request).await;
            }
            tokio::select! {
                biased;
                response = next.run(request) => response,
                () = stop.cancelled() => stopping(),
            }
        }
    }))
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
    use axum::routing::get;
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
        let router = with_polls_ending(Router::new().route(EVENTS, handler), stop.clone());
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

    #[test]
    fn a_configuration_without_servable_hardware_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "[DEFAULT]\nenabled_management_interfaces = fake\n").unwrap();
        let sources = crate::config::Sources {
            files: vec![file.path().to_owned()],
            ..Default::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        let hardware = settings::hardware(&config).unwrap();
        let refused = registry(&config, &hardware).unwrap_err().to_string();
        assert!(refused.contains("(ipmi, redfish)"), "{refused}");
    }
}
