-- How disks of machines were erased, in documents that are signed. They outlive their nodes.

CREATE TABLE erase_certificates (
    id {pk},
    uuid {text:36} NOT NULL,
    node_uuid {text:36} NOT NULL,
    node_name {text:255},
    issued_at BIGINT NOT NULL,
    document {long} NOT NULL,
    key_name {long} NOT NULL,
    public_key {text:64} NOT NULL,
    signature {text:128} NOT NULL
);
CREATE UNIQUE INDEX erase_certificates_uuid ON erase_certificates (uuid);
CREATE INDEX erase_certificates_node_uuid ON erase_certificates (node_uuid, id);
