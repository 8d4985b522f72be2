//! The makes of strips: which objects each has for an outlet, and what their values mean.

/// A make of strip.
#[derive(Debug)]
pub struct Make {
    /// What drivers call it.
    pub name: &'static str,
    /// What it calls itself (`sysObjectID`), below the makers' branch.
    pub system_id: &'static [u32],
    pub(super) columns: &'static [Column],
    /// What follows the number of an outlet.
    pub(super) suffix: &'static [u32],
}

/// An object that every outlet has.
#[derive(Debug)]
pub(super) struct Column {
    /// Below the makers' branch, up to the number of the outlet.
    pub(super) path: &'static [u32],
    pub(super) role: Role,
}

/// What an object is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    /// Tells the state and takes orders with the same two numbers.
    Switch { on: i32, off: i32 },
    /// Only tells.
    State { on: i32, off: i32 },
    /// Only takes orders; reading it says nothing.
    Order { on: i32, off: i32 },
    /// Takes the seconds until the outlet is on (or off).
    Timer { turns_on: bool },
}

const fn column(path: &'static [u32], role: Role) -> Column {
    Column { path, role }
}

/// Every make that the SNMP driver knows.
pub const MAKES: &[Make] = &[
    Make {
        name: "apc_masterswitch",
        system_id: &[318, 1, 1, 4, 5],
        columns: &[column(
            &[318, 1, 1, 4, 4, 2, 1, 3],
            Role::Switch { on: 1, off: 2 },
        )],
        suffix: &[],
    },
    Make {
        name: "apc_masterswitchplus",
        system_id: &[318, 1, 3, 4, 6],
        columns: &[column(
            &[318, 1, 1, 6, 5, 1, 1, 5],
            Role::Switch { on: 1, off: 3 },
        )],
        suffix: &[],
    },
    Make {
        name: "apc_rackpdu",
        system_id: &[318, 1, 3, 4, 5],
        columns: &[column(
            &[318, 1, 1, 12, 3, 3, 1, 1, 4],
            Role::Switch { on: 1, off: 2 },
        )],
        suffix: &[],
    },
    Make {
        name: "aten",
        system_id: &[21317, 1, 3],
        columns: &[column(
            &[21317, 1, 3, 2, 2, 2, 2],
            Role::Switch { on: 2, off: 1 },
        )],
        suffix: &[0],
    },
    Make {
        name: "cyberpower",
        system_id: &[3808, 1, 1, 3],
        columns: &[column(
            &[3808, 1, 1, 3, 3, 3, 1, 1, 4],
            Role::Switch { on: 1, off: 2 },
        )],
        suffix: &[],
    },
    Make {
        name: "eatonpower",
        system_id: &[534, 10, 2],
        // Outlets of the first unit.
        columns: &[
            column(
                &[534, 6, 6, 7, 6, 6, 1, 2, 0],
                Role::State { on: 1, off: 0 },
            ),
            column(
                &[534, 6, 6, 7, 6, 6, 1, 3, 0],
                Role::Timer { turns_on: false },
            ),
            column(
                &[534, 6, 6, 7, 6, 6, 1, 4, 0],
                Role::Timer { turns_on: true },
            ),
        ],
        suffix: &[],
    },
    Make {
        name: "teltronix",
        system_id: &[23620, 1],
        columns: &[column(
            &[23620, 1, 2, 2, 1, 4],
            Role::Switch { on: 2, off: 1 },
        )],
        suffix: &[],
    },
    Make {
        name: "baytech_mrp27",
        system_id: &[4779, 1],
        columns: &[column(
            &[4779, 1, 3, 5, 3, 1, 3, 1],
            Role::Switch { on: 1, off: 0 },
        )],
        suffix: &[],
    },
    Make {
        name: "servertech_sentry3",
        system_id: &[1718, 3],
        columns: &[
            column(&[1718, 3, 2, 3, 1, 5, 1, 1], Role::State { on: 1, off: 0 }),
            column(&[1718, 3, 2, 3, 1, 11, 1, 1], Role::Order { on: 1, off: 2 }),
        ],
        suffix: &[],
    },
    Make {
        name: "servertech_sentry4",
        system_id: &[1718, 4],
        columns: &[
            column(
                &[1718, 4, 1, 8, 5, 1, 1, 1, 1],
                Role::State { on: 11, off: 10 },
            ),
            column(
                &[1718, 4, 1, 8, 5, 1, 2, 1, 1],
                Role::Order { on: 1, off: 2 },
            ),
        ],
        suffix: &[],
    },
    Make {
        name: "raritan_pdu2",
        system_id: &[13742, 6],
        columns: &[
            column(&[13742, 6, 4, 1, 2, 1, 2, 1], Role::Order { on: 1, off: 0 }),
            column(&[13742, 6, 4, 1, 2, 1, 3, 1], Role::State { on: 7, off: 8 }),
        ],
        suffix: &[],
    },
    Make {
        name: "vertivgeist_pdu",
        system_id: &[21239, 2],
        columns: &[
            column(&[21239, 5, 2, 3, 5, 1, 4], Role::State { on: 1, off: 2 }),
            column(&[21239, 5, 2, 3, 5, 1, 6], Role::Order { on: 2, off: 4 }),
        ],
        suffix: &[],
    },
];

/// The make of this name.
pub fn find(name: &str) -> Option<&'static Make> {
    MAKES.iter().find(|make| make.name == name)
}
