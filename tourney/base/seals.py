"""The seal of a JSON object in a file: a hash that shows damage, as its last member. Whoever means to can renew it."""

from hashlib import blake2b

_SEAL = b',"seal":"%b"}'
_LENGTH = len(_SEAL % (b"0" * 16))


def sealed(body: bytes) -> bytes:
    """Returns a JSON object, which has members, with its seal."""
    return body[:-1] + _SEAL % _hash(body)


def unsealed(text: bytes) -> bytes | None:
    """Returns the JSON object without its seal; None if the seal does not hold, or there is none."""
    body = text[:-_LENGTH] + b"}"
    return body if text == sealed(body) else None


def _hash(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).hexdigest().encode()
