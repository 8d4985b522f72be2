//! One strip: its outlets, as objects that can be read, walked and written.

use super::make::{Make, Role};
use proto::snmp::{ErrorStatus, Oid, Value};
use std::{collections::BTreeMap, ops::Bound};

/// What is wrong with a strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    /// Answers nothing.
    pub silent: bool,
    /// Accepts orders and does not follow them.
    pub ignores_orders: bool,
    /// Tells a state that means nothing.
    pub odd_state: bool,
}

/// A device with outlets.
#[derive(Debug)]
pub struct Strip {
    outlets: Vec<bool>,
    objects: BTreeMap<Oid, Object>,
    /// Accepted commands, for tests: outlet, and whether on.
    pub orders: Vec<(u32, bool)>,
    pub faults: Faults,
}

#[derive(Debug, Clone)]
enum Object {
    Fixed(Value),
    Outlet { number: u32, role: Role },
}

const MAKERS: &[u32] = &[1, 3, 6, 1, 4, 1];
const SYSTEM: &[u32] = &[1, 3, 6, 1, 2, 1, 1];

impl Strip {
    /// A strip with a number of outlets, all of them off.
    pub fn new(make: &'static Make, outlets: u32) -> Self {
        let mut objects = BTreeMap::new();
        let mut put = |path: &[&[u32]], object: Object| {
            if let Some(oid) = Oid::new(&path.concat()) {
                objects.insert(oid, object);
            }
        };
        let text = |text: String| Object::Fixed(Value::Octets(text.into_bytes()));
        let id = Oid::new(&[MAKERS, make.system_id].concat());
        put(&[SYSTEM, &[1, 0]], text(format!("simulated {}", make.name)));
        if let Some(id) = id {
            put(&[SYSTEM, &[2, 0]], Object::Fixed(Value::ObjectId(id)));
        }
        put(&[SYSTEM, &[5, 0]], text("strip".to_owned()));
        for column in make.columns {
            for number in 1..=outlets {
                let role = column.role;
                let object = Object::Outlet { number, role };
                put(&[MAKERS, column.path, &[number], make.suffix], object);
            }
        }
        Self {
            outlets: (0..outlets).map(|_| false).collect(),
            objects,
            orders: Vec::new(),
            faults: Faults::default(),
        }
    }

    /// Whether an outlet, counted from one, has power.
    pub fn is_on(&self, outlet: u32) -> bool {
        let place = usize::try_from(outlet).ok().and_then(|n| n.checked_sub(1));
        place.and_then(|place| self.outlets.get(place).copied()) == Some(true)
    }

    pub(super) fn get(&self, oid: &Oid) -> Option<Value> {
        self.objects.get(oid).map(|object| self.value(object))
    }

    /// The object after this one, and its value.
    pub(super) fn next(&self, oid: &Oid) -> Option<(Oid, Value)> {
        let after = (Bound::Excluded(oid), Bound::Unbounded);
        let (oid, object) = self.objects.range::<Oid, _>(after).next()?;
        Some((oid.clone(), self.value(object)))
    }

    fn value(&self, object: &Object) -> Value {
        let (number, role) = match object {
            Object::Fixed(value) => return value.clone(),
            Object::Outlet { number, role } => (*number, *role),
        };
        Value::Integer(match role {
            Role::Switch { .. } | Role::State { .. } if self.faults.odd_state => 99,
            Role::Switch { on, .. } | Role::State { on, .. } if self.is_on(number) => on,
            Role::Switch { off, .. } | Role::State { off, .. } => off,
            Role::Order { .. } => 0,
            Role::Timer { .. } => -1,
        })
    }

    /// Whether an order would be accepted.
    pub(super) fn check(&self, oid: &Oid, value: &Value) -> Result<(u32, bool), ErrorStatus> {
        let (number, role) = match self.objects.get(oid) {
            None => return Err(ErrorStatus(11)),
            Some(Object::Fixed(_)) => return Err(ErrorStatus::NOT_WRITABLE),
            Some(Object::Outlet { number, role }) => (*number, *role),
        };
        let Value::Integer(value) = value else {
            return Err(ErrorStatus::WRONG_TYPE);
        };
        match role {
            Role::State { .. } => Err(ErrorStatus::NOT_WRITABLE),
            Role::Switch { on, .. } | Role::Order { on, .. } if *value == on => Ok((number, true)),
            Role::Switch { off, .. } | Role::Order { off, .. } if *value == off => {
                Ok((number, false))
            }
            Role::Timer { turns_on } if *value == 0 => Ok((number, turns_on)),
            _ => Err(ErrorStatus::WRONG_VALUE),
        }
    }

    /// Follows an order that was checked.
    pub(super) fn switch(&mut self, (outlet, on): (u32, bool)) {
        self.orders.push((outlet, on));
        if self.faults.ignores_orders {
            return;
        }
        let place = usize::try_from(outlet).ok().and_then(|n| n.checked_sub(1));
        if let Some(state) = place.and_then(|place| self.outlets.get_mut(place)) {
            *state = on;
        }
    }
}
