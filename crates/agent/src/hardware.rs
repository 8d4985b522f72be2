//! Hardware managers: how well each supports this machine, and which one carries out what.
//!
//! Each manager reports its support level. A task is carried out by the manager with the highest
//! level that can do it; steps are offered by all of them, each step once.

mod external;
mod generic;
mod offer;

pub use external::External;
pub use generic::Generic;

use crate::{AgentError, config::Config, exchange::Exchanges, progress::Progress, safety::Permit};
use async_trait::async_trait;
use serde_json::Value;
use std::{fmt, sync::Arc};
use types::JsonMap;

/// How well a manager supports a machine: IPA's levels, which others may exceed.
pub mod support {
    pub const NONE: u32 = 0;
    pub const GENERIC: u32 = 1;
    pub const MAINLINE: u32 = 2;
    pub const SERVICE_PROVIDER: u32 = 3;
}

/// What steps are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    Clean,
    Deploy,
    Service,
}

impl StepKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Deploy => "deploy",
            Self::Service => "service",
        }
    }
}

/// What managers work with.
#[derive(Debug, Clone)]
pub struct Context {
    pub config: Arc<Config>,
    pub permit: Option<Permit>,
    pub progress: Progress,
    /// The image that other agents may have from this one.
    pub exchanges: Exchanges,
}

impl Context {
    /// The permit, or the refusal to do this without.
    pub fn permit(&self, what: &str) -> Result<&Permit, AgentError> {
        self.permit
            .as_ref()
            .ok_or_else(|| crate::safety::refusal(what))
    }
}

/// Something to be done: a step, or a question.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub method: &'a str,
    /// What the step is part of, if it is one.
    pub kind: Option<StepKind>,
    pub node: &'a JsonMap,
    pub ports: &'a [Value],
    pub args: &'a JsonMap,
}

/// Why a manager did not do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The manager cannot do this on this machine; another one may.
    Incompatible,
    Failed(AgentError),
}

impl From<AgentError> for Refusal {
    fn from(error: AgentError) -> Self {
        Self::Failed(error)
    }
}

/// Support for a kind of machine.
#[async_trait]
pub trait HardwareManager: fmt::Debug + Send + Sync {
    /// The name under which the service is told its steps.
    fn class(&self) -> &str;

    /// A name and a version that changes whenever its steps do.
    fn version(&self) -> (&str, &str);

    /// How well it supports this machine; see [`support`].
    async fn evaluate(&self, context: &Context) -> u32;

    /// The steps it offers.
    async fn steps(
        &self,
        context: &Context,
        kind: StepKind,
        node: &JsonMap,
        ports: &[Value],
    ) -> Result<Vec<JsonMap>, Refusal>;

    /// Does something.
    async fn call(&self, context: &Context, call: &Call<'_>) -> Result<Value, Refusal>;
}

/// The managers that support this machine, the best first.
#[derive(Debug, Default)]
pub struct Managers(Vec<(u32, Box<dyn HardwareManager>)>);

impl Managers {
    /// Keeps those that support this machine.
    pub async fn new(context: &Context, candidates: Vec<Box<dyn HardwareManager>>) -> Self {
        let mut managers = Vec::new();
        for candidate in candidates {
            let support = candidate.evaluate(context).await;
            tracing::info!(
                "hardware manager {} supports this machine at level {support}",
                candidate.class()
            );
            if support > support::NONE {
                managers.push((support, candidate));
            }
        }
        // Stable: of those that are equally good the first stays first.
        managers.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
        Self(managers)
    }

    /// The generic manager, and the programs in the folder for them.
    pub async fn load(context: &Context) -> Self {
        let mut candidates: Vec<Box<dyn HardwareManager>> = vec![Box::new(Generic::default())];
        for external in External::load(&context.config.root).await {
            candidates.push(Box::new(external));
        }
        Self::new(context, candidates).await
    }

    /// The versions by name.
    pub fn versions(&self) -> JsonMap {
        let version = |(_, manager): &(u32, Box<dyn HardwareManager>)| {
            let (name, version) = manager.version();
            (name.to_owned(), Value::from(version))
        };
        self.0.iter().map(version).collect()
    }

    /// The hardware inventory, from the best manager that can tell.
    pub async fn inventory(&self, context: &Context) -> Result<Value, AgentError> {
        let nothing = JsonMap::new();
        let call = Call {
            method: "list_hardware_info",
            kind: None,
            node: &nothing,
            ports: &[],
            args: &nothing,
        };
        self.dispatch(context, &call).await
    }

    /// Carries out a task with the best manager that can.
    pub async fn dispatch(&self, context: &Context, call: &Call<'_>) -> Result<Value, AgentError> {
        for (_, manager) in &self.0 {
            match manager.call(context, call).await {
                Ok(result) => return Ok(result),
                Err(Refusal::Incompatible) => {}
                Err(Refusal::Failed(error)) => return Err(error),
            }
        }
        Err(method_not_found(call.method))
    }

