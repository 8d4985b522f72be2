//! A service that machines can boot from: folders, an image cache, and servers on free ports.

use super::options;
use crate::{http::Client, lab::Options, port};
use boot::{
    Boot, BootFiles, Settings,
    http::Settings as HttpSettings,
    tftp::{self, Settings as TftpSettings},
};
use drivers::{BootImageSettings, boot_image::Configured};
use image::{
    inspect::Rules,
    library::LibrarySettings,
    source::{FileRules, HttpSettings as Fetching},
    store::{ImageStore, Shelf, StoreSettings},
};
use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::net::UdpSocket;
use tokio_util::sync::CancellationToken;
use types::InterfaceKind as K;

pub(crate) struct AgentHome {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) boot: Boot,
    http: SocketAddr,
    tftp: SocketAddr,
    stop: CancellationToken,
}

impl Drop for AgentHome {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn files(dir: &Path, url: Option<String>) -> BootFiles {
    BootFiles {
        tftp_root: dir.join("tftp"),
        http_root: dir.join("http"),
        http_url: url,
        linked: vec![dir.join("images"), dir.join("library")],
        ..BootFiles::default()
    }
}

impl AgentHome {
    pub(crate) async fn make() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["kernel", "ramdisk"] {
            fs::write(dir.path().join(name), format!("the {name}")).unwrap();
        }
        // Its own address is part of what it writes, so the port is chosen first.
        let http = SocketAddr::from(([127, 0, 0, 1], port::free()));
        let url = Some(format!("http://{http}"));
        let boot = Boot::open(files(dir.path(), url), &dir.path().join("state")).unwrap();
        let settings = Settings {
            http: Some(HttpSettings {
                listeners: vec![http],
                ..HttpSettings::default()
            }),
            tftp: Some(TftpSettings {
                listeners: vec!["127.0.0.1:0".parse().unwrap()],
                ..tftp::Settings::default()
            }),
            ..Settings::default()
        };
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        let tftp = running.tftp[0];
        tokio::spawn(running.wait());
        Self {
            dir,
            boot,
            http,
            tftp,
            stop,
        }
    }

    /// Ends the servers; the files stay.
    pub(crate) fn close(&self) {
        self.stop.cancel();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.http)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The address of a file of this place.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// A lab whose machines boot from here.
    pub(crate) fn options(&self) -> Options {
        let mut options = options();
        let hardware = &mut options.hardware;
        let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        hardware.enable_interfaces(
            K::Boot,
            named(&[
                "fake",
                "pxe",
                "ipxe",
                "http",
                "http-ipxe",
                "redfish-virtual-media",
            ]),
        );
        hardware.enable_interfaces(K::Deploy, named(&["direct", "ramdisk", "autodetect"]));
        hardware.boot = Some(self.boot.clone());
        hardware.images = Some(Arc::new(self.store()));
        hardware.boot_images = BootImageSettings {
            deploy: Configured {
                kernel: Some(self.file("kernel")),
                ramdisk: Some(self.path("ramdisk").display().to_string()),
                ..Configured::default()
            },
            automated_clean: true,
            ..BootImageSettings::default()
        };
        let discs = &mut hardware.discs;
        discs.http_root = self.path("http");
        discs.url = Some(self.url());
        let images = &mut options.conductor.images;
        images.folder = self.path("images");
        images.http_root = self.path("http");
        images.http_url = Some(self.url());
        options
    }

    fn store(&self) -> ImageStore {
        let shelf = |name: &str| Shelf {
            folder: self.path("masters").join(name),
            most_bytes: 1 << 30,
            ttl: Duration::from_secs(3600),
        };
        ImageStore::new(StoreSettings {
            boot: shelf("boot"),
            instance: shelf("instance"),
            iso: shelf("iso"),
            library: LibrarySettings {
                folder: self.path("library"),
                most_bytes: 1 << 30,
            },
            http: Fetching {
                retries: 0,
                ..Fetching::default()
            },
            files: FileRules {
                allowed: vec![self.dir.path().to_owned()],
                ..FileRules::default()
            },
            reserve: 0,
            downloads: 2,
            growth: 2.0,
            rules: Rules::default(),
            unpack: true,
        })
        .unwrap()
    }

    /// Fetches as iPXE or an agent does; `None` if it is not there.
    pub(crate) async fn get(&self, path: &str) -> Option<Vec<u8>> {
        let client = Client { address: self.http };
        let answer = client.get(path).await;
        (answer.status == 200).then(|| answer.body.clone())
    }

    /// The same as text.
    pub(crate) async fn text(&self, path: &str) -> Option<String> {
        Some(String::from_utf8(self.get(path).await?).unwrap())
    }

    /// Fetches as PXELINUX or GRUB does: by TFTP, in blocks of 512 bytes.
    pub(crate) async fn tftp(&self, path: &str) -> Option<Vec<u8>> {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut request = vec![0, 1];
        request.extend(path.as_bytes());
        request.extend(b"\0octet\0");
        socket.send_to(&request, self.tftp).await.unwrap();
        let mut file = Vec::new();
        let mut packet = [0; 1024];
        loop {
            let (length, from) = socket.recv_from(&mut packet).await.unwrap();
            let packet = &packet[..length];
            if packet[1] == 5 {
                return None;
            }
            assert_eq!(packet[1], 3, "{packet:?}");
            file.extend(&packet[4..]);
            let acknowledged = [0, 4, packet[2], packet[3]];
            socket.send_to(&acknowledged, from).await.unwrap();
            if length < 516 {
                return Some(file);
            }
        }
    }
}
