"""A cluster whose processes prove by certificates who they are."""

import socket
import ssl

import psutil
import pytest
from distributed import Security

from tests.cli.runs import journal
from tests.conftest import tournament_text
from tests.runner.cluster.dask_processes import run, scheduler, workers
from tourney.runner.cluster.scheduler import local_cluster

TLS = "DASK_DISTRIBUTED__COMM__TLS__"


def certificates(folder):
    """Makes a certificate that is its own authority, and returns the settings of dask that name it."""
    key, certificate, made = folder / "me-key.pem", folder / "me.pem", Security.temporary()
    key.write_text(made.tls_client_key)
    certificate.write_text(made.tls_client_cert)
    roles = [(f"{TLS}{role}__CERT", f"{TLS}{role}__KEY") for role in ("SCHEDULER", "WORKER", "CLIENT")]
    pairs = [pair for cert_name, key_name in roles for pair in ((cert_name, str(certificate)), (key_name, str(key)))]
    return {f"{TLS}CA_FILE": str(certificate), **dict(pairs)}


@pytest.mark.slow
def test_a_run_by_tls_writes_the_same_bytes_and_without_a_certificate_it_is_refused(tmp_path):
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1"))
    tls = certificates(tmp_path)
    with scheduler(tmp_path, protocol="tls", **tls) as (address, _), workers(tmp_path, address, 1, **tls):
        run(tmp_path, "t.toml", "--out", "there", "--workers", address, **tls)
        stranger = run(tmp_path, "t.toml", "--out", "not", "--workers", address, code=2)
    run(tmp_path, "t.toml", "--out", "here")
    assert journal(tmp_path / "there") == journal(tmp_path / "here")
    assert stranger.stderr.startswith(f"tourney: {address}: no certificates configured; set {TLS}CA_FILE")


def test_a_local_cluster_answers_nobody_else_on_the_machine():
    def answer(host: tuple[str, int], context: ssl.SSLContext | None) -> bytes:
        try:
            with socket.create_connection(host, timeout=200) as plain:
                stream = context.wrap_socket(plain) if context else plain
                stream.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
                return b"".join(iter(lambda: stream.recv(1 << 16), b""))
        except (ssl.SSLError, ConnectionError):
            return b""

    stranger = Security.temporary().get_connection_args("client")["ssl_context"]
    stranger.verify_mode = ssl.CERT_NONE
    before = set(psutil.Process().children())
    with local_cluster(1) as (address, _):
        (ours,) = set(psutil.Process().children()) - before
        found = [each for process in (ours, *ours.children(recursive=True)) for each in process.net_connections("tcp")]
        hosts = {tuple(each.laddr) for each in found if each.status == psutil.CONN_LISTEN}
        assert address in ["tls://{}:{}".format(*host) for host in hosts]
        for host in hosts:
            if not answer(host, None).startswith(b"HTTP/1.1 404"):
                assert answer(host, None)[:2] in (b"", b"\x15\x03"), "at most an alert of TLS"
                assert answer(host, stranger) == b""
