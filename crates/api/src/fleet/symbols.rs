//! Texts that many nodes share, kept once.

use std::collections::HashMap;

/// Stands for a text. The empty text, which is what a node without a value has, is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Symbol(u32);

impl Symbol {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The texts that there are.
#[derive(Debug)]
pub(super) struct Symbols {
    texts: Vec<Box<str>>,
    known: HashMap<Box<str>, Symbol>,
}

impl Default for Symbols {
    fn default() -> Self {
        Self {
            texts: vec!["".into()],
            known: HashMap::from([("".into(), Symbol::NONE)]),
        }
    }
}

impl Symbols {
    pub(super) fn of(&mut self, text: &str) -> Symbol {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        // There are fewer nodes than that, and each has a handful of texts.
        let symbol = Symbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.into());
        self.known.insert(text.into(), symbol);
        symbol
    }

    pub(super) fn find(&self, text: &str) -> Option<Symbol> {
        self.known.get(text).copied()
    }

    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.index()).map_or("", |text| text)
    }

    /// Which of all texts pass, by their index.
    pub(super) fn passing(&self, passes: impl Fn(&str) -> bool) -> Vec<bool> {
        self.texts.iter().map(|text| passes(text)).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}
