//! Writes an image to a disk or a file, and says how fast and with how much memory.
//!
//! `write URL-OR-PATH TARGET [CHECKSUM]`; the measurements of `bench/images` are made with it. It
//! leaves out everything that a deployment does around the writing.

#![allow(
    clippy::disallowed_methods,
    reason = "no service: it may wait for its files"
)]
#![allow(clippy::print_stdout)]

use image::{
    ImageError,
    checksum::Checksum,
    convert::{self, Options, Written},
    sink::DiskSink,
    source::{FileSource, Http, HttpSettings, Source},
};
use std::{error::Error, fs, io, ops::ControlFlow, path::Path, time::Instant};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, target, checksum @ ..] = &arguments[..] else {
        return Err("usage: write URL-OR-PATH TARGET [CHECKSUM]".into());
    };
    let source: Box<dyn Source> = if address.starts_with("http") {
        Box::new(Http::new(HttpSettings::default())?.open(address).await?)
    } else {
        Box::new(FileSource::open(Path::new(address))?)
    };
    let checksum = checksum
        .first()
        .map(|text| Checksum::parse(text, None, true))
        .transpose()?;
    let options = Options {
        checksum,
        ..Options::default()
    };
    let target = target.clone();
    let started = Instant::now();
    let written = tokio::task::spawn_blocking(move || -> Result<Written, ImageError> {
        let failed = |source: io::Error| ImageError::Write {
            what: target.clone(),
            source,
        };
        let mut sink = DiskSink::open(Path::new(&target)).map_err(failed)?;
        convert::write(source.as_ref(), &mut sink, &options, &mut |_| {
            ControlFlow::Continue(())
        })
    })
    .await??;
    let seconds = started.elapsed().as_secs_f64();
    let status = fs::read_to_string("/proc/self/status")?;
    let memory = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("?");
    println!(
        "{} read {} wrote {} of {} bytes in {seconds:.2} s, peak memory {}",
        written.format,
        written.source_bytes,
        written.data_bytes,
        written.image_bytes,
        memory.trim(),
    );
    Ok(())
}
