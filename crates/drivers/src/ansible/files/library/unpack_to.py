#!/usr/bin/python
"""Writes a config drive, which is base64 of a gzipped image, to a partition or file."""
import base64
import gzip

from ansible.module_utils.basic import AnsibleModule

MOST = 64 << 20


def main():
    module = AnsibleModule(argument_spec={"src": {"required": True}, "dest": {"required": True}})
    try:
        with open(module.params["src"], "rb") as packed:
            image = gzip.decompress(base64.b64decode(packed.read()))
    except (OSError, ValueError, EOFError) as error:
        module.fail_json(msg="the config drive cannot be unpacked: %s" % error)
    if len(image) > MOST:
        module.fail_json(msg="the config drive is larger than 64 MiB")
    with open(module.params["dest"], "r+b") as partition:
        partition.write(image)
    module.exit_json(changed=True, bytes=len(image))


main()
