//! Database servers that speak TLS, started by the scripts that tests run under, and certificates
//! for them.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// Who signs certificates.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(super) file: PathBuf,
}

impl Authority {
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // OpenSSL takes whoever has the name of their authority for an authority.
        params.distinguished_name.push(DnType::CommonName, name);
        let file = folder.join(format!("{name}.pem"));
        std::fs::write(&file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self {
            issuer: Issuer::new(params, key),
            file,
        }
    }

    /// Writes a certificate for this host, and its key.
    pub(super) fn sign(&self, folder: &Path, name: &str, host: &str) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let signed = params.signed_by(&key, &self.issuer).unwrap();
        let certificate = folder.join(format!("{name}.pem"));
        let private = folder.join(format!("{name}.key"));
        std::fs::write(&certificate, signed.pem()).unwrap();
        std::fs::write(&private, key.serialize_pem()).unwrap();
        (certificate, private)
    }
}

/// A server that ends with this value.
pub(super) struct Server {
    script: Child,
    pub(super) port: u16,
    /// How the script says that the server is reached from this machine.
    pub(super) address: String,
}

impl Server {
    /// Starts a server with these files, and one that says which port to listen on.
    pub(super) fn start(
        script: &str,
        engine: &str,
        files: &Path,
        config: impl FnOnce(u16) -> (&'static str, String),
    ) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        let (name, text) = config(port);
        std::fs::write(files.join(name), text).unwrap();
        drop(free);
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
        let variable = format!("CORTEN_TEST_{engine}");
        // The script's command tells the address and then waits for its input to end.
        let mut script = Command::new(scripts.join(script))
            .arg("--files")
            .arg(files)
            .args(["sh", "-c"])
            .arg(format!("echo \"${variable}\"; exec cat"))
            // The server of this test run is another one.
            .env_remove(&variable)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(script.stdout.take().unwrap()).lines();
        let address = lines.next();
        let address = address.expect("the server does not start").unwrap();
        Self {
            script,
            port,
            address,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}
