//! Bodies of requests: read one property at a time, and whatever is left over is refused.

use super::message::Problem;
use serde_json::{Map, Value};

/// What is not yet read of an object.
#[derive(Debug)]
pub(crate) struct Fields {
    /// Where the object is within the body, with a dot at the end, or empty.
    place: String,
    left: Map<String, Value>,
}

impl Fields {
    /// The body of a request that has to say something.
    pub(crate) fn of(body: &Value) -> Result<Self, Problem> {
        let left = body
            .as_object()
            .ok_or_else(|| Problem::new("UnrecognizedRequestBody", &[]))?;
        Ok(Self {
            place: String::new(),
            left: left.clone(),
        })
    }

    /// The name of a property within the whole body.
    pub(crate) fn name(&self, property: &str) -> String {
        format!("{}{property}", self.place)
    }

    pub(crate) fn value(&mut self, property: &str) -> Option<Value> {
        self.left.remove(property)
    }

    pub(crate) fn text(&mut self, property: &str) -> Result<Option<String>, Problem> {
        match self.left.remove(property) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Problem::wrong_type(&self.name(property), &other)),
        }
    }

    /// Text that may also be null, to take something away.
    pub(crate) fn text_or_null(
        &mut self,
        property: &str,
    ) -> Result<Option<Option<String>>, Problem> {
        if self.left.get(property).is_some_and(Value::is_null) {
            self.left.remove(property);
            return Ok(Some(None));
        }
        Ok(self.text(property)?.map(Some))
    }

    pub(crate) fn flag(&mut self, property: &str) -> Result<Option<bool>, Problem> {
        match self.left.remove(property) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(Problem::wrong_type(&self.name(property), &other)),
        }
    }

    pub(crate) fn number(&mut self, property: &str) -> Result<Option<u64>, Problem> {
        match self.left.remove(property) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(Problem::wrong_type(&self.name(property), &value)),
            },
        }
    }

    pub(crate) fn texts(&mut self, property: &str) -> Result<Option<Vec<String>>, Problem> {
        let Some(value) = self.left.remove(property) else {
            return Ok(None);
        };
        let wrong = || Problem::wrong_type(&self.name(property), &value);
        let items = value.as_array().ok_or_else(wrong)?;
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        texts
            .collect::<Option<Vec<_>>>()
            .ok_or_else(wrong)
            .map(Some)
    }

    /// One of a list of words.
    pub(crate) fn choice(
        &mut self,
        property: &str,
        choices: &[&'static str],
    ) -> Result<Option<&'static str>, Problem> {
        let Some(text) = self.text(property)? else {
            return Ok(None);
        };
        let known = choices.iter().find(|choice| **choice == text);
        match known {
            Some(choice) => Ok(Some(choice)),
            None => Err(Problem::not_in_list(&self.name(property), &text)),
        }
    }

    /// An object within the object.
    pub(crate) fn object(&mut self, property: &str) -> Result<Option<Self>, Problem> {
        match self.left.remove(property) {
            None => Ok(None),
            Some(Value::Object(left)) => Ok(Some(Self {
                place: format!("{}{property}.", self.place),
                left,
            })),
            Some(other) => Err(Problem::wrong_type(&self.name(property), &other)),
        }
    }

    /// Links to resources: a list of objects with `@odata.id`.
    pub(crate) fn links(&mut self, property: &str) -> Result<Option<Vec<String>>, Problem> {
        let Some(value) = self.left.remove(property) else {
            return Ok(None);
        };
        let wrong = || Problem::wrong_type(&self.name(property), &value);
        let items = value.as_array().ok_or_else(wrong)?;
        let links = items
            .iter()
            .map(|item| item["@odata.id"].as_str().map(str::to_owned));
        links
            .collect::<Option<Vec<_>>>()
            .ok_or_else(wrong)
            .map(Some)
    }

    /// Refuses what is left: a property that exists cannot be written, any other is unknown.
    pub(crate) fn end(self, current: &Value) -> Result<(), Problem> {
        let annotations = ["@odata.etag", "@odata.id", "@odata.type", "@odata.context"];
        let left = self
            .left
            .keys()
            .find(|name| !annotations.contains(&name.as_str()));
        match left {
            None => Ok(()),
            Some(name) if current.get(name).is_some() => {
                Err(Problem::not_writable(&self.name(name)))
            }
            Some(name) => Err(Problem::unknown(&self.name(name))),
        }
    }

    /// Refuses what is left of the parameters of an action.
    pub(crate) fn end_action(self, action: &str) -> Result<(), Problem> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(Problem::new("ActionParameterUnknown", &[action, name]).about(name)),
        }
    }
}

/// A parameter that an action needs.
pub(crate) fn needed<T>(value: Option<T>, action: &str, parameter: &str) -> Result<T, Problem> {
    value.ok_or_else(|| {
        Problem::new("ActionParameterMissing", &[action, parameter]).about(parameter)
    })
}
