-- What tests of machines showed.

CREATE TABLE commissioning_reports (
    id {pk},
    uuid {text:36} NOT NULL,
    node_uuid {text:36} NOT NULL,
    test {text:32} NOT NULL,
    verdict {text:16} NOT NULL,
    ended_at BIGINT NOT NULL,
    seconds BIGINT,
    figures {long} NOT NULL,
    error {long}
);
CREATE UNIQUE INDEX commissioning_reports_uuid ON commissioning_reports (uuid);
CREATE INDEX commissioning_reports_node_uuid ON commissioning_reports (node_uuid, id);
