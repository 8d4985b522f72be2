//! `corten sim`: simulated machines with BMCs, until a signal ends them.

#![expect(clippy::disallowed_methods, reason = "only before anything is served")]

mod device;
mod pdu;
mod replay;

use crate::{
    args::{self, Format},
    console::{note, print},
    logging, serve,
    signals::Signals,
};
use anyhow::{Context, bail, ensure};
use config::{Config, Sources};
use proto::ipmi::{crypto::Key, suite::Suite};
use serde_json::{Value, json};
use sim::{
    Layout, Machine, Machines, Settings,
    backend::qemu::{self, Qemu},
    fault::Faults,
    ipmi::{Options, server::Server},
    machine::account::User,
    personality::Personality,
    redfish::{self, certificate, server::Serving},
};
use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;
use tracing::Level;
use types::{hex, port::MacAddress};

/// How many machines a table shows.
const SHOWN: usize = 20;

pub(crate) fn run(args: &args::Sim) -> anyhow::Result<ExitCode> {
    // There is no configuration: only the level is of interest.
    let (config, _) = Config::load(Sources::default())?;
    logging::start(&config, Level::WARN)?;
    match &args.command {
        Some(args::SimCommand::Replay(replay)) => return replay::run(replay),
        Some(args::SimCommand::Pdu(pdu)) => return pdu::run(pdu),
        Some(args::SimCommand::Device(device)) => return device::run(device),
        None => {}
    }
    let plan = Plan::new(args)?;
    serve::in_runtime(async {
        let mut signals = Signals::listen()?;
        let running = Running::start(plan).await?;
        running.announce(args)?;
        tokio::select! {
            _ = signals.next() => Ok(ExitCode::SUCCESS),
            ended = running.control => {
                ended.context("the control endpoint")?.context("the control endpoint")?;
                bail!("the control endpoint stopped unexpectedly");
            }
        }
    })
}

/// What is to be simulated, found to be sound.
struct Plan {
    count: u32,
    settings: Settings,
    ipmi: Options,
    layout: Layout,
    redfish: Serving,
    control: SocketAddr,
    qemu: Option<Processes>,
}

/// Machines that are processes, and the folder of their sockets.
struct Processes {
    qemu: Qemu,
    _folder: tempfile::TempDir,
}

impl Plan {
    fn new(args: &args::Sim) -> anyhow::Result<Self> {
        let known = || {
            let names = Personality::ALL.iter().map(|known| known.name);
            names.collect::<Vec<_>>().join(", ")
        };
        let personality = Personality::of_name(&args.personality)
            .with_context(|| format!("invalid --personality: expected one of {}", known()))?;
        let mut faults = match &args.faults {
            Some(text) => serde_json::from_str(text).context("invalid --faults")?,
            None => Faults::default(),
        };
        if args.latency > 0 {
            faults.latency_ms = args.latency;
        }
        let power_time = Duration::try_from_secs_f64(args.power_time)
            .context("invalid --power-time: expected a number of seconds")?;
        let settings = Settings {
            seed: args.seed,
            personality,
            users: Arc::new([User::administrator(&args.user, &args.password)]),
            power_time,
            shutdown_time: power_time,
            is_on_at_first: args.on,
            faults: Arc::new(faults),
            ..Settings::default()
        };
        Ok(Self {
            count: args.machines,
            settings,
            ipmi: options(args)?,
            layout: layout(args)?,
            redfish: serving(args)?,
            control: args.control,
            qemu: processes(args)?,
        })
    }
}

fn processes(args: &args::Sim) -> anyhow::Result<Option<Processes>> {
    let Some(program) = &args.qemu else {
        return Ok(None);
    };
    if let Some(file) = &args.qemu_uefi {
        let shown = file.display();
        ensure!(
            file.is_file(),
            "invalid --qemu-uefi: file not found: {shown}"
        );
    }
    let arguments = args.qemu_arg.iter().map(|text| words(text));
    let arguments: Vec<Vec<String>> = arguments.collect::<anyhow::Result<_>>()?;
    let folder = tempfile::Builder::new()
        .prefix("corten-sim-")
        .tempdir()
        .context("cannot create a folder for the QEMU sockets")?;
    let qemu = Qemu {
        program: program.clone(),
        arguments: arguments.concat(),
        uefi: args.qemu_uefi.clone(),
        serial_log: args.qemu_serial_log.clone(),
        folder: folder.path().to_owned(),
    };
    Ok(Some(Processes {
        qemu,
        _folder: folder,
    }))
}

