//! Putting files into what was written to the disk.
//!
//! The file systems are the user's: a link in them may point anywhere. Paths are therefore resolved
//! by the kernel as if the mounted file system were all there is.

use crate::{
    AgentError,
    block::BlockDevice,
    command::invalid_params,
    hardware::Context,
    mount::{Mounted, Use},
    safety::Permit,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use rustix::{
    fd::OwnedFd,
    fs::{
        AtFlags, CWD, Gid, Mode, OFlags, ResolveFlags, Uid, fchmod, fchown, mkdirat, openat2,
        unlinkat,
    },
    io::Errno,
};
use serde_json::Value;
use std::{fs::File, io::Write as _, path::Path};
use tokio::task::spawn_blocking;
use types::JsonMap;

/// What a file may say about itself.
const FIELDS: &[&str] = &[
    "path",
    "partition",
    "content",
    "deleted",
    "mode",
    "dirmode",
    "owner",
    "group",
];

/// What is fetched is in memory before it is written.
const MOST_BYTES: usize = 64 << 20;

/// A file to be put, or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wish {
    /// Without a slash at the beginning.
    path: String,
    partition: Option<String>,
    content: String,
    is_deleted: bool,
    mode: Option<u32>,
    folder_mode: Option<u32>,
    owner: Option<u32>,
    group: Option<u32>,
}

/// Puts the files of the node's properties and of the step.
pub(super) async fn run(
    context: &Context,
    permit: &Permit,
    node: &JsonMap,
    ports: &[Value],
    args: &JsonMap,
    device: &BlockDevice,
) -> Result<(), AgentError> {
    let of_node = node.get("properties").and_then(|p| p.get("inject_files"));
    let wishes = wishes(of_node, args.get("files"))?;
    for wish in wishes {
        let content = content(context, &wish, node, ports, args).await?;
        let path = wish.path.clone();
        let (root, permit) = (context.config.root.clone(), permit.clone());
        let device = device.clone();
        // Disks may take their time.
        let put = spawn_blocking(move || put(&root, &permit, &wish, &content, &device));
        let done = put.await.unwrap_or_else(|error| Err(error.to_string()));
        done.map_err(|error| failed(format!("Failed to process file /{path}. {error}")))?;
    }
    Ok(())
}

fn wishes(of_node: Option<&Value>, of_step: Option<&Value>) -> Result<Vec<Wish>, AgentError> {
    let mut wishes = Vec::new();
    for (whose, list) in [
        ("`inject_files` node property", of_node),
        ("`files` argument", of_step),
    ] {
        let list = match list {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list,
            Some(_) => return Err(invalid_params(format!("The {whose} must be a list"))),
        };
        for file in list {
            wishes.push(wish(file).map_err(|reason| {
                invalid_params(format!("Validation of files failed: {reason}"))
            })?);
        }
    }
    Ok(wishes)
}

fn wish(file: &Value) -> Result<Wish, String> {
    let file = file.as_object().ok_or("each file must be an object")?;
    if let Some(unknown) = file.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("unexpected field {unknown}"));
    }
    let text = |name: &str| match file.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) if name == "partition" => Ok(Some(number.to_string())),
        Some(_) => Err(format!("{name} must be a text")),
    };
    let number = |name: &str| match file.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().and_then(|number| u32::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{name} must be a number")),
        },
    };
    let path = text("path")?
        .filter(|path| !path.is_empty())
        .ok_or("expected a path")?;
    let partition = text("partition")?;
    if path.ends_with('/') {
        return Err(format!("directories not supported for {path}"));
    }
    let path = path.trim_start_matches('/').to_owned();
    if path.split('/').any(|part| part == "..") {
        return Err(format!("{path} leads outside the root directory"));
    }
    if !path.contains('/') && partition.is_none() {
        return Err(format!("/{path} in root directory requires \"partition\""));
    }
    let content = text("content")?;
    let is_deleted = file.get("deleted").is_some_and(types::pyrepr::truth);
    if is_deleted && content.is_some() {
        return Err(format!("content cannot be used with deleted in {path}"));
    }
    Ok(Wish {
        partition,
        content: content.unwrap_or_default(),
        is_deleted,
        mode: number("mode")?,
        folder_mode: number("dirmode")?,
        owner: number("owner")?,
        group: number("group")?,
        path,
    })
}

