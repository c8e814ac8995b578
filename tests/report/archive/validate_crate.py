"""Print what the validator of RO-Crates has against an archive, a line each: validate_crate.py ARCHIVE CONTEXT.

Runs in the validator's own environment (envs/rocrate.sh) and asks no network: whatever address the validator fetches,
it gets CONTEXT, the JSON-LD context of RO-Crate 1.1.
"""

import io
import sys
from pathlib import Path

import requests
from requests.adapters import BaseAdapter
from rocrate_validator import services


class OneAnswer(BaseAdapter):
    """Answers every request with the same JSON-LD."""

    def send(self, request, **_):
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer.raw, answer.headers["Content-Type"] = io.BytesIO(Path(sys.argv[2]).read_bytes()), "application/ld+json"
        return answer

    def close(self):
        pass


requests.sessions.HTTPAdapter = OneAnswer
found = services.validate(services.ValidationSettings(
    rocrate_uri=sys.argv[1], profile_identifier="workflow-run-crate-0.5", requirement_severity="REQUIRED",
    no_cache=True,
))  # fmt: skip
for issue in found.get_issues():
    print(f"{issue.check.identifier}: {issue.message}")
