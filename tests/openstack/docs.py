"""Runs every command of docs/operate/openstack.md, in the order of the page.

The commands are taken out of the page: those in blocks, and those within sentences and tables. Words in
capitals are replaced, and nothing else. What makes users, roles and endpoints runs at a Keystone that is
empty (`scripts/with-keystone`); the rest runs at the services of the lab, beside a service whose
configuration is the page's. Commands that nothing here can answer are named, with the reason."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

from agents import Agents
from cloud import KEYSTONE, PASSWORD, Failed, expect, until
from service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/operate/openstack.md"
PROGRAMS = ("openstack", "corten")
# The lab has a stand-in for Nova that takes events, and nothing else of it.
ABSENT = {
    "openstack flavor": "there is no Nova in the lab",
    "openstack server": "there is no Nova in the lab",
}
# Commands of which the page has the name alone, and another page the rest.
NAMED_ONLY = {"corten ramdisk build": "named without its options; scripts/ramdisk runs it for the leg `machines`"}
KEYSTONE_SECTION = "## Users, roles and endpoints"


def commands(text):
    """Section, and words, of every command of a page."""
    found, section, block = [], "", None
    for line in text.splitlines():
        if line.startswith("```"):
            block = None if block is not None else line[3:]
            continue
        if line.startswith("## "):
            section = line
        if block == "ini":
            continue
        pieces = [line.strip()] if block is not None else re.findall(r"`([^`]+)`", line)
        for piece in pieces:
            if piece.split(" ")[0] in PROGRAMS and " " in piece:
                found.append((section, piece))
    return found


def filled(command, words):
    """The arguments of a command, with the words in capitals replaced."""
    command = command.replace("$(openssl rand -hex 32)", words.get("KEY", "0123456789abcdef"))
    for word, value in sorted(words.items(), key=lambda pair: -len(pair[0])):
        command = re.sub(rf"\b{word}\b", value, command)
    left = re.findall(r"(?<![\w-])[A-Z][A-Z-]{2,}(?![\w-])", command)
    expect(not left, f"{left} in {command!r} stands for something that is not known here")
    return shlex.split(command)


def as_user(url, user, project, region="RegionOne"):
    """The environment of a client."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OS_")}
    return {**clean, "OS_AUTH_URL": url, "OS_USERNAME": user, "OS_PASSWORD": PASSWORD, "OS_PROJECT_NAME": project,
            "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_DOMAIN_ID": "default", "OS_IDENTITY_API_VERSION": "3",
            "OS_REGION_NAME": region, "OS_BAREMETAL_API_VERSION": "1.90"}


def run(arguments, environment, wanted=0):
    """What a command prints."""
    if "--password-prompt" in arguments:
        status, output = at_terminal(arguments, environment)
    else:
        done = subprocess.run(arguments, env=environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300)
        status, output = done.returncode, done.stdout + done.stderr
    shown = " ".join(str(part) for part in arguments)
    expect(status == wanted, f"{shown}: ended with {status}\n{output}")
    return output


def at_terminal(arguments, environment):
    """The same for one that asks a terminal for a password."""
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execvpe(arguments[0], arguments, environment)
    output, answered = "", 0
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:
            read = b""
        if not read:
            break
        output += read.decode(errors="replace")
        asked = len(re.findall("assword:", output))
        while answered < asked:
            os.write(terminal, f"{PASSWORD}\n".encode())
            answered += 1
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


def keystone(client, password, url):
    """The first part, at an empty Keystone. Ends with a login as the service."""
    global PASSWORD
    PASSWORD = password
    words = {"HOST": "127.0.0.1"}
    admin = as_user(url, "admin", "admin")
    count = 0
    for section, command in commands(PAGE.read_text()):
        if section == KEYSTONE_SECTION:
            run([client, *filled(command, words)[1:]], admin)
            print(command, flush=True)
            count += 1
    run([client, "token", "issue"], as_user(url, "ironic", "service"))
    roles = run([client, "role", "assignment", "list", "--user", "ironic", "--project", "service", "--names",
                 "-f", "value", "-c", "Role"], admin).split()
    expect({role.partition("@")[0] for role in roles} == {"admin", "service"}, f"roles: {roles}")
    listed = run([client, "endpoint", "list", "--service", "baremetal", "-f", "value", "-c", "Interface"], admin)
    expect(set(listed.split()) == {"internal", "public"}, f"endpoints: {listed}")
    print(f"{count} commands")


