"""The certificate that HTTPS is served with: the user's own, or one that is made here and kept.

The one made here signs itself and is no authority: whoever comes to trust it trusts this daemon and nothing
else. It is RSA, because the TLS of mono (Unity's editor, some players) cannot check elliptic-curve chains.
Its key outlives renewals, so a client that pinned the key need not be told of them.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import ipaddress
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from arwarden.core.errors import ConfigError
from arwarden.web.addresses import is_address

KEY_BITS = 2048
VALID = dt.timedelta(days=397)
"""The longest that browsers take from public authorities; some apply it to all."""
RENEW_BEFORE = dt.timedelta(days=30)
CLOCKS_APART = dt.timedelta(days=1)
"""A headset whose clock is behind must not find the certificate to be of tomorrow."""
MAX_NAMES = 64
_CERTIFICATE, _KEY = "server.pem", "server.key"
_MAX_CN_CHARS = 64


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """A certificate with its key, both in files, and what a person or a client needs to know of it."""

    certificate: Path
    key: Path
    sha256: str
    """Fingerprint of the certificate, ``AB:CD:…``, as browsers and ``openssl x509 -fingerprint`` show it."""
    key_pin: str
    """SHA-256 of the public key (SubjectPublicKeyInfo), base64 as in RFC 7469; renewals leave it as it is."""
    names: tuple[str, ...]
    not_before: dt.datetime
    not_after: dt.datetime

    def covers(self, name: str) -> bool:
        """Whether the certificate is for this host name or address; a wildcard stands for one level."""
        name = name.rstrip(".").lower()
        _, _, parent = name.partition(".")
        return name in self.names or (bool(parent) and not is_address(name) and f"*.{parent}" in self.names)


def read_certificate(certificate: Path, key: Path, now: dt.datetime) -> ServerCertificate:
    """The user's own pair, checked as far as it can be without a client.

    Raises:
        ConfigError: a file cannot be read or is of another kind, the two do not belong together, or the
            certificate is out of date. The text names the file and the fix.
    """
    try:
        found = _read_pair(certificate, key)
    except _Unusable as error:
        raise _refusal(str(error)) from error
    if now > found.not_after:
        raise _refusal(
            f"{certificate} expired on {found.not_after:%Y-%m-%d}; renew it, or use server.tls: auto"
        )
    if now < found.not_before:
        raise _refusal(
            f"{certificate} is valid from {found.not_before:%Y-%m-%d} on; is this machine's clock right?"
        )
    return found


def ensure_certificate(folder: Path, names: Sequence[str], now: dt.datetime) -> ServerCertificate:
    """The certificate in ``folder`` for all ``names``; made, or renewed under the same key, where needed.

    Raises ConfigError where the folder cannot be used or holds a key that is damaged.
    """
    certificate, key_file = folder / _CERTIFICATE, folder / _KEY
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if key_file.exists():
            key_file.chmod(0o600)
        known = _usable(certificate, key_file)
        if known is not None and _good_for(known, names, now):
            return known
        key = _load_key(key_file) if key_file.exists() else _new_key(key_file)
        kept = () if known is None else known.names
        _write(certificate, _sign(key, [*names, *kept], now).public_bytes(serialization.Encoding.PEM))
        return _read_pair(certificate, key_file)
    except OSError as error:
        problem = (
            f"server.tls: auto keeps its certificate in {folder}, which fails: {error.strerror or error}; "
        )
        fix = "make it writable, or name another folder in server.state_folder"
        raise ConfigError("configuration", [problem + fix]) from error
    except _Unusable as error:
        raise _damaged(error, folder) from error


def known_certificate(folder: Path) -> ServerCertificate | None:
    """What ``ensure_certificate`` has made in ``folder``; None where it would make one at the next start.

    Raises ConfigError where it would not, since the key is damaged.
    """
    try:
        return _usable(folder / _CERTIFICATE, folder / _KEY)
    except _Unusable as error:
        raise _damaged(error, folder) from error


def _good_for(known: ServerCertificate, names: Sequence[str], now: dt.datetime) -> bool:
    in_time = known.not_before <= now <= known.not_after - RENEW_BEFORE
    return in_time and all(name in known.names for name in _unique(names))


class _Unusable(Exception):
    """A file is not what it should be; says which and why."""


def _refusal(problem: str) -> ConfigError:
    return ConfigError("configuration", [f"server.tls_certificate: {problem}"])


def _damaged(error: _Unusable, folder: Path) -> ConfigError:
    problem = f"server.tls: auto: {error}; delete {folder} to have a new key made (pins of it then fail)"
    return ConfigError("configuration", [problem])


def _usable(certificate: Path, key: Path) -> ServerCertificate | None:
    """The pair of an earlier start; None where there is none, or the certificate is of another key."""
    if not (certificate.exists() and key.exists()):
        return None
    try:
        return _read_pair(certificate, key)
    except _Unusable:
        _load_key(key)  # a damaged key is the user's to decide about; a damaged certificate is made again
        return None


def _read_pair(certificate: Path, key: Path) -> ServerCertificate:
    try:
        found = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    except OSError as error:
        raise _Unusable(f"{certificate} cannot be read: {error.strerror or error}") from error
    except (ValueError, IndexError) as error:
        raise _Unusable(
            f"{certificate} holds no PEM certificate; it must begin with BEGIN CERTIFICATE"
        ) from error
    if _spki(found.public_key()) != _spki(_load_key(key).public_key()):
        raise _Unusable(f"{certificate} and {key} are not a pair: the certificate is of another key")
    return ServerCertificate(
        certificate=certificate,
        key=key,
        sha256=found.fingerprint(hashes.SHA256()).hex(":").upper(),
        key_pin=base64.b64encode(hashlib.sha256(_spki(found.public_key())).digest()).decode(),
        names=_names_of(found),
        not_before=found.not_valid_before_utc,
        not_after=found.not_valid_after_utc,
    )


def _load_key(path: Path) -> PrivateKeyTypes:
    try:
        return serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise _Unusable(f"{path} cannot be read: {error.strerror or error}") from error
    except TypeError as error:
        raise _Unusable(f"{path} is protected by a password; store the key without one, mode 0600") from error
    except ValueError as error:
        raise _Unusable(f"{path} holds no PEM private key") from error


def _names_of(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    hosts = [name.lower() for name in names.get_values_for_type(x509.DNSName)]
    return (*hosts, *(str(address) for address in names.get_values_for_type(x509.IPAddress)))


def _spki(key: object) -> bytes:
    kinds = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    return bytes(key.public_bytes(*kinds))  # type: ignore[attr-defined]  # every kind of public key has it


def _new_key(path: Path) -> rsa.RSAPrivateKey:
    key = rsa.generate_private_key(65537, KEY_BITS)
    pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    _write(path, key.private_bytes(serialization.Encoding.PEM, pkcs8, plain))
    return key


def _sign(key: PrivateKeyTypes, names: Sequence[str], now: dt.datetime) -> x509.Certificate:
    if not isinstance(key, rsa.RSAPrivateKey):
        raise _Unusable("the kept key is not RSA")
    wanted = _unique(names)[:MAX_NAMES]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"arwarden on {wanted[0]}"[:_MAX_CN_CHARS])])
    public = key.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_APART)
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in wanted]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_encipherment=True,
        content_commitment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _unique(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name.rstrip(".").lower() for name in names))


def _general_name(name: str) -> x509.GeneralName:
    return x509.IPAddress(ipaddress.ip_address(name)) if is_address(name) else x509.DNSName(name)


def _write(path: Path, content: bytes) -> None:
    """Replace a file at once and for this user only: another start never reads half of it."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
