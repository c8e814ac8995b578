"""What a server answers at its socket is read whole."""

import json
import socket
import struct
import threading

import pytest

from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.monitor import ask_server


@pytest.fixture
def answering(tmp_path):
    """Answer one request at a socket in some pieces, and return the socket's path."""

    def start(*pieces):
        path = tmp_path / "mds.m0.asok"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()

        def answer():
            with listener, listener.accept()[0] as line:
                asked = b""
                while not asked.endswith(b"\0"):
                    asked += line.recv(100)
                for piece in pieces:
                    line.sendall(piece)
                    pauses.wait(0.05)

        pauses = threading.Event()
        threading.Thread(target=answer, daemon=True).start()
        return path

    return start


def test_an_answer_in_many_pieces_is_read_to_its_end(answering):
    whole = [{"ino": number, "mode": 16832} for number in range(20_000)]
    text = json.dumps(whole).encode()
    head = struct.pack("!I", len(text))
    path = answering(head[:2], head[2:] + text[:36_540], text[36_540:400_000], text[400_000:])
    assert ask_server(path, "dump tree") == whole


def test_an_answer_that_ends_early_is_no_answer(answering):
    path = answering(struct.pack("!I", 100) + b'[{"ino": 1')
    with pytest.raises(ModelError, match=r"^mds\.m0 does not answer at .*mds\.m0\.asok: "):
        ask_server(path, "dump tree")


def test_a_server_that_is_not_there_does_not_answer(tmp_path):
    with pytest.raises(ModelError, match=r"^mds\.m1 does not answer at .*: \[Errno 2\] No such file"):
        ask_server(tmp_path / "mds.m1.asok", "status")
