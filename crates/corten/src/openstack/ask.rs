//! Asks the services, all at the same time.

use super::{
    advice,
    needs::{NamedNetwork, Needs},
};
use ::openstack::{Caller, Deadline, Error, Reached, Reason, Service, Services};
use futures_util::future::join_all;
use std::time::Duration;
use types::error::chain;

/// The order in which services are shown.
const SERVICES: [Service; 7] = [
    Service::Keystone,
    Service::Glance,
    Service::Swift,
    Service::Neutron,
    Service::Cinder,
    Service::Nova,
    Service::Baremetal,
];

pub(super) struct Asking {
    pub(super) services: Services,
    pub(super) needs: Needs,
    /// For everything about one service.
    pub(super) patience: Duration,
}

/// How a service stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its section does not say how to log in.
    NotConfigured,
    /// We cannot log in, cannot find it, or it does not answer as it should.
    Unusable,
    Answers,
}

/// What was found out about a service.
#[derive(Debug)]
pub(super) struct ServiceReport {
    pub(super) service: Service,
    pub(super) standing: Standing,
    pub(super) reached: Option<Reached>,
    pub(super) findings: Vec<Finding>,
}

/// Whether somebody must do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Missing,
    Note,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) weight: Weight,
    pub(super) what: String,
    /// What can be done about it, in words and as commands.
    pub(super) remedy: Option<String>,
    pub(super) commands: Vec<String>,
}

impl Finding {
    fn missing(what: impl Into<String>, commands: Vec<String>) -> Self {
        Self {
            weight: Weight::Missing,
            what: what.into(),
            remedy: None,
            commands,
        }
    }

    fn note(what: impl Into<String>) -> Self {
        Self {
            weight: Weight::Note,
            ..Self::missing(what, Vec::new())
        }
    }

    fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// The roles that our user needs, where the answers of a service do not show it. Swift and Nova
/// are asked for just what we need of them.
fn roles(service: Service) -> &'static [&'static str] {
    match service {
        // The token of a service beside a user's, and what belongs to other projects.
        Service::Glance | Service::Neutron | Service::Cinder => &["service", "admin"],
        // Tokens of others may be checked by one of these.
        Service::Keystone => &["service"],
        Service::Swift | Service::Nova | Service::Baremetal => &[],
    }
}

impl Asking {
    pub(super) async fn all(&self) -> Vec<ServiceReport> {
        join_all(SERVICES.map(|service| self.one(service))).await
    }

    async fn one(&self, service: Service) -> ServiceReport {
        let mut report = ServiceReport {
            service,
            standing: Standing::NotConfigured,
            reached: None,
            findings: Vec::new(),
        };
        if !self.services.has_login(service) {
            let section = service.section();
            report
                .findings
                .extend(self.needs.reason(service).map(|reason| {
                    let what = format!("{reason}, but [{section}] does not say how to log in");
                    Finding::missing(what, advice::log_in()).with_remedy(format!(
                        "set auth_type = password, auth_url, username, password, user_domain_name, \
                     project_name and project_domain_name in [{section}]"
                    ))
                }));
            return report;
        }
        let deadline = Deadline::after(self.patience);
        report.standing = Standing::Unusable;
        match self.services.reach(service, deadline).await {
            Ok(reached) => {
                report
                    .findings
                    .extend(self.missing_roles(service, &reached));
                report.reached = Some(reached);
            }
            Err(error) => {
                report.findings.push(self.failure(service, &error));
                return report;
            }
        }
        match self.services.probe(service, deadline).await {
            Ok(()) => {
                report.standing = Standing::Answers;
                report
                    .findings
                    .extend(self.details(service, deadline).await);
            }
            Err(error) if service == Service::Baremetal => {
                let what = format!(
                    "the Bare Metal API does not answer there: {}",
                    chain(&error)
                );
                report.findings.push(Finding::note(what).with_remedy(
                    "start the service, or correct its endpoint: agents are told this address",
                ));
            }
            Err(error) => report.findings.push(self.failure(service, &error)),
        }
        report
    }

    fn missing_roles(&self, service: Service, reached: &Reached) -> Vec<Finding> {
        let Some(own) = &reached.roles else {
            return Vec::new();
        };
        let has = |role: &str| own.iter().any(|name| name.eq_ignore_ascii_case(role));
        if service == Service::Keystone && has("admin") {
            return Vec::new();
        }
        let login = self.needs.login(service);
        let missing = roles(service).iter().filter(|role| !has(role));
        missing
            .map(|role| {
                let user = reached.user.as_deref().unwrap_or("the user");
                let what = format!("{user} does not have the role {role}");
                Finding::missing(what, advice::role(&login, role))
            })
            .collect()
    }

    fn failure(&self, service: Service, error: &Error) -> Finding {
        let commands = advice::failure(service, &self.needs.login(service), error);
        Finding::missing(chain(error), commands).with_remedy(error.remedy())
    }

