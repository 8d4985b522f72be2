#!/usr/bin/python
"""Finds the disk that hints describe; without hints the first one by name."""
import json
import subprocess

from ansible.module_utils.basic import AnsibleModule

# Hints, and what lsblk calls the same. Sizes are in GiB.
COLUMNS = {"model": "model", "vendor": "vendor", "serial": "serial", "wwn": "wwn",
           "wwn_with_extension": "wwn", "hctl": "hctl", "rotational": "rota"}


def disks():
    listed = subprocess.run(
        ["lsblk", "--json", "--bytes", "--nodeps", "--output",
         "NAME,PATH,TYPE,SIZE,MODEL,VENDOR,SERIAL,WWN,HCTL,ROTA"],
        check=True, capture_output=True, text=True)
    found = json.loads(listed.stdout)["blockdevices"]
    found = [disk for disk in found if disk["type"] == "disk" and int(disk["size"] or 0) > 0]
    return sorted(found, key=lambda disk: disk["name"])


def matches(disk, hints):
    for hint, wanted in hints.items():
        if hint == "name":
            if disk["path"] != wanted:
                return False
        elif hint == "size":
            if int(disk["size"]) >> 30 != int(wanted):
                return False
        elif hint == "rotational":
            is_rotational = str(disk["rota"]).lower() in ("1", "true")
            if is_rotational != (str(wanted).lower() in ("1", "true", "yes")):
                return False
        elif hint in COLUMNS:
            found = (disk[COLUMNS[hint]] or "").strip().lower()
            if found != str(wanted).strip().lower():
                return False
        else:
            return False
    return True


def main():
    module = AnsibleModule(argument_spec={"hints": {"type": "dict", "default": {}}})
    hints = module.params["hints"] or {}
    for disk in disks():
        if matches(disk, hints):
            module.exit_json(changed=False, device=disk["path"])
    module.fail_json(msg="no disk matches the root device hints %s" % json.dumps(hints))


main()
