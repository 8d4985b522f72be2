//! Which database, and which keys for what is secret in it.
//!
//! URLs are those of SQLAlchemy, as operators have them: `sqlite:///relative`, `sqlite:////absolute`,
//! `postgresql+psycopg2://…`, `mysql+pymysql://…`. Nobody's password gets into an error from here.

use super::SettingsError;
use config::Config;
use std::path::{Path, PathBuf};
use store::{Location, MariaDb, Postgres};

/// In the data folder, when no database is named.
pub(crate) const DATABASE: &str = "corten.db";
const KEYS: &str = "keys";

pub fn database(config: &Config) -> Result<Location, SettingsError> {
    let (connection, data_dir) = (&config.database.connection, &*config.corten.data_dir);
    if !connection.is_set() {
        return Ok(Location::Sqlite(data_dir.join(DATABASE)));
    }
    location(connection.expose(), data_dir).map_err(|reason| SettingsError::Database {
        place: connection.source().clone(),
        reason,
    })
}

/// The file with the ring of keys.
pub fn key_file(config: &Config) -> PathBuf {
    let named = (*config.corten.key_file).clone();
    named.unwrap_or_else(|| config.corten.data_dir.join(KEYS))
}

/// The database that a URL names, for commands that take one.
pub fn database_at(url: &str) -> Result<Location, String> {
    location(url, Path::new(""))
}

fn location(url: &str, data_dir: &Path) -> Result<Location, String> {
    let (scheme, rest) = url.split_once("://").ok_or(
        "expected a URL such as sqlite:////var/lib/corten/corten.db, \
         postgresql://user:password@host/name or mysql://user:password@host/name",
    )?;
    // Behind the plus sign stands the Python driver, which is nothing to us.
    let dialect = scheme.split('+').next().unwrap_or(scheme);
    match dialect {
        "sqlite" => sqlite(rest, data_dir),
        "postgresql" | "postgres" => {
            Postgres::parse(&format!("postgresql://{rest}")).map(Location::Postgres)
        }
        "mysql" | "mariadb" => MariaDb::parse(rest).map(Location::MariaDb),
        other => Err(format!(
            "unknown kind of database '{other}'; use sqlite, postgresql or mysql"
        )),
    }
}

fn sqlite(rest: &str, data_dir: &Path) -> Result<Location, String> {
    let path = rest.split('?').next().unwrap_or(rest);
    match path.strip_prefix('/') {
        None if path.is_empty() => Ok(Location::Sqlite(data_dir.join(DATABASE))),
        None => Err(
            "a sqlite URL has three slashes before a relative path, and four before an \
                     absolute one"
                .to_owned(),
        ),
        Some("") => Ok(Location::Sqlite(data_dir.join(DATABASE))),
        Some(":memory:") => {
            Err("a database in memory would forget every machine at the end".to_owned())
        }
        Some(path) => Ok(Location::Sqlite(PathBuf::from(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let found = match location(url, Path::new("/data")) {
            Ok(Location::Sqlite(path)) => format!("file {}", path.display()),
            Ok(Location::Postgres(server)) => format!("{server:?}"),
            Ok(Location::MariaDb(server)) => format!("{server:?}"),
            Err(reason) => format!("refused: {}", reason.split(';').next().unwrap()),
        };
        assert_eq!(found, expected, "{url}");
    }

    #[test]
    fn urls_of_the_original_are_understood() {
        check("sqlite:////var/x.db", "file /var/x.db");
        check("sqlite+pysqlite:////var/x.db?timeout=5", "file /var/x.db");
        check("sqlite:///x.db", "file x.db");
        check("sqlite://", "file /data/corten.db");
        for scheme in ["postgresql", "postgresql+psycopg2", "postgres"] {
            check(
                &format!("{scheme}://u:p@h/d?sslmode=disable"),
                "Postgres(postgresql://h:5432/d, None)",
            );
        }
        for scheme in ["mysql", "mysql+pymysql", "mariadb", "mariadb+pymysql"] {
            check(
                &format!("{scheme}://u:p@h:3307/d?charset=utf8"),
                r#"MariaDb { host: "h", port: 3307, socket: None, database: "d", tls: None, .. }"#,
            );
        }
    }

    #[test]
    fn what_cannot_be_served_is_refused_without_its_password() {
        check(
            "mysql+pymysql://u:secret@h/d?ssl_capath=/ca",
            "refused: unknown option 'ssl_capath' for MariaDB",
        );
        check(
            "postgresql://u:secret@h/d?sslcert=/c",
            "refused: 'sslcert' and 'sslkey' belong together",
        );
        check(
            "oracle://u:secret@h/d",
            "refused: unknown kind of database 'oracle'",
        );
        check(
            "sqlite:///:memory:",
            "refused: a database in memory would forget every machine at the end",
        );
        for url in ["", "secret", "sqlite://host/x", "mysql://u:secret@h"] {
            let refused = location(url, Path::new("/data")).unwrap_err();
            assert!(!refused.contains("secret"), "{refused}");
        }
    }

    #[test]
    fn the_default_is_a_file_in_the_data_folder() {
        let config = alone(&["corten.data_dir=/data"]);
        let Location::Sqlite(path) = database(&config).unwrap() else {
            panic!("not a file");
        };
        assert_eq!(path, Path::new("/data/corten.db"));
        assert_eq!(key_file(&config), Path::new("/data/keys"));
        let config = alone(&["corten.data_dir=/data", "corten.key_file=/k"]);
        assert_eq!(key_file(&config), Path::new("/k"));
    }

    #[test]
    fn the_place_of_a_refused_url_is_named() {
        let refused = database(&alone(&["database.connection=mysql://u:secret@h"])).unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.starts_with("--set database.connection: "),
            "{refused}"
        );
        assert!(!refused.contains("secret"), "{refused}");
    }
}
