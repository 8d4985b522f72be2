//! The options of notifications: which are wanted, and where the message bus is.

use super::SettingsError;
use config::{Config, Source, choice::NotificationLevel};
use std::{path::PathBuf, time::Duration};
use store::notification::NotificationFilter;
use telemetry::{Address, BusSettings, SenderSettings};
use tls::Trust;
use types::{notification::Level, words};

/// What is sent to the message bus.
#[derive(Debug, Clone)]
pub struct Notifications {
    pub bus: BusSettings,
    /// Versioned notifications, if any are wanted.
    pub versioned: Option<(NotificationFilter, SenderSettings)>,
    /// Topics for readings of sensors; none if those stay here.
    pub sensor_topics: Vec<String>,
    pub enveloped: bool,
    /// Name of this conductor, in whose name it speaks.
    pub host: String,
}

/// The formats of messages, by the names of Ironic's drivers.
const ENVELOPED: &str = "messagingv2";
const PLAIN: &str = "messaging";

/// What goes out; nothing unless it is asked for, and by a way that leads out.
pub fn notifications(config: &Config) -> Result<Option<Notifications>, SettingsError> {
    let level = (*config.default.notification_level).map(level);
    let sensors = *config.sensor_data.send_sensor_data;
    let drivers = &config.oslo_messaging_notifications.driver;
    let has = |name: &str| drivers.iter().any(|driver| driver == name);
    if (level.is_none() && !sensors) || !(has(ENVELOPED) || has(PLAIN)) {
        return Ok(None);
    }
    let host = config.default.host.to_string();
    let enveloped = has(ENVELOPED);
    let versioned = level.map(|level| {
        let wanted = NotificationFilter {
            level,
            host: host.clone(),
        };
        let sender = SenderSettings {
            host: host.clone(),
            topics: config.default.versioned_notifications_topics.to_vec(),
            enveloped,
        };
        (wanted, sender)
    });
    let topics = &config.oslo_messaging_notifications.topics;
    Ok(Some(Notifications {
        bus: bus(config, &host)?,
        versioned,
        sensor_topics: if sensors { topics.to_vec() } else { Vec::new() },
        enveloped,
        host,
    }))
}

/// Warnings for an operator who enabled notifications that cannot be sent.
pub fn notification_remark(config: &Config) -> Option<String> {
    let level = &config.default.notification_level;
    let drivers = &config.oslo_messaging_notifications.driver;
    let leads_out = drivers
        .iter()
        .any(|driver| driver == ENVELOPED || driver == PLAIN);
    (level.is_some() && !leads_out).then(|| {
        format!(
            "[DEFAULT]notification_level is set ({}), but no notifications are sent: set \
             [oslo_messaging_notifications]driver to {ENVELOPED}",
            level.source()
        )
    })
}

