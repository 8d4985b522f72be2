//! As much of the query language of the CIM (DMTF DSP0202) as clients of iDRACs use: `select a, b from
//! Class where c = "d" and e != 'f'`, with `or`, `like` and `*`.

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    /// Names of properties; empty for all.
    fields: Vec<String>,
    pub(super) class: String,
    /// One of these groups must hold, each with all of its conditions.
    groups: Vec<Vec<Condition>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Condition {
    field: String,
    comparison: Comparison,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    /// With `%` for any text.
    Like,
}

impl Query {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let words = words(text)?;
        let mut words = words.iter().map(String::as_str).peekable();
        let mut is = |expected: &str| {
            let found = words.next_if(|word| word.eq_ignore_ascii_case(expected));
            found.is_some()
        };
        if !is("select") {
            return None;
        }
        let mut fields = Vec::new();
        loop {
            match words.next()? {
                word if word.eq_ignore_ascii_case("from") => break,
                "," | "*" => {}
                field => fields.push(field.to_owned()),
            }
        }
        let class = words.next()?.to_owned();
        let mut groups = Vec::new();
        match words.next() {
            None => {}
            Some(word) if word.eq_ignore_ascii_case("where") => {
                let mut group = Vec::new();
                loop {
                    let field = words.next()?.to_owned();
                    let comparison = match words.next()? {
                        "=" => Comparison::Equal,
                        "!=" => Comparison::Unequal,
                        word if word.eq_ignore_ascii_case("like") => Comparison::Like,
                        _ => return None,
                    };
                    let value = words.next()?;
                    let value = value.strip_prefix('"').unwrap_or(value).to_owned();
                    group.push(Condition {
                        field,
                        comparison,
                        value,
                    });
                    match words.next() {
                        None => break,
                        Some(word) if word.eq_ignore_ascii_case("and") => {}
                        Some(word) if word.eq_ignore_ascii_case("or") => {
                            groups.push(std::mem::take(&mut group));
                        }
                        Some(_) => return None,
                    }
                }
                groups.push(group);
            }
            Some(_) => return None,
        }
        Some(Self {
            fields,
            class,
            groups,
        })
    }

    /// Whether an object is chosen; `value` tells a property of it.
    pub(super) fn chooses<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        let holds = |condition: &Condition| {
            let found = value(&condition.field).unwrap_or_default();
            match condition.comparison {
                Comparison::Equal => found == condition.value,
                Comparison::Unequal => found != condition.value,
                Comparison::Like => is_like(found, &condition.value),
            }
        };
        self.groups.is_empty() || self.groups.iter().any(|group| group.iter().all(holds))
    }

    /// Whether a property is wanted.
    pub(super) fn wants(&self, field: &str) -> bool {
        self.fields.is_empty() || self.fields.iter().any(|wanted| wanted == field)
    }
}

fn is_like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('%');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut is_exact = true;
    for part in parts {
        match rest.split_once(part) {
            Some(_) if part.is_empty() => is_exact = false,
            Some((_, after)) => {
                rest = after;
                is_exact = true;
            }
            None => return false,
        }
    }
    rest.is_empty() || !is_exact
}

/// Words, signs, and texts in quotes; these with a quotation mark before them.
fn words(text: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => {
                let inner = rest.get(1..)?;
                let (value, after) = inner.split_once(first)?;
                all.push(format!("\"{value}"));
                rest = after.trim_start();
                continue;
            }
            ',' | '*' | '=' => 1,
            '!' => 2,
            _ => rest
                .find(|c: char| c.is_whitespace() || ",*=!\"'".contains(c))
                .unwrap_or(rest.len()),
        };
        all.push(rest.get(..length)?.to_owned());
        rest = rest.get(length..)?.trim_start();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chooses(query: &str, object: &[(&str, &str)]) -> bool {
        let query = Query::parse(query).unwrap();
        query.chooses(|name| {
            let found = object.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| *value)
        })
    }

    #[test]
    fn queries_of_clients_are_understood() {
        let query = Query::parse("select EnabledState,ElementName from DCIM_ComputerSystem");
        let query = query.unwrap();
        assert_eq!(query.class, "DCIM_ComputerSystem");
        assert!(query.wants("ElementName") && !query.wants("Name"));
        let every = Query::parse("SELECT * FROM A").unwrap();
        assert!(every.wants("Name"));
        let job = [("Name", "Config"), ("JobStatus", "Running")];
        let open = "select * from DCIM_LifecycleJob where Name != \"CLEARALL\" and \
                    JobStatus != \"Completed\" and JobStatus!='Failed'";
        assert!(chooses(open, &job));
        assert!(!chooses(open, &[("JobStatus", "Failed")]));
        let either = "select * from A where IsNext=\"1\" or IsNext=\"3\"";
        assert!(chooses(either, &[("IsNext", "3")]));
        assert!(!chooses(either, &[("IsNext", "2")]));
        for (pattern, expected) in [
            ("%#NIC%", true),
            ("%#NIC", false),
            ("a#%", true),
            ("%b", true),
            ("#NIC%", false),
            ("a#NIC#b", true),
        ] {
            let query = format!("select * from A where InstanceID like '{pattern}'");
            assert_eq!(
                chooses(&query, &[("InstanceID", "a#NIC#b")]),
                expected,
                "{pattern}"
            );
        }
    }

    #[test]
    fn other_texts_are_no_queries() {
        for text in [
            "",
            "select",
            "select a",
            "select a from",
            "select a from B where",
            "select a from B where c",
            "select a from B where c < 1",
            "select a from B where c = 'd",
            "select a from B where c = d e",
            "select a from B order by c",
            "!",
        ] {
            assert_eq!(Query::parse(text), None, "{text}");
        }
    }
}
