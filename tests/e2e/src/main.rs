//! Real machines, in QEMU, taken through their whole life by Corten: `make e2e`.
//!
//! Each leg has a network, a service, a BMC and a machine of its own, and a folder below
//! `target/e2e` with everything they said. Two legs run at a time. The program only uses what an
//! operator has: configuration files, the command line, BMCs and consoles.

mod bmc;
mod flow;
mod image;
mod lan;
mod leg;
mod machine;
mod program;
mod report;
mod service;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use lan::Lan;
use leg::{Extra, Leg, Load, Profile};
use machine::Machine;
use program::tail;
use report::{Outcome, Phases};
use service::{Ramdisk, Service};
use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
    thread,
    time::Instant,
};

#[derive(Debug, Parser)]
#[command(about = "Real machines in QEMU, taken through their whole life by Corten")]
struct Args {
    /// Legs to run; all if none are named
    legs: Vec<String>,
    /// Only the leg that is quick enough for every change
    #[arg(long, conflicts_with = "legs")]
    quick: bool,
    /// Name the legs and end
    #[arg(long)]
    list: bool,
    /// Only build the image of a whole disk, and copy it there
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// How many legs run at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The program to be tested
    #[arg(long, default_value = "target/release/corten")]
    corten: PathBuf,
    /// Where everything is kept
    #[arg(long, default_value = "target/e2e")]
    folder: PathBuf,
    /// Where the ramdisks are that scripts/ramdisk builds
    #[arg(long, default_value = "target/ramdisk")]
    ramdisks: PathBuf,
    /// Only boot the image from the disk: no agent, no network boot
    #[arg(long)]
    dry: bool,
    /// Run one leg; the namespaces are there already
    #[arg(long, hide = true)]
    inside: Option<String>,
}

fn main() -> ExitCode {
    match act(Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("e2e: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn say(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

fn act(args: Args) -> Result<ExitCode> {
    if let Some(name) = &args.inside {
        return inside(&args, &find(name)?);
    }
    let legs = if args.quick {
        vec![find(leg::QUICK)?]
    } else if args.legs.is_empty() {
        leg::all()
    } else {
        args.legs
            .iter()
            .map(|name| find(name))
            .collect::<Result<_>>()?
    };
    if args.list {
        legs.iter().for_each(|leg| say(leg.name));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = &args.image {
        let folder = args.folder.join("image");
        fs::create_dir_all(&folder)?;
        // What is made there is named by programs that may be elsewhere.
        let folder = found(&folder)?;
        image::build_whole(&folder, &init())?;
        fs::copy(folder.join("whole.qcow2"), file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(
        lan::is_possible(),
        "network namespaces and taps are needed, so root is"
    );
    fs::create_dir_all(&args.folder)?;
    let args = Args {
        folder: found(&args.folder)?,
        corten: found(&args.corten)?,
        ramdisks: found(&args.ramdisks)?,
        ..args
    };
    bmc::install(&legs)?;
    if legs.iter().any(Leg::is_bonded) {
        lan::open_vswitch()?;
    }
    prepare(&legs, &args)?;
    let started = Instant::now();
    let outcomes = run(&legs, &args);
    say(&report::table(&outcomes));
    let failed = outcomes.iter().filter(|one| one.failure.is_some()).count();
    say(&format!(
        "{} of {} legs passed in {} s",
        outcomes.len() - failed,
        outcomes.len(),
        started.elapsed().as_secs()
    ));
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn find(name: &str) -> Result<Leg> {
    let mut legs = leg::all().into_iter();
    legs.find(|leg| leg.name == name)
        .with_context(|| format!("there is no leg '{name}'; --list names them"))
}

/// The path for processes that may be elsewhere.
fn found(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).with_context(|| format!("there is no {}", path.display()))
}

/// Makes what these legs install and boot: a leg's own network reaches no packages.
fn prepare(legs: &[Leg], args: &Args) -> Result<()> {
    let folder = args.folder.join("image");
    image::build(&folder, &init())?;
    if legs.iter().any(|leg| leg.load.is_built()) {
        image::build_product(&folder, &args.corten, &args.ramdisks.join("packages"))?;
    }
    if legs.iter().any(|leg| leg.extra == Some(Extra::BashRamdisk)) {
        image::build_bash_ramdisk(&folder)?;
    }
    if legs.iter().any(|leg| leg.profile == Profile::Stock) {
        image::build_stock_ramdisk(&folder, &args.ramdisks)?;
    }
    Ok(())
}

/// What runs on the machines once they are installed.
fn init() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("image/init")
}

/// The ramdisk of that profile, as `scripts/ramdisk` leaves it.
fn ramdisk(profile: Profile, folder: &Path) -> Result<Ramdisk> {
    let folder = folder.join(format!("{}-amd64", profile.name()));
    let ramdisk = Ramdisk {
        kernel: folder.join("kernel"),
        initramfs: folder.join("initramfs"),
    };
    for file in [&ramdisk.kernel, &ramdisk.initramfs] {
        ensure!(file.is_file(), "there is no {}", file.display());
    }
    Ok(ramdisk)
}

/// Runs the legs, some at a time, each in namespaces of its own.
fn run(legs: &[Leg], args: &Args) -> Vec<Outcome> {
    let waiting = Mutex::new(legs.iter());
    let finished = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..args.jobs.clamp(1, legs.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().ok().and_then(|mut legs| legs.next());
                    let Some(leg) = next else { break };
                    let outcome = start(leg, args);
                    let result = match &outcome.failure {
                        None => "ok".to_owned(),
                        Some(failure) => format!("FAILED: {failure}"),
                    };
                    say(&format!("{} {result} ({:.0} s)", leg.name, outcome.seconds));
                    if let Ok(mut finished) = finished.lock() {
                        finished.push(outcome);
                    }
                }
            });
        }
    });
    let mut outcomes = finished.into_inner().unwrap_or_default();
    let place = |name: &str| legs.iter().position(|leg| leg.name == name);
    outcomes.sort_by_key(|outcome| place(&outcome.leg));
    outcomes
}

