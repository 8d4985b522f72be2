//! What of a fleet a caller may see.

use super::{entry::FleetNode, index::Index, symbols::Symbol};
use crate::{
    Settings,
    call::Call,
    policy::{Credentials, HiddenFields, Reach, Refusal, Rule, Target},
};
use std::{collections::HashMap, sync::Arc};

/// A caller, as far as lists are concerned.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    /// The only project whose nodes the caller sees.
    project: Option<String>,
    sees_all_fields: bool,
    settings: Arc<Settings>,
    credentials: Arc<Credentials>,
}

impl Viewer {
    /// 403 for those who get no list.
    pub(crate) fn of(call: &Call) -> Result<Self, Refusal> {
        let project = match call.reach(Rule::NodeListAll, Rule::NodeList, None)? {
            Reach::Everything => None,
            Reach::Project(project) => Some(project.to_owned()),
        };
        let settings = Arc::clone(&call.state.settings);
        let credentials = Arc::clone(&call.ctx.credentials);
        Ok(Self {
            project,
            sees_all_fields: settings.policy.sees_all_fields(&credentials),
            settings,
            credentials,
        })
    }

    /// Of a caller who sees everything.
    #[cfg(test)]
    pub(super) fn all(settings: Arc<Settings>) -> Self {
        Self {
            project: None,
            sees_all_fields: true,
            settings,
            credentials: Arc::default(),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn through(&self, index: &Index) -> ViewerOf<'_> {
        let own = self.project.as_deref();
        ViewerOf {
            viewer: self,
            // A project that no node knows has none.
            own: own.map(|project| index.symbols.find(project)),
            hidden: HashMap::new(),
        }
    }
}

/// What a caller sees of the nodes of an index.
#[derive(Debug)]
pub(crate) struct ViewerOf<'a> {
    viewer: &'a Viewer,
    own: Option<Option<Symbol>>,
    /// By owner and lessee, on which it depends alone.
    hidden: HashMap<(Symbol, Symbol), HiddenFields>,
}

impl ViewerOf<'_> {
    pub(super) fn sees(&self, entry: &FleetNode) -> bool {
        match self.own {
            None => true,
            Some(None) => false,
            Some(Some(own)) => own != Symbol::NONE && (entry.owner == own || entry.lessee == own),
        }
    }

    pub(super) fn hidden(&mut self, index: &Index, entry: &FleetNode) -> HiddenFields {
        if self.viewer.sees_all_fields {
            return HiddenFields::default();
        }
        let Self { viewer, hidden, .. } = self;
        *hidden
            .entry((entry.owner, entry.lessee))
            .or_insert_with(|| {
                let text = |symbol: Symbol| {
                    Some(index.symbols.text(symbol)).filter(|text| !text.is_empty())
                };
                let target = Target::owned_node(text(entry.owner), text(entry.lessee));
                let policy = &viewer.settings.policy;
                policy.hidden_fields(&viewer.credentials, &target)
            })
    }
}
