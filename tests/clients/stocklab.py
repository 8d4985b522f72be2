"""What the tests of stock clients share: their installation, and a service in each way of authentication.

Not a program: `stock-cli` and `stock-sdk` are.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.request

CONFIGURATION = """
[DEFAULT]
auth_strategy = {strategy}
http_basic_auth_user_file = {folder}/users
enabled_hardware_types = fake-hardware
default_network_interface = noop
enabled_bios_interfaces = fake,no-bios
enabled_boot_interfaces = fake
enabled_console_interfaces = fake,no-console
enabled_deploy_interfaces = fake
enabled_firmware_interfaces = fake,no-firmware
enabled_inspect_interfaces = fake,no-inspect
enabled_management_interfaces = fake,noop
enabled_network_interfaces = noop
enabled_power_interfaces = fake
enabled_raid_interfaces = fake,no-raid
enabled_rescue_interfaces = fake,no-rescue
enabled_storage_interfaces = noop
enabled_vendor_interfaces = fake,no-vendor
[api]
host_ip = 127.0.0.1
port = 0
[conductor]
automated_clean = false
"""

KEYSTONE = """
[keystone_authtoken]
auth_type = password
auth_url = {url}
username = admin
password = {password}
user_domain_id = default
project_name = admin
project_domain_id = default
"""

USER, PASSWORD = "myName", "myPassword"
HASH = "$2y$05$QgL9Ku4KEy3I7J.ICTpw3uhODvIbUaXR.8I7pBLtHkwCWUNQZA1ju"
STRATEGIES = {"none": "noauth", "http_basic": "http_basic", "keystone": "keystone"}


def say(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def arguments(about):
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--optional", action="store_true", help="without the client, say so and succeed")
    parser.add_argument("--auth", choices=STRATEGIES, default="none")
    parser.add_argument("program", nargs="?", default="target/debug/corten")
    given = parser.parse_args()
    if given.auth == "keystone" and "CORTEN_TEST_KEYSTONE_URL" not in os.environ:
        # It comes with this command; one that cannot be had is named there.
        if "CORTEN_TEST_SKIP_KEYSTONE" in os.environ:
            sys.exit(0)
        scripts = pathlib.Path(__file__).resolve().parents[2] / "scripts"
        optional = ["--optional"] if given.optional else []
        os.execv(scripts / "with-keystone", ["with-keystone", *optional, sys.argv[0], *sys.argv[1:]])
    return given


def installed(name, requirements, optional):
    """The folder of a Python that has the client, which is installed if it is not yet."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    home = pathlib.Path(cache) / "corten-tests" / name
    done, wanted = home / "installed", "\n".join(requirements)
    try:
        if not done.is_file() or done.read_text() != wanted:
            say("installing from PyPI")
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
            pip = [home / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *requirements], check=True)
            done.write_text(wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        say(f"the client cannot be installed: {error}")
        sys.exit(0 if optional else 1)
    return home


class Service:
    """`corten serve` with nothing in it, until the block ends."""

    def __init__(self, program, auth):
        self.auth = auth
        self.scratch = tempfile.TemporaryDirectory(prefix="stock-client-")
        self.folder = pathlib.Path(self.scratch.name)
        self.log = self.folder / "log"
        text = CONFIGURATION.format(strategy=STRATEGIES[auth], folder=self.folder)
        if auth == "keystone":
            self.keystone = os.environ["CORTEN_TEST_KEYSTONE_URL"]
            self.password = os.environ["CORTEN_TEST_KEYSTONE_PASSWORD"]
            text += KEYSTONE.format(url=self.keystone, password=self.password)
        (self.folder / "users").write_text(f"{USER}:{HASH}\n")
        (self.folder / "corten.conf").write_text(text)
        command = [program, "serve", "--config-file", self.folder / "corten.conf"]
        command += ["--data-dir", self.folder / "data"]
        with open(self.log, "w") as errors:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def __enter__(self):
        line = self.process.stdout.readline().strip()
        if not line:
            sys.exit(f"corten serve does not start:\n{self.log.read_text()}")
        self.url = line.removeprefix("listening on ")
        if self.auth == "keystone":
            self.register()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.scratch.cleanup()

    def register(self):
        """Puts the service into the catalogue, where clients look for it."""
        admin = {"name": "admin", "domain": {"id": "default"}, "password": self.password}
        identity = {"methods": ["password"], "password": {"user": admin}}
        login = {"auth": {"identity": identity, "scope": {"system": {"all": True}}}}
        token = self.ask("auth/tokens", login, {})[1]["X-Subject-Token"]
        headers = {"X-Auth-Token": token}
        service = {"service": {"type": "baremetal", "name": "corten"}}
        made = self.ask("services", service, headers)[0]["service"]["id"]
        for interface in ("public", "internal", "admin"):
            endpoint = {"service_id": made, "interface": interface, "region_id": "RegionOne", "url": self.url}
            self.ask("endpoints", {"endpoint": endpoint}, headers)

    def ask(self, path, body, headers):
        headers = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(f"{self.keystone}/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer), answer.headers

    def cloud(self, system=False):
        """How clients get here, as an entry of clouds.yaml."""
        if self.auth == "none":
            return {"auth_type": "none", "auth": {"endpoint": self.url}}
        if self.auth == "http_basic":
            login = {"endpoint": self.url, "username": USER, "password": PASSWORD}
            return {"auth_type": "http_basic", "auth": login}
        login = {"auth_url": self.keystone, "username": "admin", "password": self.password, "user_domain_id": "default"}
        place = {"system_scope": "all"} if system else {"project_name": "admin", "project_domain_id": "default"}
        # Said, because `baremetal` takes no authentication for the usual one.
        return {"auth_type": "password", "auth": login | place, "region_name": "RegionOne"}

    def clouds(self, **names):
        """Writes clouds.yaml with these names, and returns the environment of a client that reads it."""
        # JSON is YAML.
        path = self.folder / "clouds.yaml"
        path.write_text(json.dumps({"clouds": names}))
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("OS_", "IRONIC"))}
        return kept | {"OS_CLIENT_CONFIG_FILE": str(path)}
