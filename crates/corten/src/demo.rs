//! `corten demo`: the service with a rack of simulated machines that live their lives.
//!
//! Everything is real but the hardware. The rack is brought to its stages of life by a conductor
//! whose hardware takes no time; then the service itself starts, with hardware that takes some
//! seconds, so that one can watch. A virtual machine may come beside them later, as soon as what it
//! is made of is there. All data is in a temporary folder and goes with the process.

#![expect(clippy::disallowed_methods, reason = "only before anything is served")]

mod crowd;
mod director;
mod rack;
mod real;

use crate::{
    args,
    console::print,
    db::DatabaseConfig,
    listen::ListenError,
    logging,
    serve::{self, Plan, Role, Server},
    settings,
    signals::Signals,
    sources,
};
use anyhow::Context;
use conductor::Service;
use config::{Config, Machine, Sources};
use crowd::{Dice, Moves};
use director::Director;
use drivers::Registry;
use real::Real;
use std::{env, fs, io, path::Path, process::ExitCode, sync::Arc};
use tracing::Level;
use types::NodeId;

/// Where clients look without being told.
const USUAL_PORT: u16 = 6385;

/// How long the simulated hardware takes.
const DELAYS: &[&str] = &[
    "fake.power_delay=0.3,1.5",
    "fake.boot_delay=0.2,0.6",
    "fake.deploy_delay=0.7,4",
    "fake.vendor_delay=0.5,2",
    "fake.management_delay=0.1,0.5",
    "fake.inspect_delay=2,5",
    "fake.rescue_delay=1,4",
    "fake.raid_delay=0.5,2",
    "fake.bios_delay=0.5,2",
    "fake.firmware_delay=0.5,2",
];

pub(crate) fn run(args: &args::Demo) -> anyhow::Result<ExitCode> {
    let folder = tempfile::Builder::new()
        .prefix("corten-demo-")
        .tempdir()
        .context("cannot create a folder for the data of the demo")?;
    let real = match &args.machine {
        None => None,
        Some(files) => Some(real::Plan::new(files, folder.path())?),
    };
    let real = real.as_ref();
    let more = access(args.auth, folder.path())?;
    let port = args.port.unwrap_or(USUAL_PORT);
    let config = configuration(folder.path(), port, real, &more)?;
    logging::start(&config, Level::ERROR)?;
    serve::in_runtime(async {
        let mut signals = Signals::listen()?;
        let mut dice = args.seed.map_or_else(Dice::unpredictable, Dice::new);
        let crowd = Box::pin(prepare(&config, args, &mut dice)).await?;
        let server = Box::pin(start(config, args.port, folder.path(), real, &more)).await?;
        let conductor = server
            .conductor()
            .context("the demo started without a conductor")?;
        let director = match args.still {
            true => None,
            false => Some(Director::start(Arc::clone(&conductor), server.db()).await?),
        };
        let moves = args
            .moves
            .filter(|_| !crowd.is_empty())
            .map(|rate| Moves::start(Arc::clone(&conductor), crowd, rate, dice));
        announce(&server.url(), args)?;
        let machine = real.map(|plan| {
            let prepare = args.prepare.clone();
            let about = about_machine(&server.url(), plan);
            Real::come(plan.clone(), prepare, about, conductor, server.db())
        });
        let outcome = server.run(&mut signals).await;
        if let Some(machine) = machine {
            machine.stop();
        }
        if let Some(director) = director {
            director.stop();
        }
        if let Some(moves) = moves {
            moves.stop();
        }
        outcome
    })
}

/// The login of `--auth basic`, which only this machine can use.
const USER: &str = "demo";
const PASSWORD: &str = "corten-demo";

/// What the configuration says about who may ask.
fn access(auth: args::DemoAuth, folder: &Path) -> anyhow::Result<Vec<String>> {
    if auth == args::DemoAuth::None {
        return Ok(Vec::new());
    }
    let file = folder.join("users");
    ::api::auth::users::add(&file, USER, PASSWORD)?;
    Ok(vec![
        "DEFAULT.auth_strategy=http_basic".to_owned(),
        format!("DEFAULT.http_basic_auth_user_file={}", file.display()),
    ])
}

/// The configuration of the demo. Files and variables have no say in it, so that it is the same
/// demo everywhere.
fn configuration(
    folder: &Path,
    port: u16,
    real: Option<&real::Plan>,
    more: &[String],
) -> anyhow::Result<Config> {
    // A machine has to be told the port before it is opened.
    let port = match port {
        0 if real.is_some() => real::free_port()?,
        port => port,
    };
    let mut sets: Vec<String> = DELAYS.iter().map(|&set| set.to_owned()).collect();
    sets.push("DEFAULT.host=demo".to_owned());
    // Running work is not waited for at the end.
    sets.push("conductor.graceful_shutdown_timeout=1".to_owned());
    sets.push(format!("api.port={port}"));
    sets.push("corten.ui_group_key=rack".to_owned());
    sets.extend_from_slice(more);
    sets.push(sources::data_dir_flag(folder)?);
    sets.extend(real.map(|plan| plan.sets(port)).unwrap_or_default());
    let sources = Sources {
        machine: Machine::detect(),
        sets,
        ..Sources::default()
    };
    let (config, _) = Config::load(sources)?;
    Ok(config)
}

