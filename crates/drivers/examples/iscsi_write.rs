//! Writes an image to a disk behind iSCSI as the conductor does, and says how fast and with how much
//! memory.
//!
//! `iscsi_write FILE ADDRESS:PORT NAME`; the measurements of `bench/iscsi` are made with it. It leaves
//! out everything that a deployment does around the writing.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "no service: it may wait for its files"
)]
#![allow(clippy::print_stdout)]

use drivers::iscsi::{InitiatorSettings, IscsiDisk, IscsiMedium};
use image::{
    convert::{self, Options},
    disk::medium::{Medium, Window},
    source::FileSource,
};
use std::{error::Error, fs, ops::ControlFlow, path::PathBuf, sync::Arc, time::Instant};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, portal, name] = &arguments[..] else {
        return Err("usage: iscsi_write FILE ADDRESS:PORT NAME".into());
    };
    let initiator = "iqn.2008-10.org.openstack:conductor";
    let settings = InitiatorSettings::new(initiator, portal.parse()?, name);
    let started = Instant::now();
    let disk = Arc::new(IscsiDisk::connect(settings).await?);
    let mut medium = IscsiMedium::new(Arc::clone(&disk));
    let file = PathBuf::from(file);
    let written =
        tokio::task::spawn_blocking(move || -> Result<_, Box<dyn Error + Send + Sync>> {
            let source = FileSource::open(&file)?;
            let size = medium.size();
            let mut window = Window::new(&mut medium, 0, size)?;
            let go_on = &mut |_| ControlFlow::Continue(());
            let written = convert::write(&source, &mut window, &Options::default(), go_on)?;
            medium.sync()?;
            Ok(written)
        });
    let written = written.await?.map_err(|error| error.to_string())?;
    disk.logout().await?;
    let seconds = started.elapsed().as_secs_f64();
    let status = fs::read_to_string("/proc/self/status")?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!(
        "{{\"seconds\": {seconds:.3}, \"bytes\": {}, \"peak_kib\": {}}}",
        written.image_bytes,
        memory
            .and_then(|text| text.split_whitespace().next())
            .unwrap_or("0"),
    );
    Ok(())
}
