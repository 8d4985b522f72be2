//! What is decided before anything is made: by flags, by questions, or by what this host is.

use super::{pieces::USERS, place::InstallPaths};
use crate::{
    args::{self, SignIn, YesNo},
    console::note,
    doctor::foreign_dhcp,
    host::{self, Attached, Interface},
    prompt,
    settings::DATABASE,
};
use anyhow::{Context, bail, ensure};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    time::Duration,
};
use types::account::UserName;

/// How long another DHCP server is listened for.
const LISTEN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Answers {
    pub(super) interface: String,
    pub(super) attached: Attached,
    pub(super) range: (Ipv4Addr, Ipv4Addr),
    pub(super) router: Option<Ipv4Addr>,
    pub(super) dns: Vec<Ipv4Addr>,
    /// Whether another server gives addresses, and ours only says what to boot.
    pub(super) is_proxy: bool,
    pub(super) images: PathBuf,
    pub(super) auth: Auth,
    pub(super) has_tls: bool,
    /// The hardware type of machines that are discovered by booting, if they are to be.
    pub(super) discovery: Option<String>,
}

/// How users sign in.
#[derive(Clone)]
pub(super) enum Auth {
    None,
    Local {
        user: String,
        password: Password,
    },
    HttpBasic {
        user: String,
        password: Password,
    },
    Keystone {
        url: String,
        user: String,
        project: String,
        password: String,
    },
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Local { .. } => "Local",
            Self::HttpBasic { .. } => "HttpBasic",
            Self::Keystone { .. } => "Keystone",
        })
    }
}

/// The password of the first user.
#[derive(Clone)]
pub(super) enum Password {
    /// There are users already, with passwords of their own.
    Kept,
    Given(String),
    MadeUp(String),
}

impl Password {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Kept => None,
            Self::Given(text) | Self::MadeUp(text) => Some(text),
        }
    }
}

/// Asks where there is a person to ask, and takes the suggestion where there is none.
struct Asker {
    is_silent: bool,
}

impl Asker {
    fn ask<T>(
        &self,
        question: &str,
        suggestion: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<T> {
        match self.is_silent {
            true => read(suggestion).map_err(anyhow::Error::msg),
            false => prompt::ask(question, suggestion, read),
        }
    }
}

impl Answers {
    pub(super) fn gather(args: &args::Init, place: &InstallPaths) -> anyhow::Result<Self> {
        ensure!(
            args.yes || prompt::is_interactive(),
            "there is no terminal to ask questions at; --yes takes what no flag says from this host"
        );
        let asker = Asker {
            is_silent: args.yes,
        };
        let interface = interface(args, &asker)?;
        let attached = attached(args, &interface)?;
        let range = range(args, &asker, attached)?;
        let is_proxy = is_proxy(args, &asker, &interface)?;
        let images = images(args, &asker, place)?;
        let auth = auth(args, &asker, place)?;
        let discovery = discovery(args, &asker)?;
        ensure!(
            discovery.is_none() || !matches!(auth, Auth::None),
            "--discovery needs an API that machines can reach, and --auth none keeps it to this host"
        );
        Ok(Self {
            router: router(args, &interface, attached)?,
            dns: match args.dns.is_empty() {
                true => host::name_servers(),
                false => args.dns.clone(),
            },
            interface: interface.name,
            attached,
            range,
            is_proxy,
            images,
            has_tls: !args.no_tls && !matches!(auth, Auth::None),
            auth,
            discovery,
        })
    }
}

fn interface(args: &args::Init, asker: &Asker) -> anyhow::Result<Interface> {
    let all = host::interfaces();
    let find = |name: &str| {
        let found = all.iter().find(|interface| interface.name == name);
        found.cloned().ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
            format!(
                "there is no interface '{name}'; there are: {}",
                names.join(", ")
            )
        })
    };
    if let Some(name) = &args.interface {
        return find(name).map_err(anyhow::Error::msg);
    }
    let usable: Vec<&Interface> = all.iter().filter(|it| !it.addresses.is_empty()).collect();
    // Machines are usually not where the rest of the world is.
    let way_out = host::gateway().map(|(name, _)| name);
    let inner: Vec<&Interface> = usable
        .iter()
        .copied()
        .filter(|it| Some(&it.name) != way_out.as_ref())
        .collect();
    let suggestion = match (&inner[..], &usable[..]) {
        ([only], _) | ([], [only]) => only.name.clone(),
        _ if asker.is_silent => {
            let names: Vec<&str> = usable.iter().map(|it| it.name.as_str()).collect();
            bail!(
                "which interface leads to the machines? Name it with --interface; with an address \
                 there are: {}",
                names.join(", ")
            );
        }
        _ => String::new(),
    };
    if !asker.is_silent {
        for it in &usable {
            let addresses = it.addresses.iter().map(|at| at.address.to_string());
            note(&format!(
                "  {:<12} {}",
                it.name,
                addresses.collect::<Vec<_>>().join(" ")
            ));
        }
    }
    asker.ask("Interface behind which the machines are", &suggestion, find)
}

