"""A throw-away authority with a server's and a client's certificate."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

DAY = dt.timedelta(days=1)
PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Pair:
    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    ca_file: Path
    server: Pair
    """For 127.0.0.1 and the host name ``broker.test``; not for localhost."""
    client: Pair
    other_ca_file: Path
    """An authority that has signed none of these."""


def make_authority(folder: Path, *, kind: Literal["ec", "rsa"] = "ec") -> Authority:
    """``rsa`` is for clients that know nothing else, such as mono's."""
    folder.mkdir(parents=True, exist_ok=True)
    ca_key, ca = _issue("test authority", None, None, kind)
    _, other = _issue("another authority", None, None, kind)
    names: list[x509.GeneralName] = [
        x509.DNSName("broker.test"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    server_key, server = _issue("broker.test", (ca_key, ca), names, kind)
    client_key, client = _issue("arwarden", (ca_key, ca), None, kind)
    return Authority(
        _write(folder / "ca.pem", ca),
        Pair(_write(folder / "server.pem", server), _write_key(folder / "server.key", server_key)),
        Pair(_write(folder / "client.pem", client), _write_key(folder / "client.key", client_key)),
        _write(folder / "other.pem", other),
    )


def _issue(
    name: str,
    issuer: tuple[PrivateKey, x509.Certificate] | None,
    alternative_names: list[x509.GeneralName] | None,
    kind: Literal["ec", "rsa"],
) -> tuple[PrivateKey, x509.Certificate]:
    key: PrivateKey = (
        ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else rsa.generate_private_key(65537, 2048)
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signing_key, issuer_name = (key, subject) if issuer is None else (issuer[0], issuer[1].subject)
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer_name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False
        )
    )
    if issuer is None:
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        builder = builder.add_extension(usage, critical=True)
    if alternative_names is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternative_names), critical=False)
    return key, builder.sign(signing_key, hashes.SHA256())


def _write(path: Path, certificate: x509.Certificate) -> Path:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return path


def _write_key(path: Path, key: PrivateKey) -> Path:
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    path.chmod(0o600)
    return path