/// What goes into the file: from an address, or from the wish itself.
async fn content(
    context: &Context,
    wish: &Wish,
    node: &JsonMap,
    ports: &[Value],
    args: &JsonMap,
) -> Result<Vec<u8>, AgentError> {
    if !wish.content.contains("://") {
        return BASE64_STANDARD
            .decode(wish.content.split_whitespace().collect::<String>())
            .map_err(|_| invalid_params(format!("the content of /{} is not base64", wish.path)));
    }
    let mut config = (*context.config).clone();
    match args.get("verify_ca") {
        Some(Value::Bool(false)) => config.client_tls.insecure = true,
        Some(Value::String(path)) => config.client_tls.cafile = Some(path.into()),
        _ => {}
    }
    let url = filled(&wish.content, node, ports);
    let fetch = async {
        let client = crate::http::client(&config)?;
        let mut answer = client.get(&url).send().await?.error_for_status()?;
        let mut content = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            content.extend_from_slice(&chunk);
            if content.len() > MOST_BYTES {
                anyhow::bail!("the file is larger than {} MiB", MOST_BYTES >> 20);
            }
        }
        Ok(content)
    };
    fetch.await.map_err(|error| {
        // The address may hold secrets, and errors repeat it.
        let error = match error.downcast::<reqwest::Error>() {
            Ok(error) => error.without_url().into(),
            Err(error) => error,
        };
        let shown = image::source::shown(&url);
        failed(format!("cannot fetch {shown}: {error:#}"))
    })
}

