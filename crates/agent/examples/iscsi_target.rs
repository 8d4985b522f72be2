//! Exports a file as LUN 1, for tests with other people's initiators.
//!
//! `iscsi_target FILE ADDRESS:PORT NAME [USER SECRET [MUTUAL-USER MUTUAL-SECRET]]`

#![allow(clippy::print_stdout, reason = "a program for tests")]

use agent::{
    iscsi::{Credentials, Disk, Target, TargetSettings},
    safety::Permit,
};
use anyhow::{Context, bail};
use std::path::Path;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, address, name, credentials @ ..] = &arguments[..] else {
        bail!("FILE ADDRESS:PORT NAME [USER SECRET [MUTUAL-USER MUTUAL-SECRET]]");
    };
    let mut credentials = credentials.chunks_exact(2).map(|pair| Credentials {
        name: pair[0].clone(),
        secret: pair[1].clone(),
    });
    let disk = Disk::open(Path::new(file), &Permit::from_operator()).context("opening the disk")?;
    let listener = TcpListener::bind(address).await.context("listening")?;
    let settings = TargetSettings {
        name: name.clone(),
        initiators: None,
        addresses: None,
        chap: credentials.next(),
        mutual_chap: credentials.next(),
    };
    let target = Target::start(listener, disk, settings)?;
    println!("{}", target.address());
    tokio::signal::ctrl_c().await?;
    Ok(target.stop().await?)
}
