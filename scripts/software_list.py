#!/usr/bin/env python3
"""Writes the list of the software in the files of a release (SBOM), in CycloneDX's JSON format.

For each file of the release, the list states the libraries that it contains or requires, with their versions:
- Debian packages of the shared libraries that the program and the preloaded libraries load (Debian package)
- Debian packages whose static libraries or headers are compiled in (portable program, wheel)
- Python packages in the versions of requirements/*.txt (wheel)
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import tarfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
HEADERS_ONLY = ("libboost1.74-dev", "libcli11-dev", "nlohmann-json3-dev")  # compiled into every program
# These are compiled into portable programs. Their license does not apply to object code, so the archive does not
# contain it.
WITHOUT_LICENSE = ("libboost1.74", "libboost-context1.74")


def output_of(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def debian_component(package: str, version: str, architecture: str) -> dict[str, Any]:
    reference = f"pkg:deb/debian/{quote(package)}@{quote(version)}?arch={architecture}&distro=debian-12"
    return {"type": "library", "bom-ref": reference, "name": package, "version": version, "purl": reference}


def installed(package: str) -> dict[str, Any]:
    version, architecture = output_of("dpkg-query", "-W", "-f", "${Version} ${Architecture}", package).split()
    return debian_component(package, version, architecture)


def required_by_package(package_file: Path) -> list[dict[str, Any]]:
    """The packages that a Debian package depends on, in the versions of this computer, and the header-only libraries in
    it."""
    depends = output_of("dpkg-deb", "-f", package_file, "Depends")
    names = [re.sub(r" \(.*\)", "", entry).strip() for entry in depends.split(",")]
    # A dependency can be a virtual package, such as libspdlog1.10-fmt9.
    provider = {}
    for line in output_of("dpkg-query", "-W", "-f", "${Package}\t${Provides}\n").splitlines():
        package, provided = line.split("\t")
        provider |= {name.split(" ")[0]: package for name in provided.split(", ") if name}
    return [installed(provider.get(name, name)) for name in (*names, *HEADERS_ONLY)]


def compiled_in(archive: Path, architecture: str) -> list[dict[str, Any]]:
    """The packages whose licenses are in the archive of the portable program, in the versions of the sysroot."""
    documents = ROOT / f"build/sysroot-{architecture}/usr/share/doc"
    debian = {"x86_64": "amd64", "aarch64": "arm64"}[architecture]
    components = []
    with tarfile.open(archive) as tar:
        names = [Path(name).name.removeprefix("copyright.") for name in tar.getnames() if "/copyright." in name]
    for name in sorted((*names, *WITHOUT_LICENSE)):
        if name == "gcc":
            components.append(installed("gcc-12-base"))
            continue
        directory = next(path for path in (documents / f"{name}-dev", documents / name) if path.exists())
        changelog = next(directory.glob("changelog.Debian*.gz"), directory / "changelog.gz")
        first = gzip.decompress(changelog.read_bytes()).decode().splitlines()[0]
        version = re.fullmatch(r"\S+ \((.+?)\) .*", first)
        if version is None:
            raise SystemExit(f"error: {changelog}: expected the version of a package, found {first!r}")
        components.append(debian_component(directory.name, version[1], debian))
    return components


def pinned(*levels: str) -> list[dict[str, Any]]:
    """The Python packages that requirements/LEVEL.txt pins, for each level."""
    components = []
    for level in levels:
        for name, version in re.findall(r"^(\S+)==(\S+)", (ROOT / f"requirements/{level}.txt").read_text(), re.M):
            reference = f"pkg:pypi/{name}@{version}"
            components.append(
                {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference}
            )
    return components


def software_in(file: Path, portable: dict[str, Path]) -> list[dict[str, Any]]:
    if file.suffix == ".deb":
        return required_by_package(file)
    if file.suffix == ".whl":
        architecture = "aarch64" if "aarch64" in file.name else "x86_64"
        return [*compiled_in(portable[architecture], architecture), *pinned("run", "service")]
    if "-mpi-libraries-" in file.name:
        return [installed("nlohmann-json3-dev")]
    for architecture, archive in portable.items():
        if file == archive:
            return compiled_in(file, architecture)
    return []  # a source archive contains only haichi


def software_list(directory: Path) -> dict[str, Any]:
    files = sorted(file for file in directory.iterdir() if file.suffix in {".gz", ".deb", ".whl"})
    portable = {match[1]: file for file in files if (match := re.search(r"-linux-(\w+)\.tar\.gz$", file.name))}
    (source,) = (file for file in files if re.fullmatch(r"haichi-[0-9.]+\.tar\.gz", file.name))
    version = source.name.removeprefix("haichi-").removesuffix(".tar.gz")
    components: dict[str, dict[str, Any]] = {}
    dependencies = []
    for file in files:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        components[file.name] = {
            "type": "file",
            "bom-ref": file.name,
            "name": file.name,
            "version": version,
            "hashes": [{"alg": "SHA-256", "content": digest}],
        }
        software = {component["bom-ref"]: component for component in software_in(file, portable)}
        components |= software
        dependencies.append({"ref": file.name, "dependsOn": sorted(software)})
    commit = output_of("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    time = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, commit).urn,
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": "haichi",
                "name": "haichi",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
            "properties": [{"name": "haichi:commit", "value": commit}],
        },
        "components": [components[name] for name in sorted(components)],
        "dependencies": [{"ref": "haichi", "dependsOn": [file.name for file in files]}, *dependencies],
    }


def check(text: str) -> None:
    """Exits with an error if the text does not follow the schema of CycloneDX."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    if error is not None:
        raise SystemExit(f"error: the list does not follow CycloneDX's schema: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the list of the software in the files of a release.")
    parser.add_argument("directory", type=Path, help="directory with the files of the release")
    parser.add_argument("--output", type=Path, required=True, help="file of the list")
    arguments = parser.parse_args()
    text = json.dumps(software_list(arguments.directory), indent=2) + "\n"
    check(text)
    arguments.output.write_text(text)


if __name__ == "__main__":
    main()
