//! Kernel parameters: where they come from, and what may not be in them.
//!
//! Parameters end up inside scripts of three boot loaders. What a user may write into a node must
//! not become a command there, so that text is checked before it is written: control characters
//! nowhere, and for each loader the few characters that end a command.

/// The parameters of a ramdisk, and what they are made of.
#[derive(Debug, Clone, Default)]
pub struct Parameters<'a> {
    /// `kernel_append_params` of the instance, or else of the driver; `%default%` stands for the
    /// option of that name.
    pub own: Option<&'a str>,
    /// The option `[pxe]kernel_append_params`.
    pub default: &'a str,
    pub debug: bool,
    /// What the agent is told, in this order; a name may stand alone.
    pub agent: Vec<(String, Option<String>)>,
    pub request_id: Option<&'a str>,
}

impl Parameters<'_> {
    /// One line.
    pub fn line(&self) -> String {
        let mut line = match self.own {
            Some(own) => own.replace("%default%", self.default),
            None => self.default.to_owned(),
        };
        if self.debug && !line.contains("ipa-debug") {
            line.push_str(" ipa-debug=1");
        }
        for (name, value) in &self.agent {
            line.push(' ');
            line.push_str(name);
            if let Some(value) = value {
                line.push('=');
                line.push_str(value);
            }
        }
        if let Some(id) = self.request_id {
            line.push_str(" ipa-global-request-id=");
            line.push_str(id);
        }
        line.retain(|character| !matches!(character, '\n' | '\r' | '\0'));
        line
    }
}

/// What the agent needs to find its way to a service.
pub fn agent_api(url: &str) -> (String, Option<String>) {
    let url = url.trim_end_matches('/');
    ("ipa-api-url".to_owned(), Some(url.to_owned()))
}

/// Where an agent that inspects sends what it found.
pub fn inspection_callback(url: &str) -> (String, Option<String>) {
    let url = url.trim_end_matches('/');
    let callback = format!("{url}/v1/continue_inspection");
    ("ipa-inspection-callback-url".to_owned(), Some(callback))
}

/// Boot loaders, by how they read a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Pxelinux,
    Grub,
    Ipxe,
}

/// Whether a text can stand in a loader's line; the error says what is wrong.
pub fn check(dialect: Dialect, what: &str, text: &str) -> Result<(), String> {
    if text.chars().any(char::is_control) {
        return Err(format!(
            "{what} has a line break or another control character in it"
        ));
    }
    let wrong = match dialect {
        Dialect::Pxelinux => None,
        Dialect::Grub => text
            .chars()
            .find(|c| ";{}|&<>$`".contains(*c))
            .map(String::from),
        Dialect::Ipxe => {
            let mut words = text.split_whitespace();
            words
                .find(|word| matches!(*word, "||" | "&&"))
                .map(str::to_owned)
        }
    };
    match wrong {
        Some(wrong) => Err(format!(
            "{what} has '{wrong}' in it, which the boot loader takes for a command"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_put_together_in_the_order_of_the_reference() {
        let parameters = Parameters {
            own: Some("console=ttyS0 %default%\n"),
            default: "nofb vga=normal",
            debug: true,
            agent: vec![agent_api("http://api:6385/"), ("flag".to_owned(), None)],
            request_id: Some("req-1"),
        };
        assert_eq!(
            parameters.line(),
            "console=ttyS0 nofb vga=normal ipa-debug=1 ipa-api-url=http://api:6385 flag \
             ipa-global-request-id=req-1"
        );
        let (name, value) = inspection_callback("http://api/");
        assert_eq!(name, "ipa-inspection-callback-url");
        assert_eq!(value.as_deref(), Some("http://api/v1/continue_inspection"));
    }

    #[test]
    fn debug_is_not_said_twice() {
        let own = Parameters {
            own: Some("ipa-debug=0"),
            debug: true,
            ..Parameters::default()
        };
        assert_eq!(own.line(), "ipa-debug=0");
    }

    #[test]
    fn text_that_would_be_a_command_is_refused() {
        assert!(check(Dialect::Ipxe, "x", "a=b || shell").is_err());
        assert!(check(Dialect::Ipxe, "x", "a=b||c http://u?a=1&b=2").is_ok());
        assert!(check(Dialect::Grub, "x", "a=b; reboot").is_err());
        assert!(check(Dialect::Grub, "x", "a=b,c console=ttyS0,115200n8").is_ok());
        assert!(check(Dialect::Pxelinux, "x", "a\nlabel y").is_err());
        assert!(check(Dialect::Pxelinux, "x", "a;b").is_ok());
    }
}
