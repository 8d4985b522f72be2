//! The parameters of a command, by name and kind.

use crate::{AgentError, command::invalid_params};
use serde_json::Value;
use types::JsonMap;

#[derive(Debug)]
pub(crate) struct Params {
    command: &'static str,
    map: JsonMap,
}

impl Params {
    pub(crate) fn new(command: &'static str, map: JsonMap) -> Self {
        Self { command, map }
    }

    fn wrong(&self, name: &str, expected: &str) -> AgentError {
        invalid_params(format!("{name} of {} must be {expected}", self.command))
    }

    pub(crate) fn object(&self, name: &str) -> Result<JsonMap, AgentError> {
        match self.map.get(name) {
            Some(Value::Object(map)) => Ok(map.clone()),
            _ => Err(self.wrong(name, "an object")),
        }
    }

    pub(crate) fn list(&self, name: &str) -> Result<Vec<Value>, AgentError> {
        match self.map.get(name) {
            Some(Value::Array(list)) => Ok(list.clone()),
            _ => Err(self.wrong(name, "a list")),
        }
    }

    /// An optional text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, AgentError> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(name, "a text")),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, AgentError> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// What is there besides these.
    pub(crate) fn without(&self, names: &[&str]) -> JsonMap {
        let others = self
            .map
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()));
        others
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}
