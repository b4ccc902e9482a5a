"""Serves Chromium's web_tests on loopback with wptserve, until standard input closes.

    python3 serve.py WEB_TESTS FOLDER

FOLDER has key.pem and cert.pem. Prints the two https ports and the http port as a line of JSON once it listens.
"""

import json
import logging
import os
import sys
import uuid

from wptserve import config, handlers, server, stash

HERE = os.path.dirname(os.path.abspath(__file__))
WELL_KNOWN = "/.well-known/attribution-reporting/*"
SUBDOMAINS = {"www", "www1", "www2"}


@handlers.handler
def vendor_script(request, response):
    """Answers with our testdriver-vendor.js, which lets the runner click."""
    with open(os.path.join(HERE, "testdriver-vendor.js"), "rb") as script:
        return [("Content-Type", "text/javascript")], script.read()


def routes(web_tests):
    def below(folder, url, handler):
        return handler(base_path=os.path.join(web_tests, folder), url_base=url)

    wpt = os.path.join("external", "wpt")
    return [
        ("GET", "/resources/testdriver-vendor.js", vendor_script),
        ("*", "/wpt_internal/*.py", below("wpt_internal", "/wpt_internal/", handlers.PythonScriptHandler)),
        ("GET", "/wpt_internal/*", below("wpt_internal", "/wpt_internal/", handlers.FileHandler)),
        ("*", WELL_KNOWN, below(wpt, "/", handlers.PythonScriptHandler)),
        ("*", "*.py", below(wpt, "/", handlers.PythonScriptHandler)),
        ("GET", "*", below(wpt, "/", handlers.FileHandler)),
    ]


def main():
    # A handler of the tests fails in each of them, and no test minds.
    logging.disable(logging.CRITICAL)
    web_tests, folder = (os.path.abspath(path) for path in sys.argv[1:])
    doc_root = os.path.join(web_tests, "external", "wpt")
    # The handlers of the reports import their module by the name of its folder.
    sys.path.insert(0, doc_root)
    key, certificate = (os.path.join(folder, name) for name in ("key.pem", "cert.pem"))
    builder = config.ConfigBuilder(
        logging.getLogger("wptserve"),
        subdomains=SUBDOMAINS,
        not_subdomains={"nonexistent"},
        browser_host="web-platform.test",
        alternate_hosts={"alt": "not-web-platform.test"},
        doc_root=doc_root,
        server_host="127.0.0.1",
        ports={"https": ["auto", "auto"], "http": ["auto", "auto"]},
        ssl={"type": "pregenerated", "pregenerated": {"host_key_path": key, "host_cert_path": certificate}},
    )
    with builder as settings, stash.StashServer(authkey=str(uuid.uuid4())):
        for scheme in ("https", "http"):
            for port in settings.ports[scheme]:
                server.WebTestHttpd(
                    host="127.0.0.1",
                    port=port,
                    use_ssl=scheme == "https",
                    key_file=key,
                    certificate=certificate,
                    doc_root=doc_root,
                    routes=routes(web_tests),
                    config=settings,
                ).start()
        print(json.dumps({"https": settings.ports["https"], "http": settings.ports["http"]}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
    # The servers run in threads that would keep the process.
    os._exit(0)