/// Runs one leg as a process; whatever happens to it, there is an outcome.
fn start(leg: &Leg, args: &Args) -> Outcome {
    let started = Instant::now();
    let place = args.folder.join(leg.name);
    let outcome = (|| {
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::create_dir_all(&place)?;
        let log = File::create(place.join("leg.log"))?;
        let [folder, corten, ramdisks] =
            [&args.folder, &args.corten, &args.ramdisks].map(|path| path.display().to_string());
        let mut words = vec!["--inside", leg.name, "--folder", &folder];
        words.extend(["--corten", &corten, "--ramdisks", &ramdisks]);
        if args.dry {
            words.push("--dry");
        }
        let status = lan::enclosed(&words)?
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()?;
        Outcome::load(&place.join("outcome.json")).with_context(|| {
            format!(
                "it ended with {status}:\n{}",
                tail(&place.join("leg.log"), 20)
            )
        })
    })();
    let outcome = outcome.unwrap_or_else(|error| Outcome {
        leg: leg.name.to_owned(),
        seconds: started.elapsed().as_secs_f64(),
        phases: Phases::default(),
        failure: Some(format!("{error:#}")),
    });
    if outcome.failure.is_some() {
        say(&tail(&place.join("leg.log"), 400));
    }
    outcome
}

/// Runs a leg in the namespaces that were made for it.
fn inside(args: &Args, leg: &Leg) -> Result<ExitCode> {
    let place = args.folder.join(leg.name);
    let lan = Lan::set_up(leg, &place)?;
    let started = Instant::now();
    let mut phases = Phases::default();
    let outcome = live(args, leg, &lan, &place, &mut phases);
    let failure = outcome.err().map(|error| format!("{error:#}"));
    let code = if failure.is_some() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    };
    Outcome {
        leg: leg.name.to_owned(),
        seconds: started.elapsed().as_secs_f64(),
        phases,
        failure,
    }
    .save(&place.join("outcome.json"))?;
    Ok(code)
}

fn live(args: &Args, leg: &Leg, lan: &Lan, place: &Path, phases: &mut Phases) -> Result<()> {
    let folder = args.folder.join("image");
    let load = if args.dry { Load::Whole } else { leg.load };
    let images = image::load(&folder, load)?;
    let ramdisk = ramdisk(leg.profile, &args.ramdisks)?;
    let bash = match leg.extra {
        Some(Extra::BashRamdisk) => Some(image::bash_ramdisk(&folder)?),
        _ => None,
    };
    let machine = Machine::new(leg, place)?;
    let control = bmc::start(leg, &machine, &args.corten, place)?;
    let service = Service::start(leg, &args.corten, &ramdisk, &folder, place)?;
    let flow = flow::Flow {
        leg,
        lan,
        machine: &machine,
        control: &control,
        service: &service,
        images: &images,
        bash: bash.as_ref(),
        folder: place,
    };
    let outcome = if args.dry {
        flow.dry_run(phases)
    } else {
        flow.run(phases)
    };
    if let Err(error) = &outcome {
        say(&format!("{}: {error:#}", leg.name));
        say(&flow.explain());
        say(&format!(
            "--- end of bmc.log\n{}",
            tail(&place.join("bmc.log"), 20)
        ));
        for log in ["corten.log", "corten-again.log"] {
            say(&format!("--- end of {log}\n{}", tail(&place.join(log), 60)));
        }
        say(&format!(
            "--- end of serial.log\n{}",
            tail(&machine.serial, 60)
        ));
    } else {
        machine.remove_disks();
    }
    outcome
}
