//! A Keystone to test with, and its administrator.

use crate::http::{Answer, Client, Request};
use api::auth::keystone::{Domain, KeystoneSettings, Login, LoginScope, Method, Named};
use serde_json::{Value, json};
use std::{
    env, fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use uuid::Uuid;

const URL: &str = "CORTEN_TEST_KEYSTONE_URL";
const PASSWORD: &str = "CORTEN_TEST_KEYSTONE_PASSWORD";
const PYTHON: &str = "CORTEN_TEST_KEYSTONE_PYTHON";
const CONFIG: &str = "CORTEN_TEST_KEYSTONE_CONFIG";

/// Of all users that tests make.
const SECRET: &str = "s3cret";

/// What a role or a token is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    None,
    System,
    Project(&'a str),
}

/// A Keystone; one that a test has started ends with this value.
pub(crate) struct Cloud {
    client: Client,
    /// The administrator's token.
    admin: String,
    process: Option<Process>,
}

struct Process {
    child: Child,
    /// Holds its configuration.
    _directory: TempDir,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run under scripts/with-keystone"))
}

impl Cloud {
    /// The one that all tests share, unless somebody decided to do without.
    pub(crate) async fn find() -> Option<Self> {
        let skip = env::var_os("CORTEN_TEST_SKIP_KEYSTONE").is_some_and(|value| value == "1");
        if skip && env::var_os(URL).is_none() {
            println!("SKIPPED: there is no Keystone, and CORTEN_TEST_SKIP_KEYSTONE=1 says so");
            return None;
        }
        let url = variable(URL);
        let address = url.trim_start_matches("http://").trim_end_matches("/v3");
        Some(Self::at(address).await)
    }

    async fn at(address: &str) -> Self {
        let mut cloud = Self {
            client: Client {
                address: address.parse().unwrap(),
            },
            admin: String::new(),
            process: None,
        };
        let user =
            json!({"name": "admin", "domain": {"id": "default"}, "password": variable(PASSWORD)});
        cloud.admin = cloud.token(user, Scope::System).await;
        cloud
    }

    /// A further Keystone on the same database, with more configuration; port 0 is any.
    pub(crate) async fn another(&self, more: &str, port: u16) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (extra, port_file) = (
            directory.path().join("extra.conf"),
            directory.path().join("port"),
        );
        fs::write(&extra, more).unwrap();
        let log = fs::File::create(directory.path().join("log")).unwrap();
        let program =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scripts/keystone/serve.py");
        let child = Command::new(variable(PYTHON))
            .arg(program)
            .arg(port.to_string())
            .arg(&port_file)
            .env(
                "OS_KEYSTONE_CONFIG_FILES",
                format!("{};{}", variable(CONFIG), extra.display()),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut process = Process {
            child,
            _directory: directory,
        };
        while !port_file.exists() {
            if let Some(status) = process.child.try_wait().unwrap() {
                let log = fs::read_to_string(port_file.with_file_name("log")).unwrap();
                panic!("Keystone ended ({status}): {log}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let port = fs::read_to_string(&port_file).unwrap();
        Self {
            process: Some(process),
            ..Self::at(&format!("127.0.0.1:{port}")).await
        }
    }

    /// Ends a Keystone of our own; its port, for the next.
    pub(crate) fn stop(&mut self) -> u16 {
        drop(self.process.take().unwrap());
        self.client.address.port()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.client.address)
    }

    /// How a service of its own user logs in here.
    pub(crate) async fn settings(&self) -> KeystoneSettings {
        self.settings_with(SECRET).await
    }

    pub(crate) async fn settings_with(&self, password: &str) -> KeystoneSettings {
        let project = self.project().await;
        let id = self.user(&[("service", Scope::Project(&project))]).await;
        let name = self.get(&format!("/users/{id}")).await["user"]["name"].clone();
        let login = Login {
            method: Method::Password {
                user: Named::Name {
                    name: name.as_str().unwrap().to_owned(),
                    domain: Domain::Name("Default".into()),
                },
                password: password.into(),
            },
            scope: LoginScope::Project(Named::Id(project)),
        };
        KeystoneSettings::new(self.url(), login)
    }

    /// A region of the catalog in which that Keystone is the identity service.
    pub(crate) async fn region_of(&self, other: &Self) -> String {
        let region = format!("region-{}", Uuid::new_v4().simple());
        self.post("/regions", json!({"region": {"id": region}}))
            .await;
        let services = self.get("/services?type=identity").await;
        let endpoint = json!({"endpoint": {
            "service_id": services["services"][0]["id"],
            "region_id": region,
            "interface": "internal",
            "url": format!("{}/v3", other.url()),
        }});
        self.post("/endpoints", endpoint).await;
        region
    }

    /// A new project.
    pub(crate) async fn project(&self) -> String {
        let name = format!("project-{}", Uuid::new_v4().simple());
        let body = json!({"project": {"name": name, "domain_id": "default"}});
        id(&self.post("/projects", body).await["project"])
    }

    /// A new user with these roles.
    pub(crate) async fn user(&self, roles: &[(&str, Scope<'_>)]) -> String {
        let name = format!("user-{}", Uuid::new_v4().simple());
        let body = json!({"user": {"name": name, "domain_id": "default", "password": SECRET}});
        let user = id(&self.post("/users", body).await["user"]);
        for (role, scope) in roles {
            let found = self.get(&format!("/roles?name={role}")).await;
            let role = id(&found["roles"][0]);
            let place = match scope {
                Scope::None => continue,
                Scope::System => "/system".to_owned(),
                Scope::Project(project) => format!("/projects/{project}"),
            };
            let path = format!("{place}/users/{user}/roles/{role}");
            self.ask("PUT", &path, None).await.expect(204);
        }
        user
    }

    /// A token of a user that a test has made.
    pub(crate) async fn login(&self, user: &str, scope: Scope<'_>) -> String {
        self.token(json!({"id": user, "password": SECRET}), scope)
            .await
    }

    pub(crate) async fn revoke(&self, token: &str) {
        let request = Request::bare("DELETE", "/v3/auth/tokens")
            .header("X-Auth-Token", &self.admin)
            .header("X-Subject-Token", token);
        self.client.send(request).await.expect(204);
    }

    async fn token(&self, user: Value, scope: Scope<'_>) -> String {
        let mut auth = json!({
            "identity": {"methods": ["password"], "password": {"user": user}},
        });
        auth["scope"] = match scope {
            Scope::None => json!("unscoped"),
            Scope::System => json!({"system": {"all": true}}),
            Scope::Project(id) => json!({"project": {"id": id}}),
        };
        let request = Request::bare("POST", "/v3/auth/tokens").json(&json!({"auth": auth}));
        let answer = self.send(request).await.expect(201);
        answer.header("x-subject-token").unwrap().to_owned()
    }

    async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).await.expect(200).json()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.ask("POST", path, Some(body)).await.expect(201).json()
    }

    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = Request::bare(method, &format!("/v3{path}"));
        let request = request.header("X-Auth-Token", &self.admin);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        self.send(request).await
    }

    /// Keystone writes to SQLite here, and answers 500 when somebody else does so for too long.
    async fn send(&self, request: Request) -> Answer {
        for _ in 0..9 {
            let answer = self.client.try_send(&request).await.unwrap();
            if answer.status != 500 {
                return answer;
            }
        }
        self.client.send(request).await
    }
}

fn id(resource: &Value) -> String {
    resource["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{resource}"))
        .to_owned()
}
