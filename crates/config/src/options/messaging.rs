//! The message bus: where notifications go. Nothing else does here, so most of what Ironic's
//! library can be told about it has no meaning.

use crate::{Multi, Seconds, SecretUrl, section::section};
use std::path::PathBuf;

section! {
    /// Notifications.
    OsloMessagingNotifications = "oslo_messaging_notifications" {
        /// How notifications leave: `messagingv2`, or `messaging` for consumers that know no
        /// envelope; `noop` and anything else sends none.
        acts driver: Multi<String>,
        /// Message bus for notifications; `[DEFAULT]transport_url` if unset.
        acts transport_url: Option<SecretUrl>,
        /// Topics that readings of sensors are sent to.
        acts topics: Vec<String> = "notifications",
    }
}

section! {
    /// RabbitMQ.
    OsloMessagingRabbit = "oslo_messaging_rabbit" {
        /// Speak TLS.
        acts ssl: bool = "false",
        /// Authorities that are trusted to know the server; those of the machine if unset.
        acts ssl_ca_file: Option<PathBuf>,
        /// Our own certificate, for servers that want one.
        acts ssl_cert_file: Option<PathBuf>,
        /// The key of that certificate.
        acts ssl_key_file: Option<PathBuf>,
        /// Exchanges and queues outlive the server.
        acts amqp_durable_queues: bool = "false",
        /// Exchanges and queues are deleted when unused.
        acts amqp_auto_delete: bool = "false",
        /// Queues live on several servers.
        acts rabbit_quorum_queue: bool = "false",
        /// A server without a sign of life for this long is dead; zero for never.
        acts heartbeat_timeout_threshold: Seconds [0..] = "60",
    }
}
