//! Which targets there are behind an address (RFC 7143 §4.3, appendix C).

use super::{
    InitiatorSettings, IscsiError,
    link::{Link, new_isid},
};
use proto::iscsi::{initiator::Event, text::Pairs};
use tokio::time::timeout;

/// A target and where it can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredTarget {
    pub name: String,
    /// As the target writes them: address, port and portal group.
    pub addresses: Vec<String>,
}

/// Asks for the targets behind the portal of `settings`; its target is not used.
pub async fn discover(settings: &InitiatorSettings) -> Result<Vec<DiscoveredTarget>, IscsiError> {
    let mut link = Link::open(settings, new_isid()?, true).await?;
    let asked = timeout(settings.timeouts.login, ask(&mut link)).await;
    asked.unwrap_or(Err(IscsiError::Timeout))
}

async fn ask(link: &mut Link) -> Result<Vec<DiscoveredTarget>, IscsiError> {
    link.session.send_targets();
    let mut targets = Vec::new();
    loop {
        match link.session.event() {
            Some(Event::Text(pairs)) => {
                targets = read_targets(&pairs);
                link.session.logout();
            }
            Some(Event::Rejected { reason, .. }) => return Err(IscsiError::Rejected(reason)),
            Some(Event::LoggedOut) => return Ok(targets),
            Some(_) => {}
            None => {
                link.progress().await?;
            }
        }
    }
}

fn read_targets(pairs: &Pairs) -> Vec<DiscoveredTarget> {
    let mut targets: Vec<DiscoveredTarget> = Vec::new();
    for (key, value) in pairs.iter() {
        match (key, targets.last_mut()) {
            ("TargetName", _) => targets.push(DiscoveredTarget {
                name: value.to_owned(),
                addresses: Vec::new(),
            }),
            ("TargetAddress", Some(target)) => target.addresses.push(value.to_owned()),
            _ => {}
        }
    }
    targets
}
