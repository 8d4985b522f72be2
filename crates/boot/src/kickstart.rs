//! Kickstart files: what the installer of Red Hat's family is told to do.
//!
//! They are made from templates of operators and users, in the part of Jinja2 that [`crate::template`]
//! serves: no file is read and nothing is repeated by a template. A template sees one object,
//! `ks_options`, with the names that Ironic gives to it. Files of a config drive are written by
//! scripts that the kickstart file carries; Ironic's carry Python's mark of bytes before the text,
//! which makes every file garbage, so that ours differ.

use crate::template::{Template, TemplateError, Value};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::{collections::BTreeMap, fmt};

/// The template for instances that have none.
pub const BUNDLED: &str = include_str!("kickstart/default.ks");

/// Where cloud-init looks for a config drive that was unpacked.
const SEED: &str = "/var/lib/cloud/seed/config_drive";

/// How long a line of base64 is.
const LINE: usize = 76;

/// Why a kickstart file cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KickstartError {
    #[error("The kickstart template cannot be read: {0}")]
    Unreadable(TemplateError),
    #[error(
        "The kickstart template includes a variable that is not a valid kickstart option. Rendering the template returned  {0}. The valid options are liveimg_url,agent_token,config_drive,heartbeat_url."
    )]
    Variable(TemplateError),
    #[error("the kickstart file cannot be made of its template: {0}")]
    Unrendered(TemplateError),
    #[error(
        "Following required kickstart option variables are missing from the kickstart template: {0}."
    )]
    Missing(String),
    #[error("{0} cannot stand in a kickstart file: it has spaces, quotes or control characters")]
    Unsafe(&'static str),
    #[error("the config drive has a file that cannot be written by a script: {0:?}")]
    Path(String),
}

/// What a template is told. The token is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Kickstart {
    /// What is installed: an image, or a tree of packages.
    pub liveimg_url: String,
    pub is_tree: bool,
    pub agent_token: String,
    pub heartbeat_url: String,
    /// Whether the installer sends reports without verifying the certificate of the service.
    pub insecure_heartbeat: bool,
    /// By path within the drive.
    pub config_drive: BTreeMap<String, Vec<u8>>,
}

impl fmt::Debug for Kickstart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Kickstart");
        shown.field("liveimg_url", &self.liveimg_url);
        shown.field("is_tree", &self.is_tree);
        shown.field("heartbeat_url", &self.heartbeat_url);
        shown.finish_non_exhaustive()
    }
}

/// Reads a template, if all that a deployment needs is in it.
pub fn check(text: &str) -> Result<Template, KickstartError> {
    let template = Template::parse(text).map_err(KickstartError::Unreadable)?;
    let wanted = [
        ("liveimg_url", "fake_image_url"),
        ("agent_token", "fake_token"),
        ("config_drive", ""),
        ("heartbeat_url", "fake_heartbeat_url"),
    ];
    let options = wanted.map(|(name, value)| (name, value.to_owned()));
    let rendered = template
        .render_strictly(&values(options.into()))
        .map_err(KickstartError::Variable)?;
    let missing: Vec<&str> = wanted
        .iter()
        .filter(|(_, value)| !rendered.contains(value))
        .map(|(name, _)| *name)
        .collect();
    match missing.is_empty() {
        true => Ok(template),
        false => Err(KickstartError::Missing(missing.join(","))),
    }
}

fn values(options: BTreeMap<&str, String>) -> BTreeMap<String, Value> {
    let options = options
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Value::Text(value)));
    BTreeMap::from([("ks_options".to_owned(), Value::Map(options.collect()))])
}

impl Kickstart {
    /// The kickstart file.
    pub fn render(&self, template: &Template) -> Result<String, KickstartError> {
        for (what, text) in [
            ("the address of the image", &self.liveimg_url),
            ("the token", &self.agent_token),
            ("the address of the service", &self.heartbeat_url),
        ] {
            check_word(what, text)?;
        }
        let mut options = BTreeMap::from([
            ("liveimg_url", self.liveimg_url.clone()),
            ("agent_token", self.agent_token.clone()),
            ("heartbeat_url", self.heartbeat_url.clone()),
            ("config_drive", scripts(&self.config_drive)?),
        ]);
        // Templates ask whether these are there.
        for (name, is_wanted) in [
            ("is_source_a_path", self.is_tree),
            ("insecure_heartbeat", self.insecure_heartbeat),
        ] {
            if is_wanted {
                options.insert(name, "true".to_owned());
            }
        }
        let rendered = template.render_strictly(&values(options));
        rendered.map_err(KickstartError::Unrendered)
    }
}

/// What stands in scripts and on the kernel's command line is one word.
fn check_word(what: &'static str, text: &str) -> Result<(), KickstartError> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\'' | '"' | '\\');
    match text.is_empty() || text.contains(is_odd) {
        true => Err(KickstartError::Unsafe(what)),
        false => Ok(()),
    }
}

/// The scripts that write the files of a config drive to the installed system.
fn scripts(files: &BTreeMap<String, Vec<u8>>) -> Result<String, KickstartError> {
    let mut text = String::new();
    for (path, content) in files {
        let path = path.trim_start_matches('/');
        check_path(path)?;
        let target = format!("{SEED}/{path}");
        let folder = target.rsplit_once('/').map_or(SEED, |(folder, _)| folder);
        text.push_str(&format!(
            "%post\n/bin/mkdir -p '{folder}'\n/usr/bin/base64 --decode > '{target}' <<'END_OF_FILE'\n"
        ));
        let encoded = STANDARD.encode(content);
        let mut rest = encoded.as_str();
        while !rest.is_empty() {
            // Base64 is ASCII, so that any place may be cut.
            let (line, behind) = rest.split_at(rest.len().min(LINE));
            text.push_str(line);
            text.push('\n');
            rest = behind;
        }
        text.push_str(&format!("END_OF_FILE\n/bin/chmod 600 '{target}'\n%end\n\n"));
    }
    Ok(text)
}

