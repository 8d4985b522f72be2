//! What may follow the question mark: pages and expansion.

use super::message::Problem;
use serde_json::{Value, json};

/// A query.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    skip: usize,
    top: Option<usize>,
    /// Whether members are wanted themselves, not only links to them.
    pub(crate) expands: bool,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        let text = text
            .replace("%24", "$")
            .replace("%28", "(")
            .replace("%29", ")");
        let mut query = Self::default();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let number = || {
                let wrong = || Problem::new("QueryParameterValueTypeError", &[value, name]);
                value.parse().map_err(|_| wrong())
            };
            match name {
                "$skip" => query.skip = number()?,
                "$top" => query.top = Some(number()?),
                "$expand" => query.expands = true,
                // What is no query option of the standard is ignored, as it asks.
                _ if !name.starts_with('$') => {}
                _ => return Err(Problem::new("QueryNotSupported", &[])),
            }
        }
        Ok(query)
    }

    /// Cuts a page out of a collection, and says where the next one is.
    pub(crate) fn page(&self, body: &mut Value, path: &str, limit: Option<usize>) {
        let Some(members) = body.get_mut("Members").and_then(Value::as_array_mut) else {
            return;
        };
        let all = members.len();
        members.drain(..self.skip.min(all));
        let size = self.top.into_iter().chain(limit).min().unwrap_or(all);
        members.truncate(size);
        let next = self.skip + members.len();
        if next < all && !members.is_empty() && self.top.is_none_or(|top| top > size) {
            body["Members@odata.nextLink"] = json!(format!("{path}?$skip={next}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other() {
        let whole = || json!({"Members": [1, 2, 3, 4, 5], "Members@odata.count": 5});
        let mut body = whole();
        Query::parse("").unwrap().page(&mut body, "/c", Some(2));
        assert_eq!(body["Members"], json!([1, 2]));
        assert_eq!(body["Members@odata.nextLink"], "/c?$skip=2");
        let mut body = whole();
        Query::parse("%24skip=4")
            .unwrap()
            .page(&mut body, "/c", Some(2));
        assert_eq!(body["Members"], json!([5]));
        assert_eq!(body.get("Members@odata.nextLink"), None);
        let mut body = whole();
        Query::parse("$skip=9&$top=1")
            .unwrap()
            .page(&mut body, "/c", None);
        assert_eq!(body["Members"], json!([]));
        let mut body = whole();
        Query::parse("$top=1")
            .unwrap()
            .page(&mut body, "/c", Some(2));
        assert_eq!(body["Members"], json!([1]));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        Query::parse("$skip=x").unwrap_err();
        Query::parse("$filter=a").unwrap_err();
        assert_eq!(Query::parse("only&x=1").unwrap(), Query::default());
        assert!(Query::parse("$expand=.($levels=1)").unwrap().expands);
    }
}
