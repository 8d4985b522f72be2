-- Flags and severities that Ironic keeps as NULL, and that were NOT NULL here: a flag is unset where
-- it is off and the column beside it is true.

ALTER TABLE nodes ADD COLUMN retired_unset {bool};
ALTER TABLE ports ADD COLUMN is_smartnic_unset {bool};
ALTER TABLE portgroups ADD COLUMN dynamic_portgroup_unset {bool};
ALTER TABLE node_history ADD COLUMN severity_unset {bool};
