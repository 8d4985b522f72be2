//! What load balancers are told by a whole service.

use crate::{
    database::Engine,
    http::Request,
    lab::{Lab, Options},
};

every_engine!(a_service_without_its_database_is_not_healthy);

async fn a_service_without_its_database_is_not_healthy(engine: Engine) {
    let mut options = Options::default();
    options.api.health.enabled = true;
    let lab = Lab::with(engine, options).await;
    let ask = || Request::bare("GET", "/healthcheck");
    assert_eq!(lab.client.send(ask()).await.expect(200).body, b"");
    lab.database
        .execute("ALTER TABLE counters RENAME TO elsewhere");
    let sick = lab.client.send(ask()).await.expect(503);
    assert_eq!(sick.body, b"DATABASE UNAVAILABLE");
    lab.database
        .execute("ALTER TABLE elsewhere RENAME TO counters");
    lab.client.send(ask()).await.expect(200);
    lab.stop().await;
}
