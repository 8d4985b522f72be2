"""The program under attack, the peers that it talks to, and requests to it."""
import base64
import hashlib
import http.client
import http.server
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

MIB = 1 << 20
JSON = {"Content-Type": "application/json"}
# What one service may write to: a program that takes more is stopped by the kernel, and not the machine.
MOST_MEMORY = 1536 * MIB
# What instances are installed from.
IMAGE = (b"\xeb\x63\x90".ljust(446, b"\0") + bytes([128, 0, 2, 0, 131, 0, 2, 0, 1, 0, 0, 0, 100, 0, 0, 0])
         + bytes(48) + b"\x55\xaa" + bytes(64 * 1024))
# More than any answer of a debug build takes.
SOON = 60


class Failed(Exception):
    """An attack that worked."""


class Skipped(Exception):
    """An attack that cannot be made on this machine."""


def expect(truth, text):
    if not truth:
        raise Failed(text)


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(type=kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"


def request(port, method, path, body=None, headers=None, timeout=SOON, source=None, host="127.0.0.1"):
    """One request on a connection of its own. Status 0: it was cut off, or nothing came in time."""
    connection = http.client.HTTPConnection(
        host, port, timeout=timeout, source_address=(source, 0) if source else None)
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return Answer(answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read())
    except (OSError, http.client.HTTPException) as error:
        return Answer(0, {}, repr(error).encode())
    finally:
        connection.close()


def raw(port, data, timeout=5, host="127.0.0.1"):
    """What comes back for bytes, until the other side closes or is silent."""
    with socket.create_connection((host, port), timeout=timeout) as s:
        got = b""
        try:
            s.sendall(data)
            while piece := s.recv(65536):
                got += piece
        except OSError:
            pass
        return got


class Service:
    """A running `corten serve` with a data folder of its own."""

    count = 0

    def __init__(self, program, *options, auth="noauth", keystone=None, folder=None, name=None,
                 wait=True, arguments=(), limit=MOST_MEMORY, images=None, files=None):
        Service.count += 1
        self.program, self.images = program, images
        self.name = name or f"service-{Service.count}"
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="corten-attack.")
        self.data = os.path.join(self.folder, "data")
        self.port, self.http, self.tftp = free_port(), free_port(), free_port(socket.SOCK_DGRAM)
        self.files = os.path.join(self.folder, "files")
        os.makedirs(self.files, exist_ok=True)
        for file, size in (("kernel", 64), ("ramdisk", 64), ("grub.efi", 4096), ("shim.efi", 4096)):
            with open(os.path.join(self.files, file), "wb") as out:
                out.write(b"\7" * size)
        self.options = [
            "api.host_ip=127.0.0.1", f"api.port={self.port}", "DEFAULT.my_ip=127.0.0.1",
            "DEFAULT.enabled_hardware_types=fake-hardware,redfish,ipmi",
            "DEFAULT.enabled_boot_interfaces=fake,ipxe,pxe,redfish-virtual-media",
            "DEFAULT.enabled_deploy_interfaces=fake,direct,ramdisk",
            "DEFAULT.enabled_inspect_interfaces=agent,fake,no-inspect",
            "DEFAULT.enabled_management_interfaces=fake,redfish,ipmitool,noop",
            "DEFAULT.enabled_power_interfaces=fake,redfish,ipmitool",
            "DEFAULT.enabled_vendor_interfaces=fake,redfish,ipmitool,no-vendor",
            "conductor.automated_clean=false", "agent.require_tls=false",
            f"conductor.deploy_kernel=file://{self.files}/kernel",
            f"conductor.deploy_ramdisk=file://{self.files}/ramdisk",
            f"conductor.file_url_allowed_paths={self.files}",
            f"corten.http_listen=127.0.0.1:{self.http}", f"deploy.http_url=http://127.0.0.1:{self.http}",
            f"corten.tftp_listen=127.0.0.1:{self.tftp}",
            f"deploy.http_root={self.folder}/http", f"pxe.tftp_root={self.folder}/tftp",
            f"pxe.images_path={self.folder}/images", f"pxe.instance_master_path={self.folder}/masters",
            f"pxe.tftp_master_path={self.folder}/tftp-masters",
            f"corten.grub_by_arch=x86_64:{self.files}/grub.efi",
            f"corten.shim_by_arch=x86_64:{self.files}/shim.efi",
            f"DEFAULT.auth_strategy={auth}",
        ]
        self.headers = {}
        if auth == "http_basic":
            users = os.path.join(self.folder, "users")
            if not os.path.exists(users):
                with open(users, "w") as out:
                    # The password is "secret".
                    out.write("ada:$2y$05$e2yHPeYLV/ZFy.xwnNeB7upiIFBStiHXuvOysZFEBGYFc2p48ZNj.\n")
            self.options.append(f"DEFAULT.http_basic_auth_user_file={users}")
            self.headers["Authorization"] = "Basic " + base64.b64encode(b"ada:secret").decode()
        if keystone:
            self.options += [
                f"keystone_authtoken.auth_url={keystone.url}", "keystone_authtoken.auth_type=password",
                "keystone_authtoken.username=ironic", "keystone_authtoken.password=service",
                "keystone_authtoken.user_domain_name=Default",
                "keystone_authtoken.project_name=service", "keystone_authtoken.project_domain_name=Default",
            ]
        self.options += options
        self.arguments, self.limit, self.most_files = list(arguments), limit, files
        self.process = None
        self.start(wait)

    def command(self, *words):
        command = [self.program, *words, "--data-dir", self.data, *self.arguments]
        for option in self.options:
            command += ["--set", option]
        return command

    def start(self, wait=True):
        log = open(self.log_path, "ab")

        def limits():
            resource.setrlimit(resource.RLIMIT_DATA, (self.limit, self.limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.most_files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.most_files, self.most_files))

        self.process = subprocess.Popen(self.command("serve"), stdout=log, stderr=log,
                                        stdin=subprocess.DEVNULL, preexec_fn=limits)
        log.close()
        if wait:
            until = time.monotonic() + SOON
            while self.request("GET", "/v1/", timeout=5).status != 200:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"{self.name} does not start:\n{self.log()[-2000:]}")
                time.sleep(0.05)

    @property
    def log_path(self):
        return os.path.join(self.folder, "log")

    def log(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    def request(self, method, path, body=None, headers=None, **more):
        return request(self.port, method, path, body, headers, **more)

    def ask(self, method, path, body=None, token=None, version="1.95", headers=None, **more):
        """A request as a client of this service makes it."""
        all_headers = {**JSON, **self.headers, "X-OpenStack-Ironic-API-Version": version}
        if token:
            all_headers["X-Auth-Token"] = token
        return self.request(method, path, body, {**all_headers, **(headers or {})}, **more)

    def anonymous(self, method, path, body=None, headers=None, version="1.95", **more):
        """The same, without credentials."""
        both = {**JSON, "X-OpenStack-Ironic-API-Version": version, **(headers or {})}
        return self.request(method, path, body, both, **more)

    def node(self, token=None, name=None, driver="fake-hardware", mac=None, **fields):
        body = {"driver": driver, **fields}
        if name:
            body["name"] = name
        made = self.ask("POST", "/v1/nodes", body, token=token)
        if made.status != 201:
            raise RuntimeError(f"a node cannot be enrolled: {made}")
        node = made.json()["uuid"]
        if mac:
            port = self.ask("POST", "/v1/ports", {"node_uuid": node, "address": mac}, token=token)
            if port.status != 201:
                raise RuntimeError(f"a port cannot be made: {port}")
        return node

    def show(self, node, token=None):
        return self.ask("GET", f"/v1/nodes/{node}", token=token).json()

    def patch(self, node, *changes, token=None):
        body = [{"op": op, "path": path, "value": value} for op, path, value in changes]
        return self.ask("PATCH", f"/v1/nodes/{node}", body, token=token)

    def provision(self, node, target, states, token=None, seconds=SOON, **more):
        asked = self.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": target, **more}, token=token)
        if asked.status != 202:
            raise RuntimeError(f"{target} is refused: {asked}")
        return self.reaches(node, states, token, seconds)

    def reaches(self, node, states, token=None, seconds=SOON):
        until = time.monotonic() + seconds
        found = {}
        failed = {"deploy failed", "clean failed", "inspect failed", "error"} - set(states)
        while time.monotonic() < until:
            answer = self.ask("GET", f"/v1/nodes/{node}", token=token, timeout=10)
            if answer.status == 200:
                found = answer.json()
                if found["provision_state"] in states and not found.get("reservation"):
                    return found
                if found["provision_state"] in failed:
                    break
            elif self.process.poll() is not None:
                raise Failed("the process has ended")
            time.sleep(0.1)
        raise RuntimeError(f"{node} does not come to {states}: it is {found.get('provision_state')}, {found.get('last_error')}")

    def available(self, token=None, **fields):
        node = self.node(token=token, **fields)
        self.provision(node, "manage", ["manageable"], token)
        self.provision(node, "provide", ["available"], token)
        return node

    def name_image(self, node, token=None, user="", **more):
        """Gives a node something to deploy."""
        digest = hashlib.sha256(IMAGE).hexdigest()
        changed = self.patch(node, ("add", "/instance_info", {
            "image_source": self.images.url.replace("//", "//" + user) + "/image.raw", "image_checksum": digest,
            "image_os_hash_algo": "sha256", "image_os_hash_value": digest, "image_disk_format": "raw",
            "root_gb": 1, **more}), token=token)
        if changed.status != 200:
            raise RuntimeError(f"an image cannot be named: {changed}")

    def waits_for_agent(self, mac, token=None, **fields):
        """A node whose deployment waits for the first call of its agent."""
        node = self.available(token=token, mac=mac, deploy_interface="direct", **{
            "boot_interface": "fake", "driver_info": {"fake_boots_ramdisks": True}, **fields})
        self.name_image(node, token, user="user:hidden-in-url@")
        self.provision(node, "active", ["wait call-back"], token)
        return node

    def memory(self, what):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024
        raise Failed("the process has ended")

    def rises(self, act):
        """By how many bytes the peak of the process is above what it had before."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as refs:
            refs.write("5")
        before = self.memory("VmRSS")
        answer = act()
        if self.process.poll() is not None:
            raise Failed(f"the process ended ({self.process.returncode})")
        return max(0, self.memory("VmHWM") - before), answer

    def is_alive(self, timeout=10):
        return self.request("GET", "/v1/", timeout=timeout).status == 200

    def run(self, *words, timeout=SOON):
        """Another command with the same data."""
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL)

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def close(self):
        self.stop()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Peer:
    """An HTTP server of the attacker's; `answer(handler)` says what it does."""

    def __init__(self, answer, host="127.0.0.1"):
        seen = self.seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def serve(self):
                size = int(self.headers.get("Content-Length") or 0)
                self.content = self.rfile.read(size)
                seen.append((self.command, self.path, dict(self.headers), self.content))
                try:
                    answer(self)
                except OSError:
                    self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PATCH = do_PUT = do_DELETE = serve

            def give(self, status, body=b"", headers=()):
                if not isinstance(body, bytes):
                    body = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self.server = Server((host, 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Keystone(Peer):
    """As much of Keystone as the service asks: it knows these tokens and nothing else."""

    PROJECTS = {"owner": "a" * 32, "lessee": "b" * 32, "stranger": "c" * 32, "service": "d" * 32}
    # The first letter of a token is whose project it is for, the second the role there.
    TOKENS = {"SA": (None, "admin"), "SR": (None, "reader"), "NO": ("owner", None)}
    for letter, project in (("O", "owner"), ("L", "lessee"), ("X", "stranger")):
        for kind, role in (("A", "admin"), ("M", "member"), ("R", "reader")):
            TOKENS[letter + kind] = (project, role)

    def __init__(self):
        super().__init__(self.answer)

    @classmethod
    def token(cls, name):
        return f"token-{name}"

    def answer(self, handler):
        if handler.path.rstrip("/") in ("", "/v3"):
            version = {"id": "v3.14", "status": "stable",
                       "links": [{"rel": "self", "href": f"{self.url}/v3/"}]}
            return handler.give(200, {"version": version, "versions": {"values": [version]}})
        if handler.command == "POST":
            return handler.give(201, self.document("service", "service", "ironic"),
                                [("X-Subject-Token", "service-token")])
        subject = handler.headers.get("X-Subject-Token") or ""
        name = subject.removeprefix("token-")
        if name not in self.TOKENS or subject != self.token(name):
            return handler.give(404, {"error": {"code": 404, "message": "no such token", "title": "Not Found"}})
        project, role = self.TOKENS[name]
        handler.give(200, self.document(project, role, name), [("X-Subject-Token", f"token-{name}")])

    def document(self, project, role, user):
        implied = {"admin": ["admin", "member", "reader"], "member": ["member", "reader"], None: []}
        roles = implied.get(role, [role])
        domain = {"id": "default", "name": "Default"}
        token = {
            "methods": ["password"], "audit_ids": ["audit"], "issued_at": "2020-01-01T00:00:00.000000Z",
            "expires_at": "2099-01-01T00:00:00.000000Z",
            "user": {"id": user.lower() * 4, "name": user, "domain": domain, "password_expires_at": None},
            "roles": [{"id": role, "name": role} for role in roles],
            "catalog": [],
        }
        if project:
            token["project"] = {"id": self.PROJECTS[project], "name": project, "domain": domain}
        else:
            token["system"] = {"all": True}
        return {"token": token}


def dense(size, unit=b"[0],"):
    """JSON whose values take the most memory for its size."""
    return b"[" + unit * (size // len(unit)) + b"0]"
