//! `GET /corten/v1/nodes/{node}/reports`: what burn-in tests of a machine showed.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use serde_json::{Value, json};
use store::commissioning;
use types::burnin::{BurninVerdict, CommissioningReport};

const USUAL: i64 = 20;
const MOST: i64 = 100;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["before", "limit"])?;
    let (before, limit) = (args.integer("before")?, args.integer("limit")?);
    let limit = u32::try_from(limit.unwrap_or(USUAL));
    let limit = limit.ok().filter(|limit| (1..=100).contains(limit));
    let limit = limit.ok_or_else(|| ApiError::invalid(format!("limit is from 1 to {MOST}.")))?;
    let node = subject::node_for(&call, Rule::CortenNodeGetReports).await?;
    let db = &call.state.db;
    let last = commissioning::last(db, node.id).await?;
    let history = commissioning::list(db, node.id, before, limit).await?;
    let documents =
        |reports: &[CommissioningReport]| -> Vec<Value> { reports.iter().map(document).collect() };
    let document = json!({
        "node_uuid": node.id,
        "verdict": verdict(&last),
        "last": documents(&last),
        "history": documents(&history),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// That of the machine: a test whose last report is a failure fails it.
fn verdict(last: &[CommissioningReport]) -> Option<BurninVerdict> {
    let failed = |report: &CommissioningReport| report.verdict == BurninVerdict::Failed;
    match last {
        [] => None,
        last if last.iter().any(failed) => Some(BurninVerdict::Failed),
        _ => Some(BurninVerdict::Passed),
    }
}

fn document(report: &CommissioningReport) -> Value {
    json!({
        "number": report.row,
        "uuid": report.id,
        "test": report.test,
        "verdict": report.verdict,
        "ended_at": report.ended_at.to_string(),
        "seconds": report.seconds,
        "figures": report.figures,
        "error": report.error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use store::node::{Fence, Log};
    use types::{
        Node, NodeId, ReportId, Timestamp,
        burnin::{BurninTest, Figure},
    };

    async fn tested(service: &Service, tests: &[(BurninTest, BurninVerdict)]) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        (node.name, node.owner) = (Some("n1".into()), Some("p1".into()));
        let node = service.store_node(node).await;
        let reports = tests.iter().map(|(test, verdict)| CommissioningReport {
            row: 0,
            id: ReportId::generate(),
            node: node.id,
            test: *test,
            verdict: *verdict,
            ended_at: Timestamp::now(),
            seconds: Some(60),
            figures: vec![Figure {
                name: "cpu".into(),
                value: 7,
                unit: "operations/s".into(),
            }],
            error: None,
        });
        let log = Log {
            reports: reports.collect(),
            ..Log::default()
        };
        let saved = store::node::save(&service.db, node, Fence::Free, log).await;
        saved.unwrap()
    }

    #[tokio::test]
    async fn owners_see_the_reports_of_their_nodes() {
        let service = Service::guarded();
        let node = tested(&service, &[(BurninTest::Cpu, BurninVerdict::Passed)]).await;
        let path = format!("/corten/v1/nodes/{}/reports", node.id);
        for (persona, status) in [
            ("reader@system", 200),
            ("reader@p1", 200),
            ("nothing@p1", 404),
            ("admin@p2", 404),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
    }

    #[tokio::test]
    async fn the_last_report_of_each_test_decides() {
        use {BurninTest as T, BurninVerdict as V};
        let service = Service::new();
        let tests = [
            (T::Cpu, V::Failed),
            (T::Disk, V::Passed),
            (T::Cpu, V::Passed),
        ];
        tested(&service, &tests).await;
        let path = "/corten/v1/nodes/n1/reports";
        let shown = service.get(path, 1).await.json();
        assert_eq!(shown["verdict"], "passed");
        let last = shown["last"].as_array().unwrap();
        let tests: Vec<&Value> = last.iter().map(|report| &report["test"]).collect();
        assert_eq!(tests, ["burnin_cpu", "burnin_disk"]);
        assert_eq!(last[0]["figures"][0]["value"], 7);
        let history = shown["history"].as_array().unwrap();
        assert_eq!(history.len(), 3);
        let older = format!("{path}?before={}&limit=1", history[1]["number"]);
        let older = service.get(&older, 1).await.json();
        assert_eq!(older["history"], json!([history[2]]));
        for query in ["limit=0", "limit=101", "before=x"] {
            let refused = service.get(&format!("{path}?{query}"), 1).await;
            assert_eq!(refused.status, 400, "{query}");
        }
    }

    #[tokio::test]
    async fn a_machine_without_tests_has_no_verdict() {
        let service = Service::new();
        tested(&service, &[]).await;
        let shown = service.get("/corten/v1/nodes/n1/reports", 1).await.json();
        assert_eq!(
            (&shown["verdict"], &shown["last"]),
            (&Value::Null, &json!([]))
        );
    }

    #[tokio::test]
    async fn a_node_keeps_its_last_reports_only() {
        let service = Service::new();
        let many = [(BurninTest::Cpu, BurninVerdict::Passed); 203];
        let node = tested(&service, &many).await;
        let all = commissioning::list(&service.db, node.id, None, 1000).await;
        assert_eq!(all.unwrap().len(), 200);
    }
}
