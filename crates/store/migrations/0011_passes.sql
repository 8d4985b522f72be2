-- What periodic passes look for: nodes that have been in a state for too long, nodes with a fault, and
-- nodes whose console is on. Only those are read, however many others there are.

CREATE INDEX nodes_provision_state_updated ON nodes (provision_state, provision_updated_at);
CREATE INDEX nodes_fault ON nodes (fault);
CREATE INDEX nodes_console_enabled ON nodes (console_enabled);
