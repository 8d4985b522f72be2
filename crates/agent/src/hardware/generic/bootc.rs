//! Installing from a container that brings its own installer, `bootc`. It needs `podman`, which a
//! ramdisk of ours has only if it was added.
//!
//! The image is fetched first and run then, so that what it runs finds no credentials: those are in a
//! file of their own while it is fetched, and not after.

use crate::{
    AgentError,
    block::BlockDevice,
    command::invalid_params,
    disk::configdrive,
    exec::{self, ProgramFailure},
    hardware::Context,
    safety::Permit,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use types::{JsonMap, oci};
use uuid::Uuid;

const PODMAN: &str = "podman";

/// How long fetching and installing may take, each.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// What is left of the disk for its other partitions, in MiB.
const OTHERS: u64 = 768;

/// `podman` cannot change the root of a ramdisk.
const ENGINE: (&str, &str) = (
    "etc/containers/containers.conf.d/01-corten-agent.conf",
    "[engine]\nno_pivot_root = true\n",
);

/// What is to be installed, and how.
#[derive(Debug, PartialEq)]
struct Order {
    /// Host and path, without a scheme.
    image: String,
    host: String,
    /// Credentials for the registry, decoded.
    secret: Option<String>,
    keys: Option<String>,
    is_encrypted: bool,
    config_drive: Option<String>,
}

impl Order {
    /// The step and the command call the same things by different names.
    fn parse(args: &JsonMap, node: &JsonMap) -> Result<Self, AgentError> {
        let text = |name: &str| {
            let text = args.get(name).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let source =
            text("image_source").ok_or_else(|| invalid_params("image_source is missing"))?;
        let odd = "image_source is not oci://HOST[:PORT]/PATH[:TAG][@ALGORITHM:SUM]";
        let image = oci::name(&source).ok_or_else(|| invalid_params(odd))?;
        let (host, _) = image.split_once('/').ok_or_else(|| invalid_params(odd))?;
        let secret = match text("pull_secret").or_else(|| text("oci_pull_secret")) {
            Some(secret) => Some(decoded(&secret)?),
            None => None,
        };
        let instance = args
            .get("instance_info")
            .or_else(|| node.get("instance_info"));
        let of_instance = |name: &str| instance.and_then(|instance| instance.get(name));
        Ok(Self {
            image: image.to_owned(),
            host: host.to_owned(),
            secret,
            keys: of_instance("bootc_authorized_keys")
                .and_then(Value::as_str)
                .map(str::to_owned),
            is_encrypted: of_instance("bootc_tpm2_luks").is_some_and(types::pyrepr::truth),
            config_drive: text("configdrive"),
        })
    }
}

fn decoded(secret: &str) -> Result<String, AgentError> {
    let odd = || invalid_params("the pull secret is not base64");
    let bytes = BASE64_STANDARD.decode(secret.trim()).map_err(|_| odd())?;
    String::from_utf8(bytes).map_err(|_| odd())
}

/// A file that only root can read, deleted when this is dropped.
#[derive(Debug)]
struct Private(PathBuf);

impl Private {
    fn new(text: &str) -> io::Result<Self> {
        let name = format!("corten-{}", Uuid::new_v4().simple());
        // Where the container sees it as well, if it is to.
        let path = std::env::temp_dir().join(name);
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let private = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(private)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!("cannot delete a file with a pull secret: {error}");
        }
    }
}

/// Fetches, installs, and adds the config drive.
pub(super) async fn run(
    context: &Context,
    permit: &Permit,
    node: &JsonMap,
    args: &JsonMap,
    device: &BlockDevice,
) -> Result<String, AgentError> {
    run_by(PODMAN, context, permit, node, args, device).await
}

/// The same, by the program of this name.
async fn run_by(
    podman: &str,
    context: &Context,
    permit: &Permit,
    node: &JsonMap,
    args: &JsonMap,
    device: &BlockDevice,
) -> Result<String, AgentError> {
    let config = &context.config;
    if config.disable_bootc_deploy {
        return Err(failed("Deployments with bootc are disabled.".to_owned()));
    }
    let order = Order::parse(args, node)?;
    check_podman(podman).await?;
    prepare(&config.root).map_err(|error| failed(error.to_string()))?;
    context.progress.phase("fetching the container");
    pull(podman, &order).await?;
    context.progress.phase("installing the container");
    let keys = order.keys.as_deref().map(Private::new).transpose();
    let keys = keys.map_err(|error| failed(error.to_string()))?;
    let arguments = arguments(&order, device, keys.as_ref().map(|keys| keys.0.as_path()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let installed = exec::try_run(podman, &arguments, PATIENCE).await;
    installed.map_err(not_installed)?;
    if let Some(drive) = &order.config_drive {
        context.progress.phase("writing the config drive");
        configdrive::write(permit, device.path(), drive, config).await?;
    }
    Ok(format!(
        "Container image ({}) written to device {}",
        order.image, device.name
    ))
}

/// Whether there is anything that could fetch and run a container.
async fn check_podman(program: &str) -> Result<(), AgentError> {
    match exec::try_run(program, &["--version"], exec::USUAL).await {
        Err(failure) if failure.exit_code.is_none() => Err(failed(format!(
            "containers are fetched and run by {program}, which this ramdisk does not have: {}",
            failure.error.details
        ))),
        _ => Ok(()),
    }
}

/// Why a container did not install itself.
fn not_installed(failure: ProgramFailure) -> AgentError {
    let error = AgentError {
        kind: "ImageWriteError",
        message: "Error writing image to device".to_owned(),
        ..failure.error
    };
    match failure.exit_code {
        // By which podman says that a program is not in its container.
        Some(127) => AgentError {
            details: format!(
                "Container does not contain the required bootc binary and thus cannot be deployed. {}",
                error.details
            ),
            ..error
        },
        _ => error,
    }
}

fn prepare(root: &Path) -> io::Result<()> {
    let path = root.join(ENGINE.0);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, ENGINE.1)
}

async fn pull(podman: &str, order: &Order) -> Result<(), AgentError> {
    let auths = order
        .secret
        .as_ref()
        .map(|secret| Private::new(&json!({"auths": {&order.host: {"auth": secret}}}).to_string()))
        .transpose()
        .map_err(|error| failed(error.to_string()))?;
    let file = auths
        .as_ref()
        .map(|auths| format!("--authfile={}", auths.0.display()));
    let pulled = exec::run(podman, &fetching(order, file.as_deref()), PATIENCE).await;
    pulled.map(drop).map_err(|error| AgentError {
        kind: "ImageDownloadError",
        message: "Error downloading image".to_owned(),
        ..error
    })
}

/// What `podman` is told to fetch.
fn fetching<'a>(order: &'a Order, auths: Option<&'a str>) -> Vec<&'a str> {
    let mut words = vec!["pull"];
    words.extend(auths);
    words.extend(["--retry-delay=5s", "--", &order.image]);
    words
}

/// What `podman` is told, so that `bootc` sees the machine's devices and storage.
fn arguments(order: &Order, device: &BlockDevice, keys: Option<&Path>) -> Vec<String> {
    let size = (device.size >> 20).saturating_sub(OTHERS);
    let mut words: Vec<String> = [
        "run",
        "--rm",
        "--privileged",
        "--pid=host",
        "--pull=never",
        "-v",
        "/var/lib/containers:/var/lib/containers",
        "-v",
        "/dev:/dev",
    ]
    .map(str::to_owned)
    .to_vec();
    if keys.is_some() {
        words.extend(["-v".to_owned(), "/tmp:/tmp".to_owned()]);
    }
    // What follows is no option of podman.
    words.extend(["--".to_owned(), order.image.clone()]);
    words.extend(
        [
            "bootc",
            "install",
            "to-disk",
            "--wipe",
            "--skip-fetch-check",
        ]
        .map(str::to_owned),
    );
    words.push(format!("--root-size={size}M"));
    if order.is_encrypted {
        words.push("--block-setup=tpm2-luks".to_owned());
    }
    if let Some(keys) = keys {
        words.push(format!("--root-ssh-authorized-keys={}", keys.display()));
    }
    // Our kernel's ramdisk has no policy loaded.
    words.push("--disable-selinux".to_owned());
    words.push(device.name.clone());
    words
}

fn failed(details: String) -> AgentError {
    AgentError::failed("CommandExecutionError", "Command execution failed", details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::PermissionsExt as _, sync::Arc};

    /// A stand-in for `podman` that notes how it was called, and what it found.
    struct Podman(tempfile::TempDir);

    impl Podman {
        fn new(pull: i32, run: i32) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let script = format!(
                "#!/bin/sh\ncd '{}'\nprintf '%s\\n' \"$1\" >> calls\n\
                 for word; do case $word in\n\
                 --authfile=*) cp \"${{word#*=}}\" auths; stat -c %a \"${{word#*=}}\" > mode; \
                 echo \"${{word#*=}}\" > authfile;;\n\
                 --root-ssh-authorized-keys=*) cp \"${{word#*=}}\" keys; echo \"${{word#*=}}\" > keyfile;;\n\
                 esac; done\n\
                 case $1 in\n\
                 pull) echo no registry >&2; exit {pull};;\n\
                 run) test ! -e \"$(cat authfile)\" || echo there > left; echo no disk >&2; exit {run};;\n\
                 esac\n",
                folder.path().display()
            );
            let podman = Self(folder);
            fs::write(podman.program(), script).unwrap();
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(podman.program(), mode).unwrap();
            podman
        }

        fn program(&self) -> PathBuf {
            self.0.path().join("podman")
        }

        fn noted(&self, name: &str) -> String {
            fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
        }

        /// Installs a container with a secret and with keys.
        async fn installs(&self) -> Result<String, AgentError> {
            let mut context = crate::hardware::tests::context();
            Arc::make_mut(&mut context.config).root = self.0.path().to_owned();
            let args = map(json!({
                "image_source": "oci://host:5000/a/b:c", "oci_pull_secret": "c2VjcmV0",
                "instance_info": {"bootc_authorized_keys": "ssh-ed25519 AAAA me"},
            }));
            let device = BlockDevice {
                name: "/dev/vda".to_owned(),
                size: 10 << 30,
                ..BlockDevice::default()
            };
            let program = self.program();
            let permit = Permit::from_operator();
            let (program, node) = (program.to_str().unwrap(), JsonMap::new());
            run_by(program, &context, &permit, &node, &args, &device).await
        }
    }

    #[tokio::test]
    async fn a_container_is_fetched_and_then_installs_itself_without_the_secret() {
        let podman = Podman::new(0, 0);
        let done = podman.installs().await.unwrap();
        assert_eq!(
            done,
            "Container image (host:5000/a/b:c) written to device /dev/vda"
        );
        assert_eq!(podman.noted("calls"), "--version\npull\nrun\n");
        let auths: Value = serde_json::from_str(&podman.noted("auths")).unwrap();
        assert_eq!(auths, json!({"auths": {"host:5000": {"auth": "secret"}}}));
        assert_eq!(podman.noted("mode"), "600\n");
        assert_eq!(podman.noted("left"), "", "what runs finds the secret");
        assert_eq!(podman.noted("keys"), "ssh-ed25519 AAAA me");
        assert!(!Path::new(podman.noted("keyfile").trim()).exists());
        assert_eq!(podman.noted(ENGINE.0), ENGINE.1);
    }

    #[tokio::test]
    async fn nothing_runs_that_could_not_be_fetched() {
        let podman = Podman::new(125, 0);
        let error = podman.installs().await.unwrap_err();
        assert_eq!(error.message, "Error downloading image");
        assert!(error.details.contains("no registry"), "{error}");
        assert!(!error.details.contains("secret"), "{error}");
        assert_eq!(podman.noted("calls"), "--version\npull\n");
        assert!(!Path::new(podman.noted("authfile").trim()).exists());
    }

    #[tokio::test]
    async fn an_installer_that_fails_leaves_no_keys_behind() {
        for (code, why) in [(1, "no disk"), (127, "does not contain the required bootc")] {
            let podman = Podman::new(0, code);
            let error = podman.installs().await.unwrap_err();
            assert_eq!(error.message, "Error writing image to device");
            assert!(error.details.contains(why), "{error}");
            assert!(!Path::new(podman.noted("keyfile").trim()).exists());
        }
    }

    #[tokio::test]
    async fn a_ramdisk_without_podman_says_so() {
        let told = check_podman("no-such-podman").await.unwrap_err().details;
        assert!(told.contains("which this ramdisk does not have"), "{told}");
        // Whatever it says of itself, it is there.
        check_podman("false").await.unwrap();
    }

    #[tokio::test]
    async fn a_container_without_bootc_is_told_by_the_code_of_podman() {
        let run = exec::try_run("sh", &["-c", "exit 127"], exec::USUAL).await;
        let told = not_installed(run.unwrap_err());
        assert!(
            told.details
                .starts_with("Container does not contain the required bootc"),
            "{told}"
        );
        let run = exec::try_run("sh", &["-c", "exit 1"], exec::USUAL).await;
        let told = not_installed(run.unwrap_err());
        assert_eq!(told.message, "Error writing image to device");
        assert!(!told.details.contains("bootc binary"), "{told}");
    }

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn an_order_is_read_from_step_and_command() {
        let node = map(json!({"instance_info": {"bootc_tpm2_luks": true}}));
        let args = map(
            json!({"image_source": "oci://host:5000/a/b:c", "oci_pull_secret": "c2VjcmV0",
                              "configdrive": ""}),
        );
        let order = Order::parse(&args, &node).unwrap();
        assert_eq!(
            (order.image.as_str(), order.host.as_str()),
            ("host:5000/a/b:c", "host:5000")
        );
        assert_eq!(order.secret.as_deref(), Some("secret"));
        assert!(order.is_encrypted && order.config_drive.is_none());
        for odd in [
            json!({}),
            json!({"image_source": "x"}),
            json!({"image_source": "oci:x"}),
            json!({"image_source": "oci://--authfile=/etc/shadow"}),
            json!({"image_source": "oci://--authfile=/a/b"}),
            json!({"image_source": "oci://h/a b"}),
        ] {
            assert!(Order::parse(&map(odd), &node).is_err());
        }
        let args = map(json!({"image_source": "oci://h/a", "pull_secret": "?"}));
        assert!(Order::parse(&args, &node).is_err());
    }

    #[test]
    fn the_disk_comes_last_and_secrets_not_at_all() {
        let args = map(json!({"image_source": "oci://h/a", "pull_secret": "c2VjcmV0"}));
        let order = Order::parse(&args, &JsonMap::new()).unwrap();
        let device = BlockDevice {
            name: "/dev/vda".to_owned(),
            size: 10 << 30,
            ..BlockDevice::default()
        };
        let words = arguments(&order, &device, Some(Path::new("/tmp/k")));
        assert_eq!(words.last().unwrap(), "/dev/vda");
        assert!(words.contains(&"--root-size=9472M".to_owned()));
        assert!(words.contains(&"--root-ssh-authorized-keys=/tmp/k".to_owned()));
        assert!(!words.concat().contains("secret"));
        let end = words.iter().position(|word| word == "--").unwrap();
        assert_eq!(words[end + 1], "h/a");
        assert_eq!(
            fetching(&order, Some("--authfile=/f")),
            ["pull", "--authfile=/f", "--retry-delay=5s", "--", "h/a"]
        );
    }

    #[test]
    fn a_private_file_is_private_and_goes() {
        let private = Private::new("x").unwrap();
        let path = private.0.clone();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        drop(private);
        assert!(!path.exists());
    }
}
