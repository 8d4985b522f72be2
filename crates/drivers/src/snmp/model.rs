//! The makes of PDUs: which objects say and switch what.
//!
//! Data, except for the few lines that read it. The objects and values are those of Ironic;
//! where a maker's MIB contradicts it, the MIB counts, and the row says so.

use proto::snmp::Oid;
use types::PowerState;

/// A make of PDU.
#[derive(Debug, PartialEq, Eq)]
pub struct Model {
    /// What `snmp_driver` calls it.
    pub name: &'static str,
    /// What the number of the outlet is appended to, below [`ENTERPRISES`].
    status: &'static [u32],
    on: Action,
    off: Action,
    /// What may stand between an object and the number of the outlet; the first one that the PDU
    /// knows is used.
    places: &'static [&'static [u32]],
    /// What follows the number of the outlet.
    suffix: &'static [u32],
    means_on: &'static [i64],
    means_off: &'static [i64],
    /// `sysObjectID`s that `auto` knows it by, below [`ENTERPRISES`].
    system_ids: &'static [&'static [u32]],
}

#[derive(Debug, PartialEq, Eq)]
struct Action {
    object: &'static [u32],
    value: i32,
}

/// Where the makers' own objects are.
const ENTERPRISES: &[u32] = &[1, 3, 6, 1, 4, 1];
/// `sysObjectID.0`.
const SYSTEM_ID: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 2, 0];

/// The name that stands for whichever model the PDU says it is.
pub const AUTO: &str = "auto";

const HERE: &[&[u32]] = &[&[]];

/// One object that both tells the state and takes the command, with the same values.
const fn simple(
    name: &'static str,
    object: &'static [u32],
    on: i32,
    off: i32,
    values: [&'static [i64]; 2],
    system_ids: &'static [&'static [u32]],
) -> Model {
    Model {
        name,
        status: object,
        on: Action { object, value: on },
        off: Action { object, value: off },
        places: HERE,
        suffix: &[],
        means_on: values[0],
        means_off: values[1],
        system_ids,
    }
}

/// An older name of `apc_masterswitch` comes first, so that `auto` finds the newer one.
pub const ALL: &[Model] = &[
    simple("apc", &[318, 1, 1, 4, 4, 2, 1, 3], 1, 2, [&[1], &[2]], &[]),
    simple(
        "apc_masterswitch",
        &[318, 1, 1, 4, 4, 2, 1, 3],
        1,
        2,
        [&[1], &[2]],
        &[&[318, 1, 1, 4]],
    ),
    // The ids below 318.1.3.4 are those that these devices really show.
    simple(
        "apc_masterswitchplus",
        &[318, 1, 1, 6, 5, 1, 1, 5],
        1,
        3,
        [&[1], &[3]],
        &[&[318, 1, 1, 6], &[318, 1, 3, 4, 6]],
    ),
    simple(
        "apc_rackpdu",
        &[318, 1, 1, 12, 3, 3, 1, 1, 4],
        1,
        2,
        [&[1], &[2]],
        &[&[318, 1, 1, 12], &[318, 1, 3, 4, 4], &[318, 1, 3, 4, 5]],
    ),
    Model {
        suffix: &[0],
        ..simple(
            "aten",
            &[21317, 1, 3, 2, 2, 2, 2],
            2,
            1,
            [&[2], &[1]],
            &[&[21317]],
        )
    },
    simple(
        "cyberpower",
        &[3808, 1, 1, 3, 3, 3, 1, 1, 4],
        1,
        2,
        [&[1], &[2]],
        &[&[3808]],
    ),
    // EATON-EPDU-MIB: 3 is outletControlOffCmd and 4 is outletControlOnCmd, with the seconds to
    // wait as the value, and outlets are counted within units. Ironic has the two the other
    // way round and leaves out the unit.
    Model {
        name: "eatonpower",
        status: &[534, 6, 6, 7, 6, 6, 1, 2],
        on: Action {
            object: &[534, 6, 6, 7, 6, 6, 1, 4],
            value: 0,
        },
        off: Action {
            object: &[534, 6, 6, 7, 6, 6, 1, 3],
            value: 0,
        },
        places: &[&[], &[0]],
        suffix: &[],
        means_on: &[1, 2],
        means_off: &[0, 3],
        system_ids: &[&[534]],
    },
    simple(
        "teltronix",
        &[23620, 1, 2, 2, 1, 4],
        2,
        1,
        [&[2], &[1]],
        &[&[23620]],
    ),
    Model {
        places: &[&[1]],
        ..simple(
            "baytech_mrp27",
            &[4779, 1, 3, 5, 3, 1, 3],
            1,
            0,
            [&[1], &[0]],
            &[&[4779]],
        )
    },
    Model {
        name: "servertech_sentry3",
        status: &[1718, 3, 2, 3, 1, 5],
        on: Action {
            object: &[1718, 3, 2, 3, 1, 11],
            value: 1,
        },
        off: Action {
            object: &[1718, 3, 2, 3, 1, 11],
            value: 2,
        },
        places: &[&[1, 1]],
        suffix: &[],
        means_on: &[1, 2],
        means_off: &[0, 3],
        system_ids: &[&[1718, 3]],
    },
    Model {
        name: "servertech_sentry4",
        status: &[1718, 4, 1, 8, 5, 1, 1],
        on: Action {
            object: &[1718, 4, 1, 8, 5, 1, 2],
            value: 1,
        },
        off: Action {
            object: &[1718, 4, 1, 8, 5, 1, 2],
            value: 2,
        },
        places: &[&[1, 1]],
        suffix: &[],
        means_on: &[11, 8, 3],
        means_off: &[10, 9],
        system_ids: &[&[1718, 4]],
    },
    Model {
        name: "raritan_pdu2",
        status: &[13742, 6, 4, 1, 2, 1, 3],
        on: Action {
            object: &[13742, 6, 4, 1, 2, 1, 2],
            value: 1,
        },
        off: Action {
            object: &[13742, 6, 4, 1, 2, 1, 2],
            value: 0,
        },
        places: &[&[1]],
        suffix: &[],
        means_on: &[7],
        means_off: &[8],
        system_ids: &[&[13742]],
    },
    Model {
        name: "vertivgeist_pdu",
        status: &[21239, 5, 2, 3, 5, 1, 4],
        on: Action {
            object: &[21239, 5, 2, 3, 5, 1, 6],
            value: 2,
        },
        off: Action {
            object: &[21239, 5, 2, 3, 5, 1, 6],
            value: 4,
        },
        places: HERE,
        suffix: &[],
        means_on: &[1, 3],
        means_off: &[2, 4],
        system_ids: &[&[21239]],
    },
];

