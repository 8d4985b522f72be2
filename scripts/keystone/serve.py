"""Serve Keystone's API on loopback, for tests.

usage: serve.py PORT PORT_FILE

Port 0 takes any free one. The port is written to PORT_FILE once requests are
taken. The configuration is where OS_KEYSTONE_CONFIG_FILES says.
"""
import os
import sys
import threading

from werkzeug.serving import WSGIRequestHandler, make_server


class Handler(WSGIRequestHandler):
    """Keeps connections open, and quiet."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def main():
    port, port_file = int(sys.argv[1]), sys.argv[2]
    # Keystone reads the command line too, and must not see ours.
    sys.argv = sys.argv[:1]
    from keystone.wsgi.api import application

    lock = threading.Lock()

    def one_at_a_time(environ, start_response):
        # On SQLite, with its cache in a dictionary, Keystone stumbles over
        # itself. Connections may still be many.
        with lock:
            return list(application(environ, start_response))

    server = make_server("127.0.0.1", port, one_at_a_time, threaded=True,
                         request_handler=Handler)
    # Whoever waits for the file must not see half of it.
    with open(port_file + ".new", "w") as file:
        file.write(str(server.port))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


main()
