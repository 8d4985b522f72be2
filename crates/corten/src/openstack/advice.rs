//! The commands that add what is missing.
//!
//! Names of users, projects, networks and images are those of the configuration. What only the
//! operator knows is in capitals.

use super::needs::Login;
use ::openstack::{Error, Reason, Service};

fn user(login: &Login) -> &str {
    login.user.as_deref().unwrap_or("USER")
}

fn project(login: &Login) -> &str {
    login.project.as_deref().unwrap_or("PROJECT")
}

/// A word of a command, quoted where a shell would read it as something else.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@%+=,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// A section says nothing about logging in.
pub(super) fn log_in() -> Vec<String> {
    [
        "openstack user create --domain default --password-prompt ironic",
        "openstack role add --user ironic --project service service",
        "openstack role add --user ironic --project service admin",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(super) fn role(login: &Login, role: &str) -> Vec<String> {
    let (user, project) = (word(user(login)), word(project(login)));
    vec![format!(
        "openstack role add --user {user} --project {project} {role}"
    )]
}

pub(super) fn network(name: &str) -> Vec<String> {
    let name = word(name);
    vec![
        format!("openstack network create {name}"),
        format!("openstack subnet create --network {name} --subnet-range CIDR {name}"),
    ]
}

pub(super) fn security_group(name: &str) -> Vec<String> {
    vec![format!("openstack security group create {}", word(name))]
}

pub(super) fn temp_url_key() -> Vec<String> {
    vec![
        "openstack object store account set --property Temp-URL-Key=$(openssl rand -hex 32)"
            .to_owned(),
    ]
}

pub(super) fn upload_image(option: &str) -> Vec<String> {
    let format = match option {
        kernel if kernel.contains("kernel") => "aki",
        ramdisk if ramdisk.contains("ramdisk") => "ari",
        _ => "raw",
    };
    let container = if format == "raw" { "bare" } else { format };
    let name = option.split(' ').next().unwrap_or(option);
    vec![format!(
        "openstack image create --public --disk-format {format} --container-format {container} \
         --file FILE {name}"
    )]
}

pub(super) fn activate_image(id: &str) -> Vec<String> {
    vec![format!("openstack image set --activate {id}")]
}

/// What helps against a failed call, as far as commands do.
pub(super) fn failure(service: Service, login: &Login, error: &Error) -> Vec<String> {
    match &error.reason {
        Reason::Refused(_) if error.request.service == Service::Keystone => vec![format!(
            "openstack user set --password-prompt {}",
            word(user(login))
        )],
        Reason::Refused(_) => role(login, "admin"),
        Reason::NotInCatalogue {
            service_type,
            interfaces,
            region,
        } => endpoint(service, service_type, interfaces, region.as_deref()),
        _ => Vec::new(),
    }
}

fn endpoint(
    service: Service,
    service_type: &str,
    interfaces: &[String],
    region: Option<&str>,
) -> Vec<String> {
    let (name, url) = match service {
        Service::Keystone => ("keystone", "http://HOST:5000/v3"),
        Service::Glance => ("glance", "http://HOST:9292"),
        Service::Swift => ("swift", "'http://HOST:8080/v1/AUTH_%(project_id)s'"),
        Service::Neutron => ("neutron", "http://HOST:9696"),
        Service::Cinder => ("cinder", "http://HOST:8776/v3"),
        Service::Nova => ("nova", "http://HOST:8774/v2.1"),
        Service::Baremetal => ("ironic", "http://HOST:6385"),
    };
    let service_type = word(service_type);
    let region = word(region.unwrap_or("RegionOne"));
    let interface = word(interfaces.first().map_or("internal", String::as_str));
    vec![
        format!("openstack service create --name {name} {service_type}"),
        format!("openstack endpoint create --region {region} {service_type} {interface} {url}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(word("cleaning-net"), "cleaning-net");
        assert_eq!(word("a b"), "'a b'");
        assert_eq!(word("x'; rm -rf /"), "'x'\\''; rm -rf /'");
        assert_eq!(word(""), "''");
        let login = Login {
            user: Some("iron ic".into()),
            ..Login::default()
        };
        assert_eq!(
            role(&login, "service"),
            ["openstack role add --user 'iron ic' --project PROJECT service"]
        );
    }
}