/// Fills the rack, with hardware that is done at once.
async fn prepare(
    config: &Config,
    args: &args::Demo,
    dice: &mut Dice,
) -> anyhow::Result<Vec<NodeId>> {
    let mut hardware = settings::hardware(config)?;
    hardware.fake = drivers::fake::FakeSettings::default();
    let (db, _lock) = DatabaseConfig::of(config)?.open()?;
    let settings = settings::conductor(config)?;
    let service = Service::start(db.clone(), Registry::new(&hardware)?, settings).await?;
    let filled = rack::fill(&service, &db, dice).await;
    service.stop().await;
    filled?;
    if args.failures {
        crowd::fail(&db, dice).await?;
    }
    let more = (args.nodes as usize).saturating_sub(rack::SIZE);
    crowd::fill(&db, more, dice).await
}

/// Starts the service on the default port, or on a free one if that is taken and no port was
/// requested.
async fn start(
    config: Config,
    wanted: Option<u16>,
    folder: &Path,
    real: Option<&real::Plan>,
    more: &[String],
) -> anyhow::Result<Server> {
    let plan = Plan::new(&config, Role::All)?;
    let first = Box::pin(Server::start(&config, plan, false)).await;
    let is_taken = |error: &anyhow::Error| {
        matches!(
            error.downcast_ref(),
            Some(ListenError::Bind { source, .. }) if source.kind() == io::ErrorKind::AddrInUse
        )
    };
    match first {
        Err(error) if wanted.is_none() && is_taken(&error) => {
            let config = configuration(folder, 0, real, more)?;
            let plan = Plan::new(&config, Role::All)?;
            Box::pin(Server::start(&config, plan, false)).await
        }
        other => other,
    }
}

/// Says that everything is there, and what to do with it.
fn announce(url: &str, args: &args::Demo) -> anyhow::Result<()> {
    if let Some(file) = &args.ready_file {
        fs::write(file, format!("{url}\n"))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    print("ready")?;
    print(&instructions(&program(), url))?;
    if args.auth == args::DemoAuth::Basic {
        print(&format!(
            "\nSign in as {USER} with the password {PASSWORD}."
        ))?;
    }
    Ok(())
}

/// How this program was called, so that commands can be copied.
fn program() -> String {
    env::args().next().unwrap_or_else(|| "corten".to_owned())
}

/// What commands need to find the service, if it is not where they look.
fn endpoint(url: &str) -> String {
    let usual = url.rsplit(':').next() == Some(&USUAL_PORT.to_string());
    if usual {
        String::new()
    } else {
        format!(" --os-endpoint {url}")
    }
}

/// What can be done with the virtual machine.
fn about_machine(url: &str, plan: &real::Plan) -> String {
    let (program, endpoint, name) = (program(), endpoint(url), real::NAME);
    format!(
        "The machine {name} is a QEMU process, which is being deployed now; this takes some minutes:
  {program} node watch {name}{endpoint}
  {program} node console {name}{endpoint}
  tail -f {}",
        plan.serial.display()
    )
}

fn instructions(program: &str, url: &str) -> String {
    let endpoint = endpoint(url);
    let yours = rack::YOURS;
    format!(
        "{url}

Open the page in a browser:
  {url}/ui/

Try, in another terminal:
  {program} node list{endpoint}
  {program} node watch{endpoint}
  {program} node deploy {yours} --wait{endpoint}

Ctrl-C ends the demo and removes its data."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_the_endpoint_only_if_it_is_unusual() {
        let usual = instructions("corten", "http://127.0.0.1:6385");
        assert!(usual.contains("corten node list\n"), "{usual}");
        assert!(!usual.contains("--os-endpoint"), "{usual}");
        let other = instructions("./corten", "http://127.0.0.1:16385");
        let command = "./corten node list --os-endpoint http://127.0.0.1:16385\n";
        assert!(other.contains(command), "{other}");
    }

    #[test]
    fn the_configuration_is_sound_and_for_this_machine_only() {
        let config = configuration(Path::new("/a$b"), 0, None, &[]).unwrap();
        let hardware = settings::hardware(&config).unwrap();
        assert!(Registry::new(&hardware).is_ok());
        assert_eq!(**config.corten.data_dir, *Path::new("/a$b"));
    }

    /// What the page of the demo has one try on the virtual machine.
    #[test]
    fn the_virtual_machine_has_a_console_and_can_be_rescued() {
        use types::InterfaceKind as K;
        let plan = real::Plan::new(Path::new("/f"), Path::new("/d")).unwrap();
        let config = configuration(Path::new("/d"), 6385, Some(&plan), &[]).unwrap();
        let settings = settings::hardware(&config).unwrap();
        let defaults = Registry::new(&settings).unwrap().defaults("ipmi").unwrap();
        for (kind, name) in [
            (K::Console, "ipmitool-socat"),
            (K::Rescue, "agent"),
            (K::Inspect, "agent"),
        ] {
            assert_eq!(defaults.get(kind), name, "{kind}");
        }
        let rescue = &settings.boot_images.rescue;
        assert_eq!(rescue.kernel.as_deref(), Some("file:///f/kernel"));
        assert_eq!(rescue.ramdisk.as_deref(), Some("file:///f/initramfs"));
        // Without a TCP port of its own: `corten node console` needs none.
        assert!(!*config.corten.console_needs_port);
    }
}
