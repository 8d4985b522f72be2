-- Which conductor serves what a machine needs: another one that becomes its owner takes it over.

ALTER TABLE nodes ADD COLUMN conductor_affinity {text:255};
CREATE INDEX nodes_conductor_affinity ON nodes (conductor_affinity);
