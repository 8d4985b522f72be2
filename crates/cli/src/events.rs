//! `corten events`: the service's event log, as it grows.

use std::time::Duration;

use clap::Args;

use crate::Session;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{LineFormat, LineOutput};
use crate::watch::{EventFilter, Lines, Log, PATIENCE_SECONDS};

pub(crate) fn leaf() -> Leaf {
    Leaf::new("events", "Follow everything that happens", Events::run)
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten events                                  everything, from now on
  corten events --kind error --kind warning      what goes wrong
  corten events --node m1 --after 0              all that is still remembered of m1, and then on
  corten events -f json | jq .text

Ends with Ctrl-C, which is no failure.
")]
struct Events {
    /// Only what happens to this machine (name or UUID)
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Only events of this kind, such as provision, power or error; can be given several times
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only what happens to machines that this project owns or leases
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Begin after this cursor, such as the last one seen, and not at this moment
    #[arg(long, value_name = "CURSOR")]
    after: Option<u64>,
    /// End after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    #[command(flatten)]
    output: LineOutput,
}

impl Events {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let limit = self.timeout.map_or(Duration::MAX, Duration::from_secs);
        tokio::select! {
            outcome = tokio::time::timeout(limit, self.follow(session)) => {
                outcome.unwrap_or(Ok(()))
            }
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }

    async fn follow(self, session: &mut Session) -> Result<(), Error> {
        let wanted = EventFilter {
            node: self.node,
            kinds: self.kind,
            project: self.project,
        };
        let mut log = Log::open(session, self.after, wanted).await?;
        let mut lines = Lines::new(session.console.colour, &[]);
        loop {
            for event in log.next(session, PATIENCE_SECONDS).await? {
                match self.output.format {
                    LineFormat::Table => session.console.line(&lines.line(&event))?,
                    LineFormat::Json => session.console.line(&event.to_string())?,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::{self, Answer, Canned};
    use crate::tests::corten;

    fn stream(text: &str) -> Answer {
        Answer::new(200, text).header("content-type", "text/event-stream")
    }

    #[test]
    fn a_stream_is_followed_and_taken_up_where_it_broke() {
        let first = "retry: 2000\n\nid: 8\nevent: power\ndata: {\"cursor\": 8}\n\n: here\nid: 9\n\n\
                     id: 10\nevent: power\ndata: {\"cur";
        let second = "id: 10\nevent: power\ndata: {\"cursor\": 10}\n\n";
        let (ran, lines) = canned::run(async {
            let answers = [stream(first), stream(second), Answer::fault(400, "enough")];
            let server = Canned::answers(answers).await;
            let line = "events --after 7 --kind power --kind error --node m1 --project p \
                        --retry-interval 0 -f json";
            let ran = corten(&server, line).await;
            let asked = server.asked();
            let accept = asked[0].header("accept").unwrap().to_owned();
            assert!(accept.starts_with("text/event-stream,"), "{accept}");
            (ran, server.lines())
        });
        assert_eq!(ran.out, "{\"cursor\":8}\n{\"cursor\":10}\n");
        let asked = |after: u64| {
            format!(
                "GET /corten/v1/events?after={after}&limit=200&wait=30&node=m1&project=p\
                 &kind=power&kind=error"
            )
        };
        // Half an event is none: it is asked for again.
        assert_eq!(lines, [asked(7), asked(9), asked(10)]);
        assert_eq!((ran.code, ran.notes.as_str()), (1, "error: enough\n"));
    }

    #[test]
    fn what_is_no_event_is_told() {
        let ran = canned::run(async {
            let server = Canned::answers([stream("id: 1\ndata: no\n\n")]).await;
            corten(&server, "events --after 0").await
        });
        assert_eq!(ran.code, 1);
        assert!(ran.notes.contains("an event that is none"), "{}", ran.notes);
    }
}