fn attached(args: &args::Init, interface: &Interface) -> anyhow::Result<Attached> {
    let name = &interface.name;
    if let Some(address) = args.address {
        let found = interface.addresses.iter().find(|it| it.address == address);
        return found.copied().with_context(|| {
            format!(
                "{name} does not have the address {address}: ip address add {address}/24 dev {name}"
            )
        });
    }
    match &interface.addresses[..] {
        [only] => Ok(*only),
        [] => bail!(
            "{name} has no IPv4 address, or is down; give it one first, such as: \
             ip address add 10.0.0.1/24 dev {name} && ip link set {name} up"
        ),
        several => {
            let shown: Vec<String> = several.iter().map(|it| it.address.to_string()).collect();
            bail!(
                "{name} has several addresses; choose with --address: {}",
                shown.join(", ")
            )
        }
    }
}

fn range(args: &args::Init, asker: &Asker, at: Attached) -> anyhow::Result<(Ipv4Addr, Ipv4Addr)> {
    let read = |text: &str| read_range(text, at);
    if let Some(text) = &args.range {
        return read(text).map_err(anyhow::Error::msg);
    }
    let question = format!("Addresses for the machines in {}", at.network);
    asker.ask(&question, &suggested_range(at), read)
}

/// The upper half of the network, or the part of it that does not hold our own address.
pub(super) fn suggested_range(at: Attached) -> String {
    let (first, last) = at.network.hosts();
    let (first, last) = (first.to_bits(), last.to_bits());
    let own = at.address.to_bits();
    let middle = first + (last - first) / 2;
    let upper = (middle + 1, last);
    let (from, to) = match own {
        own if own <= middle => upper,
        own if own - upper.0 > last - own => (upper.0, own - 1),
        own => (own + 1, last),
    };
    format!("{}-{}", Ipv4Addr::from_bits(from), Ipv4Addr::from_bits(to))
}

pub(super) fn read_range(text: &str, at: Attached) -> Result<(Ipv4Addr, Ipv4Addr), String> {
    let parts = text.split_once('-').and_then(|(first, last)| {
        let first: Ipv4Addr = first.trim().parse().ok()?;
        Some((first, last.trim().parse::<Ipv4Addr>().ok()?))
    });
    let (first, last) =
        parts.ok_or_else(|| format!("'{text}' is no range: expected FIRST-LAST, two addresses"))?;
    let (lowest, highest) = at.network.hosts();
    if first > last {
        return Err(format!("{last} stands before {first}"));
    }
    if first < lowest || last > highest {
        return Err(format!(
            "{first}-{last} is not inside {}, whose hosts are {lowest}-{highest}",
            at.network
        ));
    }
    if (first..=last).contains(&at.address) {
        return Err(format!(
            "our own address {} is among {first}-{last}",
            at.address
        ));
    }
    Ok((first, last))
}

fn router(
    args: &args::Init,
    interface: &Interface,
    at: Attached,
) -> anyhow::Result<Option<Ipv4Addr>> {
    if let Some(router) = args.router {
        ensure!(
            at.network.contains(router),
            "the gateway {router} is not in {}",
            at.network
        );
        return Ok(Some(router));
    }
    let gateway = host::gateway().filter(|(name, _)| *name == interface.name);
    Ok(gateway.map(|(_, address)| address))
}

fn is_proxy(args: &args::Init, asker: &Asker, interface: &Interface) -> anyhow::Result<bool> {
    if let Some(answer) = args.other_dhcp {
        return Ok(answer == YesNo::Yes);
    }
    note(&format!(
        "listening for another DHCP server on {} for {} s",
        interface.name,
        LISTEN.as_secs()
    ));
    let suggestion = match foreign_dhcp::listen(interface, LISTEN) {
        Ok(servers) if servers.is_empty() => "no",
        Ok(servers) => {
            let shown: Vec<String> = servers.iter().map(ToString::to_string).collect();
            note(&format!("found: {}", shown.join(", ")));
            "yes"
        }
        Err(error) => {
            note(&format!("note: cannot listen for one: {error}"));
            "no"
        }
    };
    asker.ask(
        "Does another DHCP server give addresses there",
        suggestion,
        yes_or_no,
    )
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "n" | "no" => Ok(false),
        _ => Err("answer yes or no".to_owned()),
    }
}

fn images(args: &args::Init, asker: &Asker, place: &InstallPaths) -> anyhow::Result<PathBuf> {
    let read = |text: &str| {
        let path = std::path::absolute(text).map_err(|error| error.to_string())?;
        match path.to_str() {
            Some(text) if !text.contains([',', '$', '\n', '#', ';']) => Ok(path),
            _ => Err("such a path cannot be named in a configuration file".to_owned()),
        }
    };
    let usual = place.data.join("images").display().to_string();
    match &args.images {
        Some(folder) => read(&folder.to_string_lossy()).map_err(anyhow::Error::msg),
        None => asker.ask("Folder of the images", &usual, read),
    }
}

