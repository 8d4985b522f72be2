-- Where a conductor takes the calls of other processes; one that is alone has no such address.

ALTER TABLE conductors ADD COLUMN url {text:255};