class Documented(Service):
    """A service with the configuration of the page."""

    def __init__(self, lab, program, folder):
        self.images = {}
        super().__init__(lab, program, folder)
        self.port = 16785
        self.url = f"http://127.0.0.1:{self.port}"

    def configure(self, extra=""):
        text = PAGE.read_text()
        block = text[text.index("```ini\n") + 7:]
        block = block[:block.index("```")]
        block = block.replace("http://KEYSTONE:5000", KEYSTONE.removesuffix("/v3")).replace("SECRET", PASSWORD)
        login = block[block.index("[glance]\n") + 9:]
        for section in ("swift", "neutron", "cinder", "nova", "service_catalog"):
            block += f"[{section}]\n{login}"
        networks = "\n".join(f"{name}_network = cleaning" for name in (
            "cleaning", "provisioning", "rescuing", "inspection", "servicing"))
        images = "\n".join(f"{name} = {value}" for name, value in self.images.items())
        folder = self.folder
        block += f"""[neutron]
{networks}
[conductor]
{images}
[deploy]
configdrive_use_object_store = true
http_url = http://127.0.0.1:{self.http}
http_root = {folder}/http
[pxe]
tftp_root = {folder}/tftp
images_path = {folder}/images
tftp_master_path = {folder}/masters
instance_master_path = {folder}/instance-masters
[agent]
require_tls = false
[api]
host_ip = 127.0.0.1
port = 16785
[corten]
data_dir = {folder}/data
networks_allowed = 127.0.0.0/8
http_listen = 127.0.0.1:{self.http}
tftp_listen = 127.0.0.1:{self.tftp}
"""
        (folder / "corten.conf").write_text(block)