    /// The steps by manager. Of steps with one name the best manager's stays; of equally good
    /// managers that with the higher priority, and then the one whose manager comes first by name.
    pub async fn steps(
        &self,
        context: &Context,
        kind: StepKind,
        node: &JsonMap,
        ports: &[Value],
    ) -> Result<JsonMap, AgentError> {
        let mut offers = Vec::new();
        let mut has_answer = false;
        for (support, manager) in &self.0 {
            let steps = match manager.steps(context, kind, node, ports).await {
                Ok(steps) => steps,
                Err(Refusal::Incompatible) => continue,
                Err(Refusal::Failed(error)) => return Err(error),
            };
            has_answer = true;
            let class = manager.class();
            offers.extend(steps.into_iter().map(|step| offer::Offer {
                support: *support,
                class: class.to_owned(),
                step,
            }));
        }
        if !has_answer {
            return Err(method_not_found(&format!("get_{}_steps", kind.as_str())));
        }
        Ok(offer::chosen(offers))
    }
}

fn method_not_found(method: &str) -> AgentError {
    AgentError::failed(
        "HardwareManagerMethodNotFound",
        "No HardwareManager found to handle method",
        format!("Could not find method: {method}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug)]
    struct TestManager {
        class: &'static str,
        support: u32,
        does: &'static str,
        priority: u32,
    }

    #[async_trait]
    impl HardwareManager for TestManager {
        fn class(&self) -> &str {
            self.class
        }
        fn version(&self) -> (&str, &str) {
            (self.class, "1")
        }
        async fn evaluate(&self, _: &Context) -> u32 {
            self.support
        }
        async fn steps(
            &self,
            _: &Context,
            _: StepKind,
            _: &JsonMap,
            _: &[Value],
        ) -> Result<Vec<JsonMap>, Refusal> {
            let step = json!({"step": self.does, "priority": self.priority});
            Ok(vec![step.as_object().unwrap().clone()])
        }
        async fn call(&self, _: &Context, call: &Call<'_>) -> Result<Value, Refusal> {
            match call.method {
                method if method == self.does => Ok(json!(self.class)),
                "break" => {
                    Err(AgentError::failed("CleaningError", "Clean step failed", "x").into())
                }
                _ => Err(Refusal::Incompatible),
            }
        }
    }

    pub(super) fn context() -> Context {
        Context {
            config: Arc::new(Config::from_parameters("").unwrap()),
            permit: None,
            progress: Progress::default(),
            exchanges: Exchanges::default(),
        }
    }

    async fn managers(known: Vec<TestManager>) -> Managers {
        let boxed = known
            .into_iter()
            .map(|k| Box::new(k) as Box<dyn HardwareManager>);
        Managers::new(&context(), boxed.collect()).await
    }

    fn known(class: &'static str, support: u32, does: &'static str, priority: u32) -> TestManager {
        TestManager {
            class,
            support,
            does,
            priority,
        }
    }

    #[tokio::test]
    async fn the_best_who_can_does_it() {
        let managers = managers(vec![
            known("A", support::GENERIC, "both", 1),
            known("B", support::NONE, "none", 1),
            known("C", support::SERVICE_PROVIDER, "both", 1),
            known("D", support::MAINLINE, "own", 1),
        ])
        .await;
        let ask = async |method: &str| {
            let nothing = JsonMap::new();
            let call = Call {
                method,
                kind: None,
                node: &nothing,
                ports: &[],
                args: &nothing,
            };
            managers.dispatch(&context(), &call).await
        };
        assert_eq!(ask("both").await.unwrap(), "C");
        assert_eq!(ask("own").await.unwrap(), "D");
        // A manager that does not support this machine is skipped, and the failure of one is final.
        assert_eq!(
            ask("none").await.unwrap_err().kind,
            "HardwareManagerMethodNotFound"
        );
        assert_eq!(ask("break").await.unwrap_err().kind, "CleaningError");
        assert_eq!(managers.versions().len(), 3);
    }

    #[tokio::test]
    async fn steps_are_offered_once() {
        let managers = managers(vec![
            known("B", support::GENERIC, "same", 10),
            known("A", support::GENERIC, "same", 10),
            known("C", support::GENERIC, "same", 5),
            known("D", support::GENERIC, "low", 5),
            known("E", support::MAINLINE, "low", 1),
        ])
        .await;
        let steps = managers
            .steps(&context(), StepKind::Clean, &JsonMap::new(), &[])
            .await
            .unwrap();
        let steps = Value::Object(steps);
        assert_eq!(
            steps,
            json!({
                "A": [{"step": "same", "priority": 10}],
                "E": [{"step": "low", "priority": 1}],
            })
        );
    }
}
