"""The seals of the lines that stand beside a journal: those of an analysis, and of notes."""

from hashlib import blake2b

_SEAL = b',"seal":"%b"}'
_SEAL_LENGTH = len(_SEAL % (b"0" * 16))


def sealed(body: bytes) -> bytes:
    """Appends to a JSON object a hash that shows damage, as its last member."""
    return body[:-1] + _SEAL % blake2b(body, digest_size=8).hexdigest().encode()


def unsealed(text: bytes) -> bytes | None:
    """The JSON object without its seal; None if the seal does not hold, or there is none."""
    body = text[:-_SEAL_LENGTH] + b"}"
    return body if text == sealed(body) else None
