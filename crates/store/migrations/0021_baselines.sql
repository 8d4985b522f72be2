-- What firmware and BIOS settings the machines of a resource class are to have.

CREATE TABLE baselines (
    id {pk},
    resource_class {text:80} NOT NULL,
    description {text:255},
    firmware {long} NOT NULL,
    bios_settings {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX baselines_resource_class ON baselines (resource_class);