/// An address with what it says of the node and its ports in braces: `{node[uuid]}`,
/// `{ports[0][address]}`. What is not known stays as it is.
fn filled(url: &str, node: &JsonMap, ports: &[Value]) -> String {
    let known = serde_json::json!({"node": node, "ports": ports});
    let mut filled = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        let pointer = format!(
            "/{}",
            name.replace("][", "/").replace('[', "/").replace(']', "")
        );
        match known.pointer(&pointer) {
            Some(Value::String(text)) => filled.push_str(text),
            Some(value) => filled.push_str(&value.to_string()),
            None => filled.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn put(
    root: &Path,
    permit: &Permit,
    wish: &Wish,
    content: &[u8],
    device: &BlockDevice,
) -> Result<(), String> {
    let mount = |partition: &str| {
        let path = root.join(partition.trim_start_matches('/'));
        Mounted::any(root, &path, Use::Write, permit)
    };
    if let Some(partition) = &wish.partition {
        let name = match partition.parse::<u32>() {
            Ok(number) => device
                .partitions
                .iter()
                .find(|partition| partition.number == number)
                .map(|partition| partition.name.clone())
                .ok_or_else(|| format!("{} has no partition {number}", device.name))?,
            Err(_) => partition.clone(),
        };
        let mounted = mount(&name).map_err(|error| format!("{name}: {error}"))?;
        return write(mounted.path(), wish, content).map_err(|error| error.to_string());
    }
    // The first partition that has the path's first folder.
    let first = wish.path.split('/').next().unwrap_or_default();
    for partition in &device.partitions {
        let mounted = match mount(&partition.name) {
            Ok(mounted) => mounted,
            Err(error) => {
                tracing::debug!("skipping partition {}: {error}", partition.name);
                continue;
            }
        };
        if mounted.path().join(first).is_dir() {
            return write(mounted.path(), wish, content).map_err(|error| error.to_string());
        }
    }
    Err(format!("No partition found with path {first}"))
}

/// Writes or removes a file below a folder that it cannot leave.
fn write(below: &Path, wish: &Wish, content: &[u8]) -> Result<(), Errno> {
    let root = openat2(
        CWD,
        below,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::empty(),
    )?;
    let (folder, name) = wish.path.rsplit_once('/').unwrap_or(("", &wish.path));
    let folder = match open_folder(&root, folder) {
        Err(Errno::NOENT) if wish.is_deleted => return Ok(()),
        Err(Errno::NOENT) => make_folders(&root, folder, wish.folder_mode)?,
        folder => folder?,
    };
    if wish.is_deleted {
        return match unlinkat(&folder, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            removed => removed,
        };
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(wish.mode.unwrap_or(0o644));
    let file = openat2(
        &root,
        wish.path.as_str(),
        flags,
        mode,
        ResolveFlags::IN_ROOT,
    )?;
    let mut file = File::from(file);
    file.write_all(content)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    if wish.mode.is_some() {
        // Whatever the mask for new files says.
        fchmod(&file, mode)?;
    }
    if wish.owner.is_some() || wish.group.is_some() {
        fchown(
            &file,
            wish.owner.map(Uid::from_raw),
            wish.group.map(Gid::from_raw),
        )?;
    }
    file.sync_all()
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn open_folder(root: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let path = if path.is_empty() { "." } else { path };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)
}

/// Makes the folders that are missing; the mode is for the last of them.
fn make_folders(root: &OwnedFd, path: &str, mode: Option<u32>) -> Result<OwnedFd, Errno> {
    let mut folder = open_folder(root, "")?;
    let mut done = String::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        done = format!("{done}/{part}");
        folder = match open_folder(root, &done) {
            Err(Errno::NOENT) => {
                mkdirat(&folder, part, Mode::from_raw_mode(0o755))?;
                open_folder(root, &done)?
            }
            found => found?,
        };
    }
    if let Some(mode) = mode {
        fchmod(&folder, Mode::from_raw_mode(mode))?;
    }
    Ok(folder)
}

fn failed(details: String) -> AgentError {
    AgentError::failed("CommandExecutionError", "Command execution failed", details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    #[test]
    fn wishes_are_looked_at_first() {
        let good = json!([{"path": "/etc/motd", "content": "aGk=", "mode": 0o600}]);
        assert_eq!(wishes(Some(&good), Some(&good)).unwrap().len(), 2);
        for odd in [
            json!({"path": "/etc/"}),
            json!({"path": ""}),
            json!({"path": "/motd"}),
            json!({"path": "/etc/../../x"}),
            json!({"path": "/etc/x", "odd": 1}),
            json!({"path": "/etc/x", "mode": "0600"}),
            json!({"path": "/etc/x", "content": "eA==", "deleted": true}),
            json!(3),
        ] {
            let error = wishes(None, Some(&json!([odd]))).unwrap_err();
            assert_eq!(error.kind, "InvalidCommandParamsError", "{odd}");
        }
        assert!(wishes(Some(&json!({})), None).is_err());
    }

    #[test]
    fn addresses_know_the_node() {
        let node = json!({"uuid": "u", "extra": {"n": 3}});
        let url = filled(
            "http://h/{node[uuid]}/{node[extra][n]}/{ports[0][address]}/{odd}/{",
            node.as_object().unwrap(),
            &[json!({"address": "aa:bb"})],
        );
        assert_eq!(url, "http://h/u/3/aa:bb/{odd}/{");
    }

    #[tokio::test]
    async fn secrets_of_an_address_are_not_told() {
        let context = crate::hardware::tests::context();
        let file = json!({"path": "/etc/x", "content": "http://u:pw@127.0.0.1:1/f?sig=abc"});
        let nothing = JsonMap::new();
        let wish = wish(&file).unwrap();
        let error = content(&context, &wish, &nothing, &[], &nothing).await;
        let told = error.unwrap_err().to_string();
        assert!(told.contains("http://127.0.0.1:1/f"), "{told}");
        assert!(!told.contains("pw") && !told.contains("abc"), "{told}");
    }

    #[test]
    fn files_stay_below_and_links_lead_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let (below, beside) = (dir.path().join("below"), dir.path().join("beside"));
        fs::create_dir_all(below.join("etc")).unwrap();
        fs::create_dir_all(&beside).unwrap();
        let file = |value: Value| wish(&value).unwrap();
        let motd = file(json!({"path": "/etc/new/motd", "mode": 0o600, "dirmode": 0o700}));
        write(&below, &motd, b"hi").unwrap();
        let written = below.join("etc/new/motd");
        assert_eq!(fs::read(&written).unwrap(), b"hi");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&written), 0o600);
        assert_eq!(mode(written.parent().unwrap()), 0o700);
        // A link out of the file system is one within it.
        std::os::unix::fs::symlink(&beside, below.join("out")).unwrap();
        assert!(write(&below, &file(json!({"path": "/out/x"})), b"x").is_err());
        std::os::unix::fs::symlink("../../beside", below.join("up")).unwrap();
        assert!(write(&below, &file(json!({"path": "/up/x"})), b"x").is_err());
        assert_eq!(fs::read_dir(&beside).unwrap().count(), 0);
        let gone = file(json!({"path": "/etc/new/motd", "deleted": true}));
        write(&below, &gone, b"").unwrap();
        write(&below, &gone, b"").unwrap();
        assert!(!written.exists());
    }
}
