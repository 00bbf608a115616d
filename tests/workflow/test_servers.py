"""Servers that stall, stop short, refuse or lie: the download says so, and a rerun ends right.

Git's own HTTP server answers on this machine alone, through a proxy that misbehaves on request.
"""

import contextlib
import os
import shutil
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from breakeven import fetch
from breakeven.errors import BreakevenError
from tests.conftest import git

pytestmark = pytest.mark.workflow

FOLDERS = ("{submitter}/results/",)
PATHS = [f"Sub/results/sys/bert/result_{i}.txt" for i in range(5)]
PROGRAMS = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout
BACKEND = Path(PROGRAMS.strip()) / "git-http-backend"


class Server(ThreadingHTTPServer):
    """Serves one repository; ``fault`` says how the answers that carry objects go wrong."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.fault, self.stopping = folder, None, threading.Event()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        self.answer(self.body())

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def answer(self, body):
        path, _, query = self.path.partition("?")
        variables = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }  # fmt: skip
        done = subprocess.run([BACKEND], input=body, env=variables, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fault = self.server.fault if b"PACK" in content or self.server.fault == "refuses" else None
        self.send_response(503 if fault == "refuses" else 200)
        for line in head.decode().splitlines():
            name, _, value = line.partition(": ")
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault == "flips a bit":
            place = content.index(b"PACK") + 30
            content = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        if fault in ("stops short", "stalls"):
            content = content[: len(content) // 2]
        with contextlib.suppress(OSError):
            self.wfile.write(content)
            self.wfile.flush()
        if fault == "stalls":
            self.server.stopping.wait(60)
        self.close_connection = True


@pytest.fixture
def server(upstream):
    if not BACKEND.is_file():
        pytest.skip("needs git-http-backend, which this git does not have")
    for path in PATHS:
        upstream.write(path, f"the log {path} " * 200)
    with Server(upstream.folder.parent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        server.commit = upstream.commit()
        server.url = f"http://127.0.0.1:{server.server_port}/{upstream.folder.name}"
        yield server
        server.stopping.set()
        server.shutdown()


def download(server, folder):
    folder.mkdir(exist_ok=True)
    return fetch.download(
        server.url, server.commit, FOLDERS, folder / "v9.9", folder / "v9.9.tsv", lambda line: None
    )


def is_right(entries, folder, upstream):
    assert [(entry.path, entry.state) for entry in entries] == [(path, "present") for path in PATHS]
    for path in PATHS:
        assert (folder / "v9.9" / path).read_bytes() == (upstream.folder / path).read_bytes()
    assert not (folder / ".partial").exists()


@pytest.mark.parametrize("fault", ["stalls", "stops short", "refuses", "flips a bit"])
def test_a_server_that_misbehaves_is_named_and_a_rerun_ends_right(
    server, upstream, tmp_path, monkeypatch, fault
):
    monkeypatch.setattr(fetch, "TRIES", 1)
    monkeypatch.setenv("GIT_HTTP_LOW_SPEED_TIME", "2")
    server.fault = fault
    start = time.monotonic()
    with pytest.raises(BreakevenError) as caught:
        download(server, tmp_path / "raw")
    assert time.monotonic() - start < 30
    assert server.url in str(caught.value)
    assert "run the same command again" in str(caught.value)
    assert not (tmp_path / "raw/v9.9").exists()
    assert not (tmp_path / "raw/v9.9.tsv").exists()
    server.fault = None
    is_right(download(server, tmp_path / "raw"), tmp_path / "raw", upstream)


def test_a_server_that_recovers_in_time_is_asked_again(server, upstream, tmp_path, monkeypatch):
    server.fault = "refuses"
    monkeypatch.setattr(fetch.time, "sleep", lambda _: setattr(server, "fault", None))
    is_right(download(server, tmp_path / "raw"), tmp_path / "raw", upstream)


def test_an_object_with_another_content_is_never_taken(server, upstream, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "TRIES", 1)
    objects = upstream.folder / ".git/objects"

    def file_of(path):
        blob = git("rev-parse", f"HEAD:{path}", folder=upstream.folder)
        return objects / blob[:2] / blob[2:]

    honest = file_of(PATHS[1])
    kept = honest.read_bytes()
    honest.unlink()
    shutil.copy(file_of(PATHS[2]), honest)
    with pytest.raises(BreakevenError, match="run the same command again"):
        download(server, tmp_path / "raw")
    assert not (tmp_path / "raw/v9.9").exists()
    honest.chmod(0o644)
    honest.write_bytes(kept)
    is_right(download(server, tmp_path / "raw"), tmp_path / "raw", upstream)


@pytest.mark.parametrize("left", ["config.lock", "shallow.lock", "no objects", "no refs", "junk"])
def test_what_a_killed_git_left_is_no_trouble(server, upstream, tmp_path, left):
    folder = tmp_path / "raw/.partial/v9.9.git"
    repository = fetch.Git(folder, server.url, server.commit)
    repository.prepare()
    if left.startswith("no "):
        shutil.rmtree(folder / left.removeprefix("no "))
    elif left == "junk":
        (folder / "config").write_bytes(b"[core\n")
    else:
        (folder / left).touch()
    is_right(download(server, tmp_path / "raw"), tmp_path / "raw", upstream)