fn bus(config: &Config, host: &str) -> Result<BusSettings, SettingsError> {
    let own = &config.oslo_messaging_notifications.transport_url;
    let (url, place, option) = match &**own {
        Some(url) => (
            url,
            own.source(),
            "[oslo_messaging_notifications]transport_url",
        ),
        None => {
            let url = &config.default.transport_url;
            (&**url, url.source(), "[DEFAULT]transport_url")
        }
    };
    let refused = |reason: String| SettingsError::Bus {
        place: Source::clone(place),
        option,
        reason,
    };
    let address = Address::parse(url.expose()).map_err(|error| refused(error.to_string()))?;
    let rabbit = &config.oslo_messaging_rabbit;
    let flag = |name: &str, configured: bool| match address.option(name) {
        None => Ok(configured),
        Some(text) => words::option_boolean(text).ok_or_else(|| {
            refused(format!(
                "invalid option {name} in the URL: expected true or false"
            ))
        }),
    };
    let file = |name: &str, configured: &Option<PathBuf>| {
        let given = address.option(name).map(PathBuf::from);
        given
            .or_else(|| configured.clone())
            .filter(|file| !file.as_os_str().is_empty())
    };
    let certificate = file("ssl_cert_file", &rabbit.ssl_cert_file);
    let key = file("ssl_key_file", &rabbit.ssl_key_file);
    let certificate = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        // One file may hold both.
        (Some(both), None) => Some((both.clone(), both)),
        (None, _) => None,
    };
    let tls = flag("ssl", *rabbit.ssl)?.then(|| tls::Client {
        trust: file("ssl_ca_file", &rabbit.ssl_ca_file).map_or(Trust::Machine, Trust::Path),
        certificate,
    });
    let heartbeat = rabbit.heartbeat_timeout_threshold.duration();
    Ok(BusSettings {
        tls,
        exchange: config.default.control_exchange.to_string(),
        durable: flag("amqp_durable_queues", *rabbit.amqp_durable_queues)?,
        auto_delete: flag("amqp_auto_delete", *rabbit.amqp_auto_delete)?,
        quorum: flag("rabbit_quorum_queue", *rabbit.rabbit_quorum_queue)?,
        heartbeat: heartbeat.min(Duration::from_secs(u16::MAX.into())),
        name: format!("corten:{host}"),
        address,
    })
}

fn level(level: NotificationLevel) -> Level {
    match level {
        NotificationLevel::Debug => Level::Debug,
        NotificationLevel::Info => Level::Info,
        NotificationLevel::Warning => Level::Warning,
        NotificationLevel::Error => Level::Error,
        NotificationLevel::Critical => Level::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    #[test]
    fn nothing_goes_out_unless_it_is_asked_for() {
        assert!(notifications(&alone(&[])).unwrap().is_none());
        assert_eq!(notification_remark(&alone(&[])), None);
        let config = filed("[DEFAULT]\nnotification_level = info\n");
        assert!(notifications(&config).unwrap().is_none());
        let remark = notification_remark(&config).unwrap();
        assert!(remark.contains("driver to messagingv2"), "{remark}");
    }

    #[test]
    fn options_reach_the_bus() {
        let config = filed(
            "[DEFAULT]\nhost = h\nnotification_level = error\ntransport_url = rabbit://a:b@one/x\n\
             [oslo_messaging_notifications]\ndriver = messagingv2\n\
             transport_url = rabbit://u:p@two:1,u:p@three/v?ssl=1&amqp_durable_queues=true\n\
             [oslo_messaging_rabbit]\nssl_ca_file = /ca.pem\nheartbeat_timeout_threshold = 7\n",
        );
        let out = notifications(&config).unwrap().unwrap();
        let (wanted, sender) = out.versioned.unwrap();
        assert_eq!((wanted.level, wanted.host.as_str()), (Level::Error, "h"));
        assert_eq!(sender.topics, ["ironic_versioned_notifications"]);
        assert!(out.enveloped && out.sensor_topics.is_empty());
        let bus = out.bus;
        assert_eq!(bus.exchange, "ironic");
        assert_eq!(bus.address.hosts[1].to_string(), "three:5672");
        assert_eq!(bus.address.vhost, "v");
        assert!(bus.durable && !bus.quorum);
        assert_eq!(bus.heartbeat, Duration::from_secs(7));
        let tls = bus.tls.unwrap();
        assert_eq!(tls.trust, Trust::Path("/ca.pem".into()));
        assert_eq!(tls.certificate, None);
    }

    #[test]
    fn an_address_of_another_bus_is_refused_without_its_password() {
        let config = filed(
            "[DEFAULT]\nnotification_level = info\ntransport_url = kafka://u:sesame@h\n\
             [oslo_messaging_notifications]\ndriver = messaging\n",
        );
        let refused = notifications(&config).unwrap_err().to_string();
        assert!(refused.contains("[DEFAULT]transport_url"), "{refused}");
        assert!(!refused.contains("sesame"), "{refused}");
    }
}
