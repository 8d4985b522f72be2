//! Makers of BMCs by their numbers.
//!
//! The registry of such numbers has tens of thousands of entries, of which only makers of servers
//! matter here. The names are those that ipmitool gives in lower case, because operators' rules
//! and the quirks of Ironic go by them.

const MAKERS: &[(u32, &str)] = &[
    (2, "ibm"),
    (11, "hewlett-packard"),
    (42, "sun microsystems"),
    (111, "oracle"),
    (116, "hitachi, ltd."),
    (119, "nec corporation"),
    (343, "intel corporation"),
    (674, "dell inc."),
    (2011, "huawei technology co.,ltd"),
    (5771, "cisco systems, inc."),
    (6569, "inventec corporation"),
    (7244, "quanta computer inc."),
    (10297, "advantech co., ltd."),
    (10368, "fujitsu technology solutions gmbh"),
    (10876, "supermicro"),
    (11129, "google, inc."),
    (15000, "kontron canada inc"),
    (19046, "lenovo enterprise business group"),
    (20301, "ibm eserver x"),
    (20974, "american megatrends, inc"),
    (
        37945,
        "inspur(beijing) electronic information industry co.,ltd",
    ),
    (47196, "hewlett packard enterprise"),
    (49622, "asrock rack incorporation"),
    (52538, "ampere computing"),
];

/// The maker's name, or its number where the name is not known.
pub fn name(number: u32) -> String {
    let known = MAKERS.iter().find(|(known, _)| *known == number);
    known.map_or_else(
        || match number {
            // It is set to nothing.
            0 => "unknown".to_owned(),
            _ => format!("unknown ({number:#x})"),
        },
        |(_, name)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_known_by_number() {
        assert_eq!(name(10876), "supermicro");
        assert_eq!(name(0x9999), "unknown (0x9999)");
        assert_eq!(name(0), "unknown");
        assert!(MAKERS.is_sorted_by_key(|(number, _)| *number));
    }
}