class Bmc:
    """A simulated machine behind IPMI, at the usual port of an address of its own."""

    def __init__(self, program):
        command = [program, "sim", "--by-address", "--listen", "127.77.0.1", "--ipmi-port", "623", "--user", "admin",
                   "--format", "json"]
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "CORTEN_SIM_PASSWORD": PASSWORD})
        for line in self.process.stdout:
            if '"machines"' in line:
                return
        raise Failed("the BMC does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)


class Reader:
    """Goes through the page at the lab."""

    def __init__(self, lab, service, program, say):
        self.lab, self.service, self.program, self.say = lab, service, program, say
        self.client = str(lab.folder / "venv/bin/openstack")
        files = service.folder / "files"
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", files / "image.qcow2", "1M"], check=True)
        self.words = {
            "KERNEL": str(files / "kernel"), "INITRAMFS": str(files / "ramdisk"), "IMAGE": str(files / "image.qcow2"),
            "CIDR": "10.91.0.0/24", "BMC": "127.77.0.1", "USER": "admin", "NODE": "m1", "SECRET": PASSWORD, "NETWORK": "cleaning",
            "KEY": "0123456789abcdef0123456789abcdef", "VOLUME": lab.volume(),
            "/etc/ironic/ironic.conf": str(service.folder / "corten.conf"),
        }
        self.ran, self.left_out = [], []

    def all(self):
        page = [command for section, command in commands(PAGE.read_text()) if section != KEYSTONE_SECTION]
        checks = [command for command in page if command.startswith("corten openstack check")]
        expect(checks, "the page does not check")
        for command in page:
            self.one(command, 1 if command in checks else 0)
            if command.startswith("openstack image create") and "deploy-ramdisk" in command:
                self.knows_images()
        # What was missing has been added by the commands of the page.
        self.one(checks[0], 0)

    def one(self, command, wanted):
        reason = next((why for name, why in ABSENT.items() if command.startswith(name)), None)
        reason = reason or NAMED_ONLY.get(command)
        if reason:
            self.left_out.append((command, reason))
            return
        config, words = self.words["/etc/ironic/ironic.conf"], dict(self.words)
        del words["/etc/ironic/ironic.conf"]
        arguments = filled(command.replace("/etc/ironic/ironic.conf", config), words)
        program = {"openstack": self.client, "corten": str(self.program)}[arguments[0]]
        # As the user of [swift], says the page.
        user = ("ironic", "service") if arguments[1:3] == ["object", "store"] else ("admin", "admin")
        environment = as_user(KEYSTONE, *user)
        if arguments[0] == "corten":
            del environment["OS_PROJECT_NAME"]
            environment["OS_SYSTEM_SCOPE"] = "all"
        output = run([program, *arguments[1:]], environment, wanted)
        if wanted and "Missing:" not in output:
            raise Failed(f"{command} finds nothing missing:\n{output}")
        if command.startswith("openstack baremetal node create"):
            self.words["NODE-UUID"] = re.search(r"\| uuid +\| (\S+)", output)[1]
        self.ran.append(command)
        self.say(f"ran {command}")

    def knows_images(self):
        """Their ids go into the configuration, as the page says."""
        for name, image in (("deploy_kernel", "deploy-kernel"), ("deploy_ramdisk", "deploy-ramdisk")):
            found = self.lab.admin.ask("image", "GET", f"/v2/images?name={image}")["images"]
            self.service.images[name] = found[0]["id"]
        self.service.configure()
        self.service.stop()
        self.service.start()


def leg(lab, given, folder, say):
    client = lab.folder / "venv/bin/openstack"
    done = subprocess.run([ROOT / "scripts/with-keystone", sys.executable, __file__, str(client)],
                          capture_output=True, text=True, cwd=ROOT)
    expect(done.returncode == 0, f"at an empty Keystone:\n{done.stdout}\n{done.stderr}")
    for line in done.stdout.splitlines():
        say(f"at an empty Keystone: {line}")
    # What the page adds is not there before.
    old = lab.networks["cleaning"]
    lab.admin.ask("network", "PUT", f"/v2.0/networks/{old}", {"network": {"name": "cleaning-before"}})
    for key in ("", "-2"):
        lab.ironic.ask("object-store", "POST", "", headers={f"X-Remove-Account-Meta-Temp-URL-Key{key}": "x"})
    service = Documented(lab, given.program, folder)
    service.configure()
    reader = Reader(lab, service, given.program, say)
    try:
        with service, Bmc(given.program), Agents(service):
            reader.all()
            node = reader.words["NODE-UUID"]
            state = service.ask("GET", f"/v1/nodes/{node}")["provision_state"]
            expect(state == "available", f"the node is {state} in the end")
            until("the lock", lambda: service.try_to("DELETE", f"/v1/nodes/{node}")[0] == 204)
    finally:
        tidy(lab, reader, old)
    say(f"docs: {len(reader.ran)} commands ran at the lab; not run:")
    for command, reason in reader.left_out:
        say(f"docs:   {command}: {reason}")


def tidy(lab, reader, old):
    # A password that is set anew, though it is the same, ends the tokens of its user.
    lab.ironic.until = 0
    lab.ironic.ask("block-storage", "DELETE", f"/volumes/{reader.words['VOLUME']}")
    for name in ("deploy-kernel", "deploy-ramdisk", "debian"):
        for image in lab.admin.ask("image", "GET", f"/v2/images?name={name}")["images"]:
            lab.admin.ask("image", "DELETE", f"/v2/images/{image['id']}")
    for network in lab.admin.ask("network", "GET", "/v2.0/networks?name=cleaning")["networks"]:
        lab.admin.ask("network", "DELETE", f"/v2.0/networks/{network['id']}")
    lab.admin.ask("network", "PUT", f"/v2.0/networks/{old}", {"network": {"name": "cleaning"}})
    lab.settle()


if __name__ == "__main__":
    keystone(sys.argv[1], os.environ["CORTEN_TEST_KEYSTONE_PASSWORD"], os.environ["CORTEN_TEST_KEYSTONE_URL"])