/// A path that stays within its folder and within quotes.
fn check_path(path: &str) -> Result<(), KickstartError> {
    let is_odd = |c: char| c.is_control() || c == '\'';
    let climbs = path.split('/').any(|part| matches!(part, "" | "." | ".."));
    match climbs || path.contains(is_odd) {
        true => Err(KickstartError::Path(path.to_owned())),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn kickstart() -> Kickstart {
        Kickstart {
            liveimg_url: "http://h/i.tgz".into(),
            is_tree: false,
            agent_token: "a-token".into(),
            heartbeat_url: "http://api/v1/heartbeat/u".into(),
            insecure_heartbeat: false,
            config_drive: BTreeMap::new(),
        }
    }

    #[test]
    fn the_bundled_template_serves_images_and_trees() {
        let template = check(BUNDLED).unwrap();
        let image = kickstart().render(&template).unwrap();
        assert!(
            image.contains("\nliveimg --url http://h/i.tgz\n"),
            "{image}"
        );
        assert!(!image.contains("--insecure") && !image.contains("url --url http"));
        for status in ["start", "error", "end"] {
            let status = format!("\"agent_status\": \"{status}\"");
            assert_eq!(image.matches(&status).count(), 1, "{status}");
        }
        assert_eq!(image.matches("\"agent_token\": \"a-token\"").count(), 3);
        assert_eq!(
            image.matches(" http://api/v1/heartbeat/u && break").count(),
            3
        );
        let tree = Kickstart {
            is_tree: true,
            insecure_heartbeat: true,
            ..kickstart()
        };
        let tree = tree.render(&template).unwrap();
        assert!(tree.contains("\nurl --url http://h/i.tgz\n"), "{tree}");
        assert!(tree.contains("%packages") && !tree.contains("liveimg"));
        assert_eq!(tree.matches("curl --insecure").count(), 3);
    }

    #[test]
    fn templates_are_judged_in_the_words_of_ironic() {
        let told = |text: &str| check(text).unwrap_err().to_string();
        assert_eq!(
            told("{{ ks_options.liveimg_url }} {{ ks_options.agent_token }}"),
            "Following required kickstart option variables are missing from the kickstart template: heartbeat_url."
        );
        assert_eq!(
            told("{{ ks_options.liveimg }}"),
            "The kickstart template includes a variable that is not a valid kickstart option. Rendering the template returned  line 1: 'ks_options.liveimg' is undefined. The valid options are liveimg_url,agent_token,config_drive,heartbeat_url."
        );
        assert!(told("{% include '/etc/passwd' %}").contains("'include' is not served"));
    }

    #[test]
    fn a_template_that_repeats_a_large_config_drive_is_refused() {
        let greedy = format!("{BUNDLED}{}", "{{ ks_options.config_drive }}\n".repeat(100));
        let template = check(&greedy).unwrap();
        let large = Kickstart {
            config_drive: [("a".to_owned(), vec![0; 2 << 20])].into(),
            ..kickstart()
        };
        let refused = large.render(&template).unwrap_err();
        assert!(
            matches!(refused, KickstartError::Unrendered(_)),
            "{refused}"
        );
        assert!(large.render(&check(BUNDLED).unwrap()).is_ok());
    }

    #[test]
    fn nothing_gets_into_a_script_that_ends_it() {
        let template = check(BUNDLED).unwrap();
        for url in ["http://h/a b", "http://h/'", "http://h/\n%post", ""] {
            let odd = Kickstart {
                liveimg_url: url.into(),
                ..kickstart()
            };
            let refused = odd.render(&template).unwrap_err();
            assert!(matches!(refused, KickstartError::Unsafe(_)), "{url:?}");
        }
        for path in ["../../etc/shadow", "a/../b", "a'b", "a\n%end", "", "a//b"] {
            let odd = Kickstart {
                config_drive: [(path.to_owned(), Vec::new())].into(),
                ..kickstart()
            };
            let refused = odd.render(&template).unwrap_err();
            assert!(matches!(refused, KickstartError::Path(_)), "{path:?}");
        }
    }

    /// The scripts are run by a shell, in a folder that stands for the installed system.
    #[test]
    fn files_of_the_config_drive_arrive_byte_for_byte() {
        let system = tempfile::tempdir().unwrap();
        let files = BTreeMap::from([
            (
                "openstack/latest/meta_data.json".to_owned(),
                b"{\"a\": \"b\"}\n".to_vec(),
            ),
            (
                "openstack/latest/user_data".to_owned(),
                (0..=255).cycle().take(5000).collect(),
            ),
            ("openstack/content/it has spaces".to_owned(), Vec::new()),
        ]);
        let text = scripts(&files).unwrap();
        let root = system.path().display().to_string();
        let script: String = text
            .replace(SEED, &format!("{root}{SEED}"))
            .lines()
            .filter(|line| !matches!(*line, "%post" | "%end"))
            .map(|line| format!("{line}\n"))
            .collect();
        let done = Command::new("sh").arg("-ec").arg(&script).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        for (path, content) in &files {
            let written = std::fs::read(format!("{root}{SEED}/{path}")).unwrap();
            assert_eq!(written, *content, "{path}");
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        assert!(!format!("{:?}", kickstart()).contains("a-token"));
    }
}