fn auth(args: &args::Init, asker: &Asker, place: &InstallPaths) -> anyhow::Result<Auth> {
    let read = |text: &str| match text {
        "local" => Ok(SignIn::Local),
        "none" => Ok(SignIn::None),
        "http_basic" | "http-basic" => Ok(SignIn::HttpBasic),
        "keystone" => Ok(SignIn::Keystone),
        _ => Err("answer local, http_basic, keystone or none".to_owned()),
    };
    let how = match args.auth {
        Some(how) => how,
        None => asker.ask(
            "How users sign in (local, http_basic, keystone, none)",
            "local",
            read,
        )?,
    };
    Ok(match how {
        SignIn::None => Auth::None,
        SignIn::Local => {
            let name: UserName = args
                .user
                .parse()
                .map_err(|error| anyhow::anyhow!("--user {}: {error}", args.user))?;
            let remedy = format!(
                "corten user passwd {name} --config-file {}",
                place.config.display()
            );
            Auth::Local {
                user: name.to_string(),
                password: password(args, asker, &place.data.join(DATABASE), &remedy)?,
            }
        }
        SignIn::HttpBasic => {
            let users = place.data.join(USERS);
            let remedy = format!("corten user add {} --file {}", args.user, users.display());
            Auth::HttpBasic {
                user: args.user.clone(),
                password: password(args, asker, &users, &remedy)?,
            }
        }
        SignIn::Keystone => keystone(args, asker)?,
    })
}

/// The password of the first user, unless users are there already.
fn password(
    args: &args::Init,
    asker: &Asker,
    users: &Path,
    remedy: &str,
) -> anyhow::Result<Password> {
    if users.exists() {
        ensure!(
            args.password_file.is_none(),
            "the database {} exists already and has users, so --password-file is not used; to change the \
             password of one of them, run: {remedy}",
            users.display()
        );
        return Ok(Password::Kept);
    }
    if let Some(file) = &args.password_file {
        return Ok(Password::Given(first_line(file)?));
    }
    let wanted = asker.ask(
        &format!("Make up a password for {}", args.user),
        "yes",
        yes_or_no,
    )?;
    match wanted {
        true => Ok(Password::MadeUp(made_up()?)),
        false => Ok(Password::Given(prompt::new_password()?)),
    }
}

/// 120 random bits, in letters and digits that are not mistaken for each other.
fn made_up() -> anyhow::Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).context("cannot make up a password")?;
    let letters = bytes.iter().map(|byte| LETTERS[usize::from(byte % 32)]);
    Ok(letters.map(char::from).collect())
}

fn keystone(args: &args::Init, asker: &Asker) -> anyhow::Result<Auth> {
    let read = |text: &str| {
        match text.starts_with("http://") || text.starts_with("https://") {
        true if !text.contains(char::is_whitespace) => Ok(text.to_owned()),
        _ => Err("the address of Keystone is needed (--keystone-url), such as https://cloud.example:5000".to_owned()),
    }
    };
    let url = match &args.keystone_url {
        Some(url) => read(url).map_err(anyhow::Error::msg)?,
        None => asker.ask("Address of Keystone", "", read)?,
    };
    let password = match &args.keystone_password_file {
        Some(file) => first_line(file)?,
        None if asker.is_silent => bail!(
            "the password of {} in Keystone is needed: --keystone-password-file",
            args.keystone_user
        ),
        None => prompt::password(&format!("Password of {} in Keystone: ", args.keystone_user))?,
    };
    for text in [&args.keystone_user, &args.keystone_project, &password] {
        ensure!(
            !text.is_empty() && !text.contains(['\n', '\r']) && text.trim() == text,
            "names and passwords of Keystone are not empty and have no blanks around them"
        );
    }
    Ok(Auth::Keystone {
        url,
        user: args.keystone_user.clone(),
        project: args.keystone_project.clone(),
        password,
    })
}

fn discovery(args: &args::Init, asker: &Asker) -> anyhow::Result<Option<String>> {
    let wanted = match args.discovery {
        true => true,
        false => asker.ask(
            "Enrol unknown machines that boot from the network",
            "no",
            yes_or_no,
        )?,
    };
    Ok(wanted.then(|| args.discovery_driver.clone()))
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", file.display());
    let opened = fs::File::open(file).with_context(cannot)?;
    let mut line = String::new();
    BufReader::new(opened.take(4096))
        .read_line(&mut line)
        .with_context(cannot)?;
    let line = line.trim_end_matches(['\n', '\r']);
    ensure!(!line.is_empty(), "{} is empty", file.display());
    Ok(line.to_owned())
}
