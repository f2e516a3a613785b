"""What every section of the configuration is made of: strictness, secrets, common kinds of value."""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

_HOST_NAME = re.compile(r"[\w.-]{1,253}")


def _host(value: str) -> str:
    """Refuse what a listener or a connection would stumble over; an empty host listens everywhere."""
    if _HOST_NAME.fullmatch(value):
        return value
    try:
        ipaddress.ip_address(value)
    except ValueError:
        msg = "must be a host name or an address, without scheme, port or path"
        raise ValueError(msg) from None
    return value


def _existing_file(path: Path) -> Path:
    if not path.is_file():
        msg = f"the file {path} does not exist"
        raise ValueError(msg)
    return path


Host = Annotated[str, AfterValidator(_host)]
ExistingFile = Annotated[Path, AfterValidator(_existing_file)]
ListenPort = Annotated[int, Field(ge=0, le=65535)]
Port = Annotated[int, Field(ge=1, le=65535)]
PositiveMs = Annotated[float, Field(gt=0, le=3_600_000)]
IceUrl = Annotated[str, Field(pattern=r"^(stun|turn)s?:[^\s<>\"]+$")]


class Section(BaseModel):
    """A part of the configuration. Unknown keys are errors: a misspelt limit must not be ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Secret(Section):
    """A secret, given in one of three ways. A file or an environment variable keeps it out of this file."""

    value: SecretStr | None = Field(None, description="The secret itself.")
    env: str | None = Field(None, description="Name of an environment variable that holds it.")
    file: Path | None = Field(None, description="A file whose first line is the secret.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(x is not None for x in (self.value, self.env, self.file)) != 1:
            msg = "give exactly one of value, env, file"
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _there(self) -> Self:
        if self.missing:
            raise ValueError(self.missing)
        return self

    @property
    def missing(self) -> str:
        """What has to be done before there is a secret; empty where there is one."""
        if self.env is not None and not os.environ.get(self.env):
            return f"the environment variable {self.env} is not set; export it before the start"
        if self.file is not None and not self.file.is_file():
            return f"the file {self.file} does not exist; create it with the secret as its first line"
        return ""

    def reveal(self) -> str:
        """The secret's text. Never log what this returns."""
        if self.value is not None:
            return self.value.get_secret_value()
        if self.env is not None:
            return os.environ.get(self.env, "")
        if self.file is None:
            return ""
        lines = self.file.read_text(encoding="utf-8").splitlines()
        return lines[0].strip() if lines else ""


class ApiKey(Secret):
    """The key of a judge. It may be missing: its judge is then switched off, and everything else runs."""

    @model_validator(mode="after")
    def _there(self) -> Self:
        return self
