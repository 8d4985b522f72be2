"""Whether what watches over the legs can fail: on a cloud that is made up, before a real one is asked."""
import pathlib
import tempfile
import threading

from cloud import Failed, Lab, Watch, expect

PLUG = "fake [switch] plug port {} to network {}\n"


class MadeUp(Lab):
    """Ports as they are given, and a switch that writes what it is given."""

    def __init__(self, folder, *looks):
        self.folder, self.looks, self.done = pathlib.Path(folder), list(looks), threading.Event()
        (self.folder / "log").mkdir(exist_ok=True)
        self.switch_log().write_text("")

    def ports(self):
        if len(self.looks) == 1:
            self.done.set()
        look = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        if isinstance(look, Exception):
            raise look
        return look


def port(mac, network, kind="other"):
    return {"mac_address": mac, "network_id": network, "binding:host_id": "node", "binding:vif_type": kind}


def verdict(commands, *looks, plugs=True):
    with tempfile.TemporaryDirectory() as folder:
        lab = MadeUp(folder, *looks)
        watch = Watch(lab, plugs)
        lab.switch_log().write_text("".join(PLUG.format(*command) for command in commands))
        lab.done.wait()
        try:
            watch.stop()
        except Failed as failure:
            return str(failure)
        return None


def leftover(**port):
    """Whether such a port counts as left over."""
    lab = MadeUp.__new__(MadeUp)
    lab.looks, lab.done, lab.ironic = [[port]], threading.Event(), Nothing()
    return bool(lab.remainders())


class Nothing:
    """A cloud without volumes and objects."""

    def ask(self, service, _method, _path):
        return {"volumes": []} if service == "block-storage" else []


def check():
    for expected, owner, device, host in (
        (True, "baremetal:none", "node", "node"),
        (True, "", "node", ""),
        (True, "", "", "node"),
        (False, "", "", ""),
        (False, "network:dhcp", "dhcp-of-the-network", ""),
        (False, "compute:nova", "server", ""),
    ):
        found = leftover(id="p", device_owner=owner, device_id=device, **{"binding:host_id": host})
        expect(found == expected, f"a port of {owner!r}, device {device!r}, host {host!r} is judged wrongly")
    one, good = port("a", "1"), [("p", "7")]
    expect(verdict(good, [one]) is None, "a machine on one network is taken for wrong")
    expect(verdict([], [], plugs=False) is None, "machines without networks are taken for wrong")
    expect(verdict(good, [one, port("a", "2", "unbound")]) is None, "a port that is not bound counts")
    for text, commands, *looks in (
        ("bound to two networks", good, [one, port("a", "2")], [one]),
        ("two networks on a port", good + [("p", "8")], [one]),
        ("nobody looked", good, [one], [{}]),
        ("could be looked at", good, OSError("away")),
        ("no machine was seen", good, []),
        ("no command", [], [one]),
    ):
        found = verdict(commands, *looks)
        expect(found and text in found, f"the watch does not fail with {text!r}: {found}")