/// The model of this name.
pub fn find(name: &str) -> Option<&'static Model> {
    ALL.iter().find(|model| model.name == name)
}

/// The object that says what a PDU is.
pub fn system_id() -> Option<Oid> {
    Oid::new(SYSTEM_ID)
}

/// The model of a PDU that says what it is: the one with the longest id that fits.
pub fn of_system_id(id: &Oid) -> Option<&'static Model> {
    let below = id.path().strip_prefix(ENTERPRISES)?;
    let fits = ALL.iter().filter_map(|model| {
        let ids = model.system_ids.iter();
        let fitting = ids.filter(|known| below.starts_with(known));
        let longest = fitting.map(|known| known.len()).max()?;
        Some((longest, model))
    });
    fits.max_by_key(|(longest, _)| *longest)
        .map(|(_, model)| model)
}

impl Model {
    /// The objects that may tell the state of an outlet, in the order in which they are tried.
    pub fn status_objects(&self, outlet: u32) -> impl Iterator<Item = Oid> {
        let places = self.places.iter();
        places.filter_map(move |place| self.object(self.status, place, outlet))
    }

    /// What to write where, to bring the outlet whose state `status` tells into another.
    pub fn command(&self, outlet: u32, status: &Oid, on: bool) -> Option<(Oid, i32)> {
        let action = if on { &self.on } else { &self.off };
        let mut places = self.places.iter();
        let place = places
            .find(|place| self.object(self.status, place, outlet).as_ref() == Some(status))?;
        let object = self.object(action.object, place, outlet)?;
        Some((object, action.value))
    }

    /// Whether the first object that may tell the state is the one that does.
    pub fn has_one_place(&self) -> bool {
        self.places.len() == 1
    }

    /// What a state means; nothing if it means neither on nor off.
    pub fn meaning(&self, value: i64) -> Option<PowerState> {
        if self.means_on.contains(&value) {
            Some(PowerState::On)
        } else if self.means_off.contains(&value) {
            Some(PowerState::Off)
        } else {
            None
        }
    }

