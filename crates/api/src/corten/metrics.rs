//! `GET /corten/v1/metrics`: what operators watch, for a Prometheus with credentials.

use crate::{
    call::Call,
    error::ApiError,
    metrics,
    policy::{Rule, Target},
    reply::Reply,
};
use axum::body::Body;
use types::metrics::MEDIA_TYPE;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenMetricsGet, &Target::NONE)?;
    let text = metrics::page(&call.state.db, call.state.settings.heartbeat_timeout_s).await?;
    Ok(Reply::stream(MEDIA_TYPE, Body::from(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn whoever_reads_the_system_reads_its_numbers() {
        let service = Service::guarded();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        service.store_node(node).await;
        let path = "/corten/v1/metrics";
        service.get_as("reader@system", "/v1/nodes/detail").await;
        let page = service.get_as("reader@system", path).await;
        assert_eq!(page.status, 200, "{page:?}");
        assert_eq!(page.header("content-type"), MEDIA_TYPE);
        for line in [
            "corten_nodes{provision_state=\"enroll\"} 1",
            "corten_event_log_position 0",
            "corten_nodes_maintenance 0",
            "corten_conductors{state=\"alive\"} 0",
            concat!(
                "corten_build_info{version=\"",
                env!("CARGO_PKG_VERSION"),
                "\"} 1"
            ),
            "# TYPE process_cpu_seconds_total counter",
            "# TYPE corten_operations_total counter",
            "# TYPE corten_http_request_duration_seconds histogram",
        ] {
            assert!(
                page.text.lines().any(|l| l == line),
                "{line}: {}",
                page.text
            );
        }
        let counted = "_count{method=\"GET\",route=\"nodes/detail\",status=\"2xx\"} ";
        assert!(page.text.contains(counted), "{}", page.text);
        for persona in ["admin@p1", "reader@p1", "nothing@system"] {
            assert_eq!(service.get_as(persona, path).await.status, 403, "{persona}");
        }
    }
}