/// The arguments in a text. One that begins with an option is split where there are blanks, outside
/// of quotes; anything else is the value of the option before it, whatever is in it.
fn words(text: &str) -> anyhow::Result<Vec<String>> {
    if !text.starts_with('-') {
        return Ok(vec![text.to_owned()]);
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    ensure!(
        quote.is_none(),
        "invalid --qemu-arg: closing quotation mark missing in {text}"
    );
    words.extend(word);
    Ok(words)
}

fn options(args: &args::Sim) -> anyhow::Result<Options> {
    let suite = |id: &u8| {
        Suite::of_id(*id).with_context(|| format!("invalid --suites: unknown cipher suite {id}"))
    };
    Ok(Options {
        suites: args.suites.iter().map(suite).collect::<Result<_, _>>()?,
        bmc_key: match &args.kg {
            Some(text) => {
                bmc_key(text).context("invalid --kg: expected 2 to 40 hexadecimal digits")?
            }
            None => Key::default(),
        },
        ..Options::default()
    })
}

fn bmc_key(text: &str) -> Option<Key> {
    let bytes = hex::decode(text).filter(|bytes| !bytes.is_empty())?;
    Key::new(&bytes)
}

fn serving(args: &args::Sim) -> anyhow::Result<Serving> {
    let task_time = Duration::try_from_secs_f64(args.task_time)
        .context("invalid --task-time: expected a number of seconds")?;
    if args.systems == 0 || args.page == Some(0) {
        bail!("--systems and --page must be at least 1");
    }
    let tls = match (&args.tls_certificate, &args.tls_key) {
        (Some(certificate), Some(key)) => certificate::from_files(certificate, key),
        _ => certificate::self_signed(),
    };
    let port = args.redfish_port;
    let layout = match layout(args)? {
        Layout::Ports { address, .. } => Layout::Ports {
            address,
            first: port,
        },
        Layout::Addresses { first, .. } => Layout::Addresses { first, port },
    };
    Ok(Serving {
        layout,
        group: usize::try_from(args.systems).unwrap_or(usize::MAX),
        options: Arc::new(redfish::Options {
            page: args.page,
            task_time,
            ..redfish::Options::default()
        }),
        tls: tls.context("cannot set up HTTPS")?,
    })
}

fn layout(args: &args::Sim) -> anyhow::Result<Layout> {
    if args.by_address {
        let first = match args.listen {
            None => Ipv4Addr::new(127, 1, 0, 1),
            Some(IpAddr::V4(address)) if address.is_loopback() => address,
            Some(_) => bail!("--listen must be an address of 127/8 with --by-address"),
        };
        let port = args.ipmi_port;
        return Ok(Layout::Addresses { first, port });
    }
    let address = args.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
    for (flag, address) in [("--listen", address), ("--control", args.control.ip())] {
        if !address.is_loopback() && !args.insecure {
            bail!(
                "refusing to listen on {flag} {address}, which other machines can reach; --insecure allows it"
            );
        }
    }
    Ok(Layout::Ports {
        address,
        first: args.ipmi_port,
    })
}

/// Machines that can be talked to.
struct Running {
    machines: Machines,
    ipmi: Server,
    redfish: redfish::server::Server,
    address: SocketAddr,
    _processes: Option<Processes>,
    control: tokio::task::JoinHandle<io::Result<()>>,
}

impl Running {
    async fn start(plan: Plan) -> anyhow::Result<Self> {
        let settings = Arc::new(plan.settings);
        let machines = match &plan.qemu {
            None => sim::machines(plan.count, &settings),
            Some(Processes { qemu, .. }) => (0..plan.count)
                .map(|index| qemu::machine(index, Arc::clone(&settings), qemu.clone()))
                .collect(),
        };
        let ipmi = Server::start(&machines, plan.ipmi, plan.layout)
            .await
            .context("cannot start the IPMI servers")?;
        let redfish = redfish::server::Server::start(&machines, plan.redfish)
            .await
            .context("cannot start the Redfish servers")?;
        let control = TcpListener::bind(plan.control)
            .await
            .with_context(|| format!("cannot listen on --control {}", plan.control))?;
        let address = control.local_addr()?;
        let router = sim::control::router(Arc::clone(&machines));
        Ok(Self {
            machines,
            ipmi,
            redfish,
            address,
            _processes: plan.qemu,
            control: tokio::spawn(async move { axum::serve(control, router).await }),
        })
    }

    fn announce(&self, args: &args::Sim) -> anyhow::Result<()> {
        let control = format!("http://{}", self.address);
        match args.format {
            Format::Json => {
                let machines = self.machines.iter().map(|machine| self.described(machine));
                let all = json!({"control": control, "machines": machines.collect::<Vec<_>>()});
                print(&all.to_string())?;
            }
            Format::Table => {
                print(&format!("control: {control}/sim/v1/machines"))?;
                print(&format!(
                    "{:<12} {:<36} {:<21} {:<21} MAC",
                    "NAME", "UUID", "IPMI", "REDFISH"
                ))?;
                for machine in self.machines.iter().take(SHOWN) {
                    print(&format!(
                        "{:<12} {:<36} {:<21} {:<21} {}",
                        machine.name(),
                        machine.uuid(),
                        self.ipmi_of(machine)
                            .map(|at| at.to_string())
                            .unwrap_or_default(),
                        self.redfish_of(machine)
                            .map(|at| at.to_string())
                            .unwrap_or_default(),
                        mac(machine.mac(0)),
                    ))?;
                }
                if self.machines.len() > SHOWN {
                    let rest = self.machines.len() - SHOWN;
                    print(&format!("and {rest} more"))?;
                }
            }
        }
        if let Some(file) = &args.ready_file {
            fs::write(file, format!("{control}\n"))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        print("ready")?;
        note("Ctrl-C ends the simulator.");
        Ok(())
    }

    fn ipmi_of(&self, machine: &Machine) -> Option<SocketAddr> {
        self.ipmi.endpoint(machine.index())
    }

    fn redfish_of(&self, machine: &Machine) -> Option<SocketAddr> {
        self.redfish.endpoint(machine.index())
    }

    fn described(&self, machine: &Machine) -> Value {
        let ipmi = self.ipmi_of(machine);
        let redfish = self.redfish_of(machine);
        let mut described = json!({
            "index": machine.index(),
            "name": machine.name(),
            "uuid": machine.uuid().to_string(),
            "serial": machine.serial(),
            "macs": [mac(machine.mac(0)), mac(machine.mac(1))],
            "ipmi_address": ipmi.map(|at| at.ip().to_string()),
            "ipmi_port": ipmi.map(|at| at.port()),
            "redfish_address": redfish.map(|at| format!("http://{at}")),
        });
        if let Some(screen) = machine.screen() {
            described["vnc_address"] = json!(screen.ip().to_string());
            described["vnc_port"] = json!(screen.port());
        }
        described
    }
}

fn mac(bytes: [u8; 6]) -> String {
    MacAddress::from(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_hexadecimal_digits() {
        assert_eq!(bmc_key("0aFF"), Key::new(&[0x0a, 0xff]));
        for wrong in ["", "0", "0g", "é1", &"00".repeat(21)] {
            assert_eq!(bmc_key(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn arguments_for_qemu_come_one_by_one_or_many_at_once() {
        for (text, expected) in [
            ("-m", &["-m"][..]),
            ("1024", &["1024"]),
            ("file=my disk.raw,if=none", &["file=my disk.raw,if=none"]),
            ("-m 1024  -nic none", &["-m", "1024", "-nic", "none"]),
            (
                "-drive 'file=my disk.raw' -append \"a 'b' c\" -x ''",
                &["-drive", "file=my disk.raw", "-append", "a 'b' c", "-x", ""],
            ),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        let refused = words("-append 'a b").unwrap_err().to_string();
        assert!(
            refused.contains("closing quotation mark missing"),
            "{refused}"
        );
    }
}
