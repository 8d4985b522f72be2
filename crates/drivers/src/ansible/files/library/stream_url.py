#!/usr/bin/python
"""Writes what an address has to a disk or file as it arrives, and compares its checksum."""
import hashlib
import ssl
import urllib.request

from ansible.module_utils.basic import AnsibleModule

CHUNK = 1 << 20


def main():
    module = AnsibleModule(argument_spec={
        "url": {"required": True}, "dest": {"required": True},
        "checksum": {"default": None}, "validate_certs": {"type": "bool", "default": True},
        "cafile": {"default": None}, "client_cert": {"default": None},
        "client_key": {"default": None, "no_log": True},
    })
    given = module.params
    algorithm, wanted = None, None
    if given["checksum"]:
        algorithm, _, wanted = given["checksum"].partition(":")
    try:
        digest = hashlib.new(algorithm) if algorithm else None
    except ValueError:
        module.fail_json(msg="checksums of the kind %s are not known" % algorithm)
    context = ssl.create_default_context(cafile=given["cafile"])
    if not given["validate_certs"]:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if given["client_cert"]:
        context.load_cert_chain(given["client_cert"], given["client_key"])
    written = 0
    try:
        is_tls = given["url"].startswith("https:")
        with urllib.request.urlopen(given["url"], timeout=60,
                                    context=context if is_tls else None) as answer:
            with open(given["dest"], "wb") as disk:
                while True:
                    chunk = answer.read(CHUNK)
                    if not chunk:
                        break
                    if digest:
                        digest.update(chunk)
                    disk.write(chunk)
                    written += len(chunk)
    except OSError as error:
        module.fail_json(msg="%s after %d bytes" % (error, written))
    if digest and digest.hexdigest() != wanted.strip().lower():
        module.fail_json(msg="the checksum is %s, not %s" % (digest.hexdigest(), wanted))
    module.exit_json(changed=True, bytes=written)


main()
