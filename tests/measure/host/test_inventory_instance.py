"""The type of an instance is what its own cloud tells, by a service that answers as the clouds' manuals say."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from coldcache.measure.host.inventory import name_instance

ANSWERS = {
    ("/metadata/instance/compute/vmSize?api-version=2021-02-01&format=text", "Metadata", "true"): "Standard_D16s_v5",
    ("/computeMetadata/v1/instance/machine-type", "Metadata-Flavor", "Google"): (
        "projects/123/machineTypes/n2-standard-8"
    ),
}


class Service(BaseHTTPRequestHandler):
    """Answers what is asked with the right header, and refuses everything else."""

    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path)
        text = next((told for (path, key, value), told in ANSWERS.items()
                     if path == self.path and self.headers[key] == value), None)  # fmt: skip
        self.send_response(200 if text else 403)
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    Service.asked = []
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("vendor", "product", "expected"),
    [
        ("Microsoft Corporation", "Virtual Machine", "Standard_D16s_v5"),
        ("Google", "Google Compute Engine", "n2-standard-8"),
        ("Amazon EC2", "m5n.24xlarge", "m5n.24xlarge"),
    ],
)
def test_a_cloud_tells_the_type_of_its_instance(address, vendor, product, expected):
    assert name_instance(vendor, product, address) == expected


def test_a_machine_of_nobody_elses_asks_nobody(address):
    assert name_instance("Dell Inc.", "PowerEdge R740", address) == "PowerEdge R740"
    assert Service.asked == []


def test_a_service_that_refuses_or_is_not_there_leaves_the_product(address, monkeypatch):
    monkeypatch.setitem(ANSWERS, ("/computeMetadata/v1/instance/machine-type", "Metadata-Flavor", "Google"), None)
    assert name_instance("Google", "Google Compute Engine", address) == "Google Compute Engine"
    assert name_instance("Google", "Google Compute Engine", "http://127.0.0.1:9") == "Google Compute Engine"
