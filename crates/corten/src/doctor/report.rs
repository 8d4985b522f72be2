//! Findings, as lines for people and as JSON for programs.

use super::{Finding, Level};
use serde_json::{Value, json};

pub(super) struct Report(pub(super) Vec<Finding>);

impl Report {
    /// Whether nothing is broken.
    pub(super) fn is_sound(&self) -> bool {
        self.count(Level::Broken) == 0
    }

    fn count(&self, level: Level) -> usize {
        let of_level = self.0.iter().filter(|finding| finding.level == level);
        of_level.count()
    }

    pub(super) fn table(&self) -> String {
        let width = self.0.iter().map(|finding| finding.check.len()).max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for finding in &self.0 {
            let word = match finding.level {
                Level::Well => "ok    ",
                Level::Note => "note  ",
                Level::Broken => "BROKEN",
            };
            text += &format!(
                "{word}  {:<width$}  {}\n",
                finding.check,
                plain(&finding.what)
            );
            if let Some(remedy) = &finding.remedy {
                text += &format!("{:8}{:width$}  → {}\n", "", "", plain(remedy));
            }
        }
        text += &match (self.count(Level::Broken), self.count(Level::Note)) {
            (0, 0) => "Nothing is wrong.".to_owned(),
            (0, 1) => "Nothing is broken; 1 note.".to_owned(),
            (0, notes) => format!("Nothing is broken; {notes} notes."),
            (1, _) => "1 thing is broken.".to_owned(),
            (broken, _) => format!("{broken} things are broken."),
        };
        text
    }

    pub(super) fn json(&self) -> Value {
        let findings = self.0.iter().map(|finding| {
            json!({
                "check": finding.check,
                "level": match finding.level {
                    Level::Well => "ok",
                    Level::Note => "note",
                    Level::Broken => "broken",
                },
                "what": finding.what,
                "remedy": finding.remedy,
            })
        });
        json!({"sound": self.is_sound(), "findings": findings.collect::<Vec<_>>()})
    }
}

/// What comes from others cannot move the terminal's cursor.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_stands_out_with_its_remedy_and_decides() {
        let report = Report(vec![
            Finding::well("disk", "7 GiB free"),
            Finding::note("clock", "off by 3 s"),
            Finding::broken("ports", "udp 67 is held by\u{1b} dnsmasq", "stop it"),
        ]);
        assert_eq!(
            report.table(),
            "ok      disk   7 GiB free\n\
             note    clock  off by 3 s\n\
             BROKEN  ports  udp 67 is held by dnsmasq\n        \
             \x20      → stop it\n\
             1 thing is broken."
        );
        assert!(!report.is_sound());
        assert_eq!(report.json()["findings"][2]["remedy"], "stop it");
        let well = Report(vec![Finding::note("clock", "x")]);
        assert!(well.is_sound());
        assert!(well.table().ends_with("Nothing is broken; 1 note."));
    }
}
