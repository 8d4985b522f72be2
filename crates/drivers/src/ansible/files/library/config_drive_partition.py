#!/usr/bin/python
"""Makes a partition of 64 MiB at the end of a disk that has an image on it, unless there is one with
the label of config drives already."""
import json
import subprocess

from ansible.module_utils.basic import AnsibleModule


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def partitions(device):
    listed = json.loads(run("lsblk", "--json", "--output", "PATH,TYPE,LABEL", device))
    found = listed["blockdevices"][0].get("children") or []
    return [part for part in found if part["type"] == "part"]


def main():
    module = AnsibleModule(argument_spec={"device": {"required": True}})
    device = module.params["device"]
    try:
        run("partprobe", device)
        run("udevadm", "settle")
        before = partitions(device)
        for part in before:
            if (part["label"] or "").lower() == "config-2":
                module.exit_json(changed=False, partition=part["path"])
        table = run("lsblk", "--noheadings", "--nodeps", "--output", "PTTYPE", device).strip()
        if table == "gpt":
            # The copy of the table belongs to the end of this disk, not of the image.
            run("sgdisk", "--move-second-header", device)
        run("parted", "--script", "--align", "none", device, "mkpart", "primary", "fat32",
            "--", "-65MiB", "-1MiB")
        run("partprobe", device)
        run("udevadm", "settle")
        known = {part["path"] for part in before}
        made = [part["path"] for part in partitions(device) if part["path"] not in known]
    except subprocess.CalledProcessError as error:
        module.fail_json(msg="%s: %s" % (error, error.stderr.strip()))
    if len(made) != 1:
        module.fail_json(msg="there is no place for a config drive on %s" % device)
    module.exit_json(changed=True, partition=made[0])


main()
