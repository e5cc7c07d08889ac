"""JSON Web Tokens (HS256) that prove knowledge of the shared secret without sending it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

LIFETIME_SECONDS = 300
MIN_SECRET_CHARACTERS = 16
_HEADER = b'{"alg":"HS256","typ":"JWT"}'


def _base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def issue(secret: str, subject: str, now_seconds: int) -> str:
    """A token for a subject (the name of the caller, for logs), valid for five minutes."""
    claims = json.dumps(
        {"sub": subject, "iat": now_seconds, "exp": now_seconds + LIFETIME_SECONDS},
        separators=(",", ":"),
        ensure_ascii=False,
    )
    signed = _base64url(_HEADER) + b"." + _base64url(claims.encode("utf-8"))
    key = hashlib.sha256(secret.encode("utf-8")).digest()
    signature = hmac.new(key, signed, hashlib.sha256).digest()
    return (signed + b"." + _base64url(signature)).decode("ascii")
