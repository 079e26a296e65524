"""A cluster whose processes prove by certificates who they are."""

import shutil
import subprocess

import pytest

from tests.cli.runs import journal
from tests.conftest import tournament_text
from tests.runner.cluster.dask_processes import run, scheduler, workers

TLS = "DASK_DISTRIBUTED__COMM__TLS__"


def certificates(folder):
    """Makes a certificate that is its own authority, and returns the settings of dask that name it."""
    key, certificate = folder / "me-key.pem", folder / "me.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    more = ["-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*command, *more, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    roles = [(f"{TLS}{role}__CERT", f"{TLS}{role}__KEY") for role in ("SCHEDULER", "WORKER", "CLIENT")]
    pairs = [pair for cert_name, key_name in roles for pair in ((cert_name, str(certificate)), (key_name, str(key)))]
    return {f"{TLS}CA_FILE": str(certificate), **dict(pairs)}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl program to make certificates")
def test_a_run_by_tls_writes_the_same_bytes_and_without_a_certificate_it_is_refused(tmp_path):
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1"))
    tls = certificates(tmp_path)
    with scheduler(tmp_path, protocol="tls", **tls) as (address, _), workers(tmp_path, address, 1, **tls):
        run(tmp_path, "t.toml", "--out", "there", "--cluster", address, **tls)
        stranger = run(tmp_path, "t.toml", "--out", "not", "--cluster", address, code=2)
    run(tmp_path, "t.toml", "--out", "here")
    assert journal(tmp_path / "there") == journal(tmp_path / "here")
    assert stranger.stderr.startswith(f"tourney: {address}: no certificates are configured; set {TLS}CA_FILE")