    fn object(&self, object: &[u32], place: &[u32], outlet: u32) -> Option<Oid> {
        Oid::new(&[ENTERPRISES, object, place, &[outlet], self.suffix].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(name: &str) -> [String; 3] {
        let model = find(name).unwrap();
        let status = model.status_objects(7).next().unwrap();
        let command = |on| {
            let (oid, value) = model.command(7, &status, on).unwrap();
            format!("{}={value}", short(&oid))
        };
        [short(&status), command(true), command(false)]
    }

    fn short(oid: &Oid) -> String {
        oid.to_string().replace("1.3.6.1.4.1.", "")
    }

    #[test]
    fn objects_are_those_of_the_makers() {
        let simple = [
            ("apc", "318.1.1.4.4.2.1.3.7", 1, 2),
            ("apc_masterswitch", "318.1.1.4.4.2.1.3.7", 1, 2),
            ("apc_masterswitchplus", "318.1.1.6.5.1.1.5.7", 1, 3),
            ("apc_rackpdu", "318.1.1.12.3.3.1.1.4.7", 1, 2),
            ("aten", "21317.1.3.2.2.2.2.7.0", 2, 1),
            ("cyberpower", "3808.1.1.3.3.3.1.1.4.7", 1, 2),
            ("teltronix", "23620.1.2.2.1.4.7", 2, 1),
            ("baytech_mrp27", "4779.1.3.5.3.1.3.1.7", 1, 0),
        ];
        for (name, object, on, off) in simple {
            let expected = [
                object.to_owned(),
                format!("{object}={on}"),
                format!("{object}={off}"),
            ];
            assert_eq!(objects(name), expected, "{name}");
            let model = find(name).unwrap();
            assert_eq!(model.meaning(on), Some(PowerState::On));
            assert_eq!(model.meaning(off), Some(PowerState::Off));
            assert_eq!(model.meaning(99), None);
        }
        let others = [
            (
                "eatonpower",
                ["2.7", "4.7=0", "3.7=0"].map(|end| format!("534.6.6.7.6.6.1.{end}")),
            ),
            (
                "servertech_sentry3",
                ["5.1.1.7", "11.1.1.7=1", "11.1.1.7=2"].map(|end| format!("1718.3.2.3.1.{end}")),
            ),
            (
                "servertech_sentry4",
                ["1.1.1.7", "2.1.1.7=1", "2.1.1.7=2"].map(|end| format!("1718.4.1.8.5.1.{end}")),
            ),
            (
                "raritan_pdu2",
                ["3.1.7", "2.1.7=1", "2.1.7=0"].map(|end| format!("13742.6.4.1.2.1.{end}")),
            ),
            (
                "vertivgeist_pdu",
                ["4.7", "6.7=2", "6.7=4"].map(|end| format!("21239.5.2.3.5.1.{end}")),
            ),
        ];
        for (name, expected) in others {
            assert_eq!(objects(name), expected, "{name}");
        }
        assert_eq!(simple.len() + 5, ALL.len());
    }

    #[test]
    fn states_between_count_as_the_one_they_come_from() {
        let cases: [(&str, &[i64], &[i64]); 5] = [
            ("eatonpower", &[1, 2], &[0, 3]),
            ("servertech_sentry3", &[1, 2], &[0, 3]),
            ("servertech_sentry4", &[11, 8, 3], &[10, 9]),
            ("raritan_pdu2", &[7], &[8]),
            ("vertivgeist_pdu", &[1, 3], &[2, 4]),
        ];
        for (name, on, off) in cases {
            let model = find(name).unwrap();
            for value in on {
                assert_eq!(model.meaning(*value), Some(PowerState::On), "{name}");
            }
            for value in off {
                assert_eq!(model.meaning(*value), Some(PowerState::Off), "{name}");
            }
        }
    }

    #[test]
    fn units_are_tried_after_the_objects_of_the_original() {
        let model = find("eatonpower").unwrap();
        let all: Vec<String> = model.status_objects(7).map(|oid| short(&oid)).collect();
        assert_eq!(all, ["534.6.6.7.6.6.1.2.7", "534.6.6.7.6.6.1.2.0.7"]);
        let second = model.status_objects(7).nth(1).unwrap();
        let (oid, _) = model.command(7, &second, false).unwrap();
        assert_eq!(short(&oid), "534.6.6.7.6.6.1.3.0.7");
    }

    #[test]
    fn a_pdu_is_known_by_the_longest_id_that_fits() {
        let named = |id: &str| {
            let id = format!("1.3.6.1.4.1.{id}").parse().unwrap();
            of_system_id(&id).map(|model| model.name)
        };
        assert_eq!(named("318.1.1.4.9.9"), Some("apc_masterswitch"));
        assert_eq!(named("318.1.1.6"), Some("apc_masterswitchplus"));
        assert_eq!(named("318.1.1.12.1"), Some("apc_rackpdu"));
        assert_eq!(named("318.1.3.4.5"), Some("apc_rackpdu"));
        assert_eq!(named("318.1.1.40"), None);
        assert_eq!(named("21317.5"), Some("aten"));
        assert_eq!(named("1718.4"), Some("servertech_sentry4"));
        assert_eq!(named("9.9"), None);
        assert_eq!(of_system_id(&"1.3.6.1.2.1".parse().unwrap()), None);
        // Every model but the one with two names can be found out.
        for model in ALL.iter().filter(|model| model.name != "apc") {
            for id in model.system_ids {
                let id = Oid::new(&[ENTERPRISES, id].concat()).unwrap();
                assert_eq!(of_system_id(&id), Some(model));
            }
            assert!(!model.system_ids.is_empty(), "{}", model.name);
        }
    }
}
