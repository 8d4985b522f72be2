//! Which conductor a node belongs to.
//!
//! Every process computes the answer alone, from who is alive: no table says it, and nobody has to
//! be asked. Members stand at many points of a ring of hash values, and a node belongs to the
//! member at the next point after its own value. A member that comes or goes therefore moves only
//! the nodes that it gets or had. Points and values are those of Ironic, so that both
//! agree about every node.
//!
//! Two processes may see different members for a moment. That costs a detour, never a second owner:
//! what keeps two conductors from working on one node is the lease.

use crate::NodeId;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

crate::wire_enum! {
    /// The hash that places members and nodes, `[DEFAULT]hash_ring_algorithm`.
    pub enum Algorithm {
        Md5 = "md5",
        Sha1 = "sha1",
        Sha224 = "sha224",
        Sha256 = "sha256",
        Sha384 = "sha384",
        Sha512 = "sha512",
    }
}

/// How a ring is drawn. All processes of a cluster must agree about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub algorithm: Algorithm,
    /// Two to this power is the number of points that a member has.
    pub partition_exponent: u32,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Md5,
            partition_exponent: 5,
        }
    }
}

/// The members that share the nodes of one hardware type and conductor group.
#[derive(Debug, Clone)]
pub struct Ring {
    algorithm: Algorithm,
    /// In order. Values of one algorithm have one length, so comparing bytes compares numbers.
    points: Vec<(Box<[u8]>, usize)>,
    members: Vec<String>,
}

impl Ring {
    pub fn new(members: impl IntoIterator<Item = String>, shape: Shape) -> Self {
        let members: BTreeSet<String> = members.into_iter().collect();
        let members: Vec<String> = members.into_iter().collect();
        let count = 1usize.checked_shl(shape.partition_exponent).unwrap_or(1);
        let mut points = Vec::with_capacity(members.len().saturating_mul(count));
        for (index, member) in members.iter().enumerate() {
            let own = match shape.algorithm {
                Algorithm::Md5 => points_of::<Md5>(member, count),
                Algorithm::Sha1 => points_of::<Sha1>(member, count),
                Algorithm::Sha224 => points_of::<Sha224>(member, count),
                Algorithm::Sha256 => points_of::<Sha256>(member, count),
                Algorithm::Sha384 => points_of::<Sha384>(member, count),
                Algorithm::Sha512 => points_of::<Sha512>(member, count),
            };
            points.extend(own.into_iter().map(|point| (point, index)));
        }
        points.sort_unstable();
        Self {
            algorithm: shape.algorithm,
            points,
            members,
        }
    }

    pub fn members(&self) -> &[String] {
        &self.members
    }

    /// The member that a node belongs to; `None` only when there are no members.
    pub fn owner(&self, node: NodeId) -> Option<&str> {
        if let [alone] = self.members.as_slice() {
            return Some(alone);
        }
        let name = node.to_string();
        let index = match self.algorithm {
            Algorithm::Md5 => self.next(&Md5::digest(&name)),
            Algorithm::Sha1 => self.next(&Sha1::digest(&name)),
            Algorithm::Sha224 => self.next(&Sha224::digest(&name)),
            Algorithm::Sha256 => self.next(&Sha256::digest(&name)),
            Algorithm::Sha384 => self.next(&Sha384::digest(&name)),
            Algorithm::Sha512 => self.next(&Sha512::digest(&name)),
        };
        self.members.get(index?).map(String::as_str)
    }

    /// The part of the ring that belongs to each member. Nodes are spread evenly over the ring, so
    /// it is the part of the nodes as well, as nearly as chance allows.
    pub fn shares(&self) -> Vec<(String, f64)> {
        if let [alone] = self.members.as_slice() {
            return vec![(alone.clone(), 1.0)];
        }
        // The first eight bytes of a value say well enough where on the ring it is.
        let place = |point: &[u8]| {
            let head = point.first_chunk::<8>();
            head.map_or(0, |head| u64::from_be_bytes(*head))
        };
        let mut parts = vec![0.0; self.members.len()];
        let last = self.points.last().map_or(0, |(point, _)| place(point));
        let mut before = last;
        for (point, member) in &self.points {
            let at = place(point);
            // What lies behind the last point belongs to the first.
            let length = at.wrapping_sub(before);
            if let Some(part) = parts.get_mut(*member) {
                *part += length as f64 / (u64::MAX as f64);
            }
            before = at;
        }
        self.members.iter().cloned().zip(parts).collect()
    }

