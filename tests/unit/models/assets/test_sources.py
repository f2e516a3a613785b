from __future__ import annotations

import csv
import hashlib
import tarfile
from pathlib import Path

import pytest

from models.assets import fetch
from models.assets.library import AssetsMissing, Library, read_catalogue, read_classes, read_countries
from models.assets.sources import HERE, SPLITS, Source, read_sources

FREE_LICENCES = {"Apache-2.0", "MIT", "ISC", "CC-BY-4.0", "CC-BY-3.0", "CC0-1.0", "OFL-1.1"}


def small_source(package: Path, **changes: object) -> Source:
    values: dict[str, object] = {
        "key": "pack", "name": "@some/pack", "version": "1.0.0", "registry": "npm",
        "sha256": hashlib.sha256(package.read_bytes()).hexdigest(), "megabytes": 0.1, "licence": "MIT",
        "licence_note": "", "attribution": "", "shippable": True, "used_for": ("icons",), "split": "train",
        "optional": False, "take": ("icons.json", "art_*"),
    }  # fmt: skip
    return Source(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    content = tmp_path / "content"
    content.mkdir()
    for name in ("icons.json", "art_one.svg", "readme.md"):
        (content / name).write_text(name, encoding="utf-8")
    path = tmp_path / "pack-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for file in content.iterdir():
            tar.add(file, arcname=f"package/{file.name}")
        tar.add(content / "icons.json", arcname="package/../../art_escape.svg")
    return path


def test_every_source_is_free_of_share_alike_and_non_commercial_terms() -> None:
    for source in read_sources().values():
        assert source.licence in FREE_LICENCES, source.key
        assert len(source.sha256) == 64
        assert source.attribution or source.licence == "CC0-1.0"


def test_downloads_stay_modest() -> None:
    assert sum(source.megabytes for source in read_sources().values()) < 150


def test_sources_name_no_hosts() -> None:
    text = (HERE / "sources.csv").read_text(encoding="utf-8")
    assert "://" not in text
    assert "registry." not in text


def test_unknown_split_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = (HERE / "sources.csv").read_text(encoding="utf-8").splitlines()[:2]
    broken = tmp_path / "sources.csv"
    broken.write_text("\n".join([rows[0], rows[1].replace(",train,", ",practice,")]), encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        read_sources(broken)


def test_a_package_belongs_to_one_split_only() -> None:
    sources = read_sources()
    for icon in read_catalogue():
        assert icon.split == sources[icon.source].split, icon


def test_catalogue_rows_are_unique_and_of_known_classes() -> None:
    icons = read_catalogue()
    assert len({(icon.cls, icon.source, icon.name) for icon in icons}) == len(icons)
    assert {icon.cls for icon in icons} <= set(read_classes())


def test_one_icon_shows_one_class() -> None:
    shown: dict[tuple[str, str], str] = {}
    for icon in read_catalogue():
        earlier = shown.setdefault((icon.source, icon.name), icon.cls)
        assert earlier == icon.cls, f"{icon.source}:{icon.name} is {earlier} and {icon.cls}"


def test_classes_are_many_and_say_something() -> None:
    classes = read_classes()
    assert len(classes) >= 60
    for cls in classes.values():
        assert cls.says
        assert cls.words
        assert cls.forms
        assert not cls.crossed or cls.crossed in classes
        for claim in cls.says:
            assert set(claim) <= {"subject", "attribute", "value"}
            assert ("attribute" in claim) == ("value" in claim)


def test_flags_of_at_least_sixty_countries_with_their_own_picture_in_every_split() -> None:
    sources, countries = read_sources(), read_countries()
    assert len(countries) >= 60
    for split in SPLITS:
        keys = [
            key for key, source in sources.items() if "flags" in source.used_for and source.split == split
        ]
        assert keys
        for country in countries.values():
            assert any(key in country.icons for key in keys), (country.code, split)


def test_fonts_of_a_split_are_in_no_other() -> None:
    families = [source.name for source in read_sources().values() if "fonts" in source.used_for]
    assert len(set(families)) == len(families)
    for split in SPLITS:
        count = sum(
            source.split == split and "fonts" in source.used_for for source in read_sources().values()
        )
        assert count >= 3


def test_unpack_takes_only_what_is_wanted_and_never_leaves_its_folder(package: Path, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    folder.mkdir(parents=True)
    assert fetch.unpack(small_source(package), package, folder) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["art_one.svg", "icons.json"]
    assert not list(tmp_path.glob("art_escape*"))


def test_unpack_says_what_is_missing(package: Path, tmp_path: Path) -> None:
    with pytest.raises(fetch.FetchError, match=r"has no nothing\.svg"):
        fetch.unpack(small_source(package, take=("nothing.svg",)), package, tmp_path)


def test_unpack_stops_at_a_bomb(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MAX_UNPACKED_BYTES", 3)
    with pytest.raises(fetch.FetchError, match="stopped"):
        fetch.unpack(small_source(package), package, tmp_path)


def test_wrong_checksum_is_refused(package: Path) -> None:
    with pytest.raises(fetch.FetchError, match="sha256"):
        fetch.check(small_source(package, sha256="0" * 64), package)


def test_fetching_again_does_nothing(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def local(source: Source, folder: Path) -> Path:
        calls.append(source.key)
        copy = folder / package.name
        copy.write_bytes(package.read_bytes())
        return copy

    monkeypatch.setattr(fetch, "download", local)
    root, source, said = tmp_path / "assets", small_source(package), list[str]()
    assert fetch.fetch_all([source], root, said.append) == []
    assert fetch.fetch_all([source], root, said.append) == []
    assert calls == ["pack"]
    assert "MIT" in said[0]
    changed = small_source(package, take=("icons.json",))
    assert not fetch.is_present(changed, root)


def test_a_failed_fetch_leaves_nothing_and_is_reported(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(source: Source, folder: Path) -> Path:
        raise fetch.FetchError("no answer")

    monkeypatch.setattr(fetch, "download", offline)
    root = tmp_path / "assets"
    said: list[str] = []
    assert fetch.fetch_all([small_source(package)], root, said.append) == ["no answer"]
    assert fetch.fetch_all([small_source(package, optional=True)], root, said.append) == []
    assert list(root.iterdir()) == []
    assert "left out" in said[1]


def test_missing_client_is_named(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(fetch.FetchError, match="npm, which is not installed"):
        fetch.download(small_source(package), tmp_path)


def test_unknown_key_ends_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fetch.main(["--only", "nonsense"])
    assert "sources.csv" in capsys.readouterr().err


def test_library_without_assets_says_how_to_get_them(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert not library.complete
    with pytest.raises(AssetsMissing, match=r"models\.assets\.fetch"):
        library.require()
    with pytest.raises(AssetsMissing, match=r"models\.assets\.fetch"):
        library.svg("mdi", "lock")


def test_fingerprint_follows_what_is_there(tmp_path: Path) -> None:
    before = Library(tmp_path).fingerprint
    (tmp_path / "mdi").mkdir()
    (tmp_path / "mdi" / "SOURCE").write_text("other", encoding="utf-8")
    assert Library(tmp_path).fingerprint != before


def test_flag_table_codes_are_two_capitals() -> None:
    with (HERE / "flags.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            assert row["code"].isalpha()
            assert row["code"].isupper()
            assert len(row["code"]) == 2
