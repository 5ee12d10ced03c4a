"""What an attack on a server with two users found."""

from pathlib import Path

RING = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", "pattern": {"name": "ring", "ranks": 16}}
FORM = b'--X\r\nContent-Disposition: form-data; name="kind"\r\n\r\n%b\r\n--X--\r\n'


def test_the_systemd_unit_lets_landlock_through() -> None:
    """@system-service of Debian 12 (systemd 252) does not have it."""
    unit = Path(__file__).parents[3] / "examples" / "service" / "haichi-serve.service"
    allowed = [line for line in unit.read_text().splitlines() if line.startswith("SystemCallFilter=")]
    assert "SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self" in allowed