    /// Who stands at the first point strictly after a value, past the end at the first of all.
    fn next(&self, value: &[u8]) -> Option<usize> {
        let after = self
            .points
            .partition_point(|(point, _)| point.as_ref() <= value);
        let (_, member) = self.points.get(after).or_else(|| self.points.first())?;
        Some(*member)
    }
}

/// Each point is the hash of the name written twice, three times and so on.
fn points_of<D: Digest + Clone>(name: &str, count: usize) -> Vec<Box<[u8]>> {
    let mut hash = D::new_with_prefix(name);
    let mut next = || {
        hash.update(name);
        Box::from(hash.clone().finalize().as_slice())
    };
    (0..count).map(|_| next()).collect()
}

/// A conductor that is alive, and what it can serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub host: String,
    /// In lower case.
    pub group: String,
    pub hardware_types: Vec<String>,
}

/// All rings of a cluster.
#[derive(Debug, Clone, Default)]
pub struct Rings {
    /// By group and hardware type.
    rings: HashMap<String, HashMap<String, Arc<Ring>>>,
    /// Who serves a hardware type, in whatever group.
    servers: BTreeMap<String, Vec<String>>,
    hosts: Vec<String>,
}

impl Rings {
    pub fn new(seats: &[Seat], shape: Shape) -> Self {
        let mut sharing: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        let mut servers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for seat in seats {
            for kind in &seat.hardware_types {
                let key = (seat.group.as_str(), kind.as_str());
                sharing.entry(key).or_default().push(seat.host.clone());
                let all = servers.entry(kind.clone()).or_default();
                all.push(seat.host.clone());
            }
        }
        // Mostly all hardware types have the same conductors, and rings are dear.
        let mut drawn: HashMap<Vec<String>, Arc<Ring>> = HashMap::new();
        let mut rings: HashMap<String, HashMap<String, Arc<Ring>>> = HashMap::new();
        for ((group, kind), mut members) in sharing {
            members.sort_unstable();
            let ring = drawn
                .entry(members)
                .or_insert_with_key(|members| Arc::new(Ring::new(members.clone(), shape)));
            let of_group = rings.entry(group.to_owned()).or_default();
            of_group.insert(kind.to_owned(), Arc::clone(ring));
        }
        Self {
            rings,
            servers,
            hosts: seats.iter().map(|seat| seat.host.clone()).collect(),
        }
    }

    /// The conductor that a node of this hardware type and group belongs to, if anybody serves
    /// such nodes.
    pub fn owner(&self, node: NodeId, hardware_type: &str, group: &str) -> Option<&str> {
        let of_group = match self.rings.get(group) {
            Some(found) => found,
            None => self.rings.get(&group.to_lowercase())?,
        };
        of_group.get(hardware_type)?.owner(node)
    }

    /// How the nodes of this hardware type and group are shared.
    pub fn shares(&self, hardware_type: &str, group: &str) -> Vec<(String, f64)> {
        let of_group = self.rings.get(&group.to_lowercase());
        let ring = of_group.and_then(|rings| rings.get(hardware_type));
        ring.map(|ring| ring.shares()).unwrap_or_default()
    }

    /// Everybody who serves a hardware type, in whatever group.
    pub fn servers(&self, hardware_type: &str) -> &[String] {
        self.servers
            .get(hardware_type)
            .map_or(&[], |hosts| hosts.as_slice())
    }

    /// Everybody.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }
}

#[cfg(test)]
mod tests;
