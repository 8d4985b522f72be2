//! What was found, as a table for people and as JSON for programs.

use super::ask::{Finding, ServiceReport, Standing, Weight};
use crate::console;
use ::openstack::Service;
use serde_json::{Value, json};

pub(super) struct Report(pub(super) Vec<ServiceReport>);

const HEAD: [&str; 5] = ["SERVICE", "SECTION", "STATE", "AS", "ENDPOINT"];

impl Report {
    /// Whether nothing is missing.
    pub(super) fn is_complete(&self) -> bool {
        let mut findings = self.0.iter().flat_map(|service| &service.findings);
        !findings.any(|finding| finding.weight == Weight::Missing)
    }

    pub(super) fn table(&self) -> String {
        let rows = self.0.iter().map(|service| {
            let reached = service.reached.as_ref();
            [
                name(service.service).to_owned(),
                format!("[{}]", service.service.section()),
                state(service).to_owned(),
                reached.map(account).unwrap_or_default(),
                reached.map_or("", |reached| &reached.endpoint).to_owned(),
            ]
        });
        let rows: Vec<[String; 5]> = [HEAD.map(str::to_owned)].into_iter().chain(rows).collect();
        let mut text = console::aligned(&rows);
        self.list(Weight::Missing, "Missing", &mut text);
        self.list(Weight::Note, "Notes", &mut text);
        if self.is_complete() {
            text += "\nNothing is missing.\n";
        }
        text.trim_end().to_owned()
    }

    fn list(&self, weight: Weight, title: &str, text: &mut String) {
        let mut is_first = true;
        for service in &self.0 {
            for finding in service.findings.iter().filter(|one| one.weight == weight) {
                if is_first {
                    *text += &format!("\n{title}:\n");
                    is_first = false;
                }
                *text += &format!("  {}: {}\n", name(service.service), finding.what);
                if let Some(remedy) = &finding.remedy {
                    *text += &format!("      {remedy}\n");
                }
                for command in &finding.commands {
                    *text += &format!("      {command}\n");
                }
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let services = self.0.iter().map(|service| {
            let reached = service.reached.as_ref();
            json!({
                "service": name(service.service),
                "section": service.service.section(),
                "state": state(service),
                "endpoint": reached.map(|reached| &reached.endpoint),
                "user": reached.and_then(|reached| reached.user.as_ref()),
                "project": reached.and_then(|reached| reached.project.as_ref()),
                "roles": reached.and_then(|reached| reached.roles.as_ref()),
                "missing": findings(service, Weight::Missing),
                "notes": findings(service, Weight::Note),
            })
        });
        json!({"complete": self.is_complete(), "services": services.collect::<Vec<_>>()})
    }
}

fn findings(service: &ServiceReport, weight: Weight) -> Vec<Value> {
    let findings = service.findings.iter();
    let findings = findings.filter(|finding| finding.weight == weight);
    let shown = |finding: &Finding| {
        json!({
            "what": finding.what, "remedy": finding.remedy, "commands": finding.commands,
        })
    };
    findings.map(shown).collect()
}

fn name(service: Service) -> &'static str {
    match service {
        Service::Keystone => "Keystone",
        Service::Glance => "Glance",
        Service::Swift => "Swift",
        Service::Neutron => "Neutron",
        Service::Cinder => "Cinder",
        Service::Nova => "Nova",
        Service::Baremetal => "Bare Metal",
    }
}

fn state(service: &ServiceReport) -> &'static str {
    let mut findings = service.findings.iter();
    let is_missing = findings.any(|finding| finding.weight == Weight::Missing);
    match (service.standing, is_missing) {
        (Standing::NotConfigured, false) => "not configured",
        (Standing::NotConfigured, true) => "not configured, but needed",
        (Standing::Unusable, _) => "unusable",
        (Standing::Answers, true) => "incomplete",
        (Standing::Answers, false) => "ok",
    }
}

/// `ironic in service`.
fn account(reached: &::openstack::Reached) -> String {
    match (&reached.user, &reached.project) {
        (Some(user), Some(project)) => format!("{user} in {project}"),
        (Some(user), None) => user.clone(),
        _ => "no login".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::openstack::Reached;

    fn report(missing: bool) -> Report {
        let finding = Finding {
            weight: if missing {
                Weight::Missing
            } else {
                Weight::Note
            },
            what: "network net does not exist".into(),
            remedy: None,
            commands: vec!["openstack network create net".into()],
        };
        Report(vec![
            ServiceReport {
                service: Service::Neutron,
                standing: Standing::Answers,
                reached: Some(Reached {
                    endpoint: "http://n:9696/v2.0".into(),
                    user: Some("ironic".into()),
                    project: Some("service".into()),
                    roles: None,
                }),
                findings: vec![finding],
            },
            ServiceReport {
                service: Service::Nova,
                standing: Standing::NotConfigured,
                reached: None,
                findings: Vec::new(),
            },
        ])
    }

    #[test]
    fn a_table_has_a_row_for_each_service_and_what_is_missing_below() {
        assert_eq!(
            report(true).table(),
            "SERVICE  SECTION    STATE           AS                 ENDPOINT\n\
             Neutron  [neutron]  incomplete      ironic in service  http://n:9696/v2.0\n\
             Nova     [nova]     not configured\n\
             \n\
             Missing:\n  \
             Neutron: network net does not exist\n      \
             openstack network create net"
        );
        assert!(!report(true).is_complete());
    }

    #[test]
    fn notes_alone_are_no_reason_to_fail() {
        let report = report(false);
        assert!(report.is_complete());
        assert!(report.table().ends_with("Nothing is missing."));
        let json = report.json();
        assert_eq!(json["complete"], true);
        assert_eq!(json["services"][0]["state"], "ok");
        assert_eq!(json["services"][0]["notes"][0]["remedy"], Value::Null);
        assert_eq!(json["services"][1]["state"], "not configured");
    }
}
