"""The archive: program, licences and readme, for people, cargo-binstall, Homebrew and Scoop."""

import tarfile
import zipfile
from pathlib import Path

from .project import LICENSES, ROOT, GATEWAY, base_name, timestamp
from .targets import Target


def members(target: Target, binary: Path) -> list:
    """The files of the archive: name, source and mode. They are below one folder."""
    top = base_name(target)
    texts = [GATEWAY / "README.md", *(ROOT / name for name in LICENSES)]
    return [(f"{top}/{binary.name}", binary, 0o755),
            *((f"{top}/{path.name}", path, 0o644) for path in texts)]


def pack(dist: Path, target: Target, binary: Path) -> None:
    """Writes the archive of one platform: ZIP on Windows, tar with xz elsewhere."""
    path = dist / (base_name(target) + target.archive_suffix)
    write = write_zip if target.archive_suffix == ".zip" else write_tar
    # A run that is stopped must not leave half an archive under the archive's name.
    unfinished = path.with_name(f".{path.name}")
    write(unfinished, members(target, binary))
    unfinished.replace(path)
    print(path.name)


def write_tar(path: Path, files: list) -> None:
    with tarfile.open(path, "w:xz") as archive:
        for name, source, mode in files:
            member = tarfile.TarInfo(name)
            member.size, member.mode = source.stat().st_size, mode
            member.mtime = timestamp()
            with source.open("rb") as content:
                archive.addfile(member, content)


def write_zip(path: Path, files: list) -> None:
    # A member's default time is 1980, the first that the format has.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, source, mode in files:
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, source.read_bytes())