    /// What the configuration names, in a service that answers.
    async fn details(&self, service: Service, deadline: Deadline) -> Vec<Finding> {
        match service {
            Service::Glance => {
                let images = self.needs.images.iter();
                let images = images.map(|(option, id)| self.image(option, id, deadline));
                join_all(images).await.into_iter().flatten().collect()
            }
            Service::Swift => self.objects(deadline).await,
            Service::Neutron => {
                let networks = self.needs.networks.iter();
                let networks = networks.map(|network| self.network(network, deadline));
                let mut findings: Vec<Finding> =
                    join_all(networks).await.into_iter().flatten().collect();
                let unset = self.needs.unset_networks.iter();
                findings.extend(unset.map(|option| {
                    let what = format!("{option} is not set in [neutron]");
                    let remedy = format!("set it, or driver_info/{option} of every node");
                    Finding::note(what).with_remedy(remedy)
                }));
                findings
            }
            Service::Keystone | Service::Cinder | Service::Nova | Service::Baremetal => Vec::new(),
        }
    }

    async fn image(&self, option: &str, id: &str, deadline: Deadline) -> Option<Finding> {
        let glance = self.services.glance();
        match glance.image(id, &Caller::service(), deadline).await {
            Ok(image) if image.is_active() => None,
            Ok(_) => {
                let what = format!("image {id} (option {option} in [conductor]) is not active");
                Some(Finding::missing(what, advice::activate_image(id)))
            }
            Err(error) if error.is_not_found() => {
                let what = format!("image {id} (option {option} in [conductor]) does not exist");
                let remedy = format!("upload one, and set {option} in [conductor] to its id");
                let finding = Finding::missing(what, advice::upload_image(option));
                Some(finding.with_remedy(remedy))
            }
            Err(error) => Some(self.failure(Service::Glance, &error)),
        }
    }

    async fn network(&self, network: &NamedNetwork, deadline: Deadline) -> Vec<Finding> {
        let NamedNetwork {
            option,
            name,
            groups,
        } = network;
        let neutron = self.services.neutron();
        let mut findings = Vec::new();
        match neutron.network(name, &Caller::service(), deadline).await {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {
                let what = format!("network {name} ({option} in [neutron]) does not exist");
                findings.push(Finding::missing(what, advice::network(name)));
            }
            Err(Error {
                reason: Reason::Ambiguous(ids),
                ..
            }) => {
                let what = format!("several networks are called {name} ({option} in [neutron])");
                let remedy = format!("set {option} to one of {}", ids.join(", "));
                findings.push(Finding::missing(what, Vec::new()).with_remedy(remedy));
            }
            Err(error) => findings.push(self.failure(Service::Neutron, &error)),
        }
        match neutron.missing_security_groups(groups, deadline).await {
            Ok(missing) => findings.extend(missing.iter().map(|group| {
                let what =
                    format!("security group {group} ({option}_security_groups) does not exist");
                let remedy = "options name security groups by id";
                Finding::missing(what, advice::security_group("NAME")).with_remedy(remedy)
            })),
            Err(error) => findings.push(self.failure(Service::Neutron, &error)),
        }
        findings
    }

    async fn objects(&self, deadline: Deadline) -> Vec<Finding> {
        let swift = self.services.swift();
        let mut findings = Vec::new();
        match (swift.account_key(deadline).await, self.needs.temp_urls) {
            (Ok(_), _) => {}
            (
                Err(Error {
                    reason: Reason::NotConfigured(_),
                    ..
                }),
                needed,
            ) => {
                let what = "the account has no key for temporary URLs";
                let mut finding = match needed {
                    Some(option) => Finding::missing(
                        format!("{what}, which {option} needs"),
                        advice::temp_url_key(),
                    ),
                    None => Finding::note(format!(
                        "{what}; a node with image_download_source = swift would need one"
                    )),
                };
                finding.remedy = Some("as the user of [swift], set one".to_owned());
                findings.push(finding);
            }
            (Err(error), _) => findings.push(self.failure(Service::Swift, &error)),
        }
        for container in &self.needs.containers {
            match swift.has_container(container, deadline).await {
                Ok(true) => {}
                Ok(false) => findings.push(Finding::note(format!(
                    "container {container} does not exist yet; the first object makes it"
                ))),
                Err(error) => findings.push(self.failure(Service::Swift, &error)),
            }
        }
        if let Some(container) = &self.needs.image_container {
            match swift.has_container(container, deadline).await {
                Ok(true) => {}
                Ok(false) => {
                    let what = format!(
                        "container {container}, which machines are to fetch images from, does not \
                         exist"
                    );
                    findings.push(Finding::missing(what, Vec::new()).with_remedy(
                        "let Glance keep images in Swift in the account of [swift], or correct \
                         swift_container and swift_account in [glance]",
                    ));
                }
                Err(error) => findings.push(self.failure(Service::Swift, &error)),
            }
        }
        findings
    }
}
