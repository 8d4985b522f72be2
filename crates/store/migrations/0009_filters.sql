-- Pages of nodes by what is asked for most, in the order of pages: without `id` a planner may prefer
-- to read all nodes in their order and hope to meet the few that are wanted early.

CREATE INDEX nodes_resource_class_id ON nodes (resource_class, id);
CREATE INDEX nodes_provision_state_id ON nodes (provision_state, id);
