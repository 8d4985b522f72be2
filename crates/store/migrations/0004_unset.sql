-- Attributes that clients may leave unset. A column cannot lose its NOT NULL on every engine, so
-- another takes its place.

ALTER TABLE nodes ADD COLUMN power_off_disabled {bool};
UPDATE nodes SET power_off_disabled = disable_power_off;
ALTER TABLE nodes DROP COLUMN disable_power_off;
ALTER TABLE nodes RENAME COLUMN power_off_disabled TO disable_power_off;

ALTER TABLE portgroups ADD COLUMN bond_mode {text:255};
UPDATE portgroups SET bond_mode = mode;
ALTER TABLE portgroups DROP COLUMN mode;
ALTER TABLE portgroups RENAME COLUMN bond_mode TO mode;
