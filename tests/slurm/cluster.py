"""A Slurm cluster on this host: one slurmctld, and a slurmd for each node with its own name and port.

    python3 tests/slurm/cluster.py DIRECTORY COMMAND...     runs COMMAND in a shell with the cluster's SLURM_CONF

Requires the daemons of Slurm and munge (Debian: slurmctld, slurmd, slurm-client, munge) and root, because slurmd
starts jobs as their users.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

NODES = 16
CPUS = 4
PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "sinfo")
STARTUP_SECONDS = 60.0

# Leaf switches with unequal numbers of nodes, whose names are not in the order of the switches.
TOPOLOGY = """\
SwitchName=leaf1 Nodes=n[1-3,16]
SwitchName=leaf2 Nodes=n[4-9]
SwitchName=leaf3 Nodes=n[10-15]
SwitchName=spine Switches=leaf[1-3]
"""


def why_not() -> str:
    """Returns why no cluster can run here, or an empty string if it can."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if missing:
        return f"requires {', '.join(missing)} (Debian: slurmctld slurmd slurm-client munge)"
    return "" if os.geteuid() == 0 else "requires root, because slurmd starts jobs as their users"


def _path() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _free_ports(count: int) -> list[int]:
    """Free TCP ports. All are held until the last one is known."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Starts the daemons on entry, and ends them on exit. `directory` receives the configuration, states and logs."""

    def __init__(self, directory: Path, topology: str = TOPOLOGY) -> None:
        self.directory = directory
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SLURM_")},
            "PATH": _path(),
            "SLURM_CONF": str(directory / "slurm.conf"),
        }
        self._topology = topology
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        try:
            self._configure()
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, *command: str, cwd: Path, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Runs a command as a user of the cluster would."""
        return subprocess.run(
            command, cwd=cwd, env=self.environment, capture_output=True, text=True, timeout=seconds, check=False
        )

    def submit(self, script: Path, *, seconds: float = 120) -> str:
        """Runs a batch script in its directory, waits for its end, and returns its output."""
        output = script.with_suffix(".out")
        done = self.run("sbatch", "--wait", f"--output={output}", str(script), cwd=script.parent, seconds=seconds)
        text = output.read_text() if output.exists() else ""
        if done.returncode != 0:
            raise RuntimeError(f"{script} failed: {done.stderr}{text}{self._log_ends()}")
        return text

    def _configure(self) -> None:
        for name in ("state", "spool", "run", "log"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        # munged refuses directories that others can write.
        (self.directory / "run").chmod(0o755)
        key = self.directory / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        ports = _free_ports(NODES + 1)
        nodes = "".join(
            f"NodeName=n{number} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={CPUS} State=UNKNOWN\n"
            for number, port in enumerate(ports[1:], 1)
        )
        here = self.directory
        (here / "topology.conf").write_text(self._topology)
        settings = {
            "ClusterName": "haichi",
            "SlurmctldHost": "localhost(127.0.0.1)",
            "SlurmctldPort": f"{ports[0]}",
            "SlurmUser": "root",
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={here}/run/munge.socket",
            "CredType": "cred/munge",
            "StateSaveLocation": f"{here}/state",
            "SlurmdSpoolDir": f"{here}/spool/%n",
            "SlurmctldPidFile": f"{here}/run/slurmctld.pid",
            "SlurmdPidFile": f"{here}/run/slurmd-%n.pid",
            "SlurmctldLogFile": f"{here}/log/slurmctld.log",
            "SlurmdLogFile": f"{here}/log/slurmd-%n.log",
            "SlurmdParameters": "config_overrides",
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "MpiDefault": "none",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU",
            "TopologyPlugin": "topology/tree",
            "ReturnToService": "2",
            "SchedulerParameters": "batch_sched_delay=0",
            "MinJobAge": "60",
        }
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        partition = f"PartitionName=all Nodes=n[1-{NODES}] Default=YES MaxTime=INFINITE State=UP\n"
        (here / "slurm.conf").write_text(lines + nodes + partition)

    def _start(self) -> None:
        run, log = self.directory / "run", self.directory / "log"
        munged = ["munged", "--foreground", "--force", f"--key-file={self.directory}/munge.key"]
        munged += [f"--socket={run}/munge.socket", f"--pid-file={run}/munged.pid", f"--seed-file={run}/munged.seed"]
        self._daemon([*munged, f"--log-file={log}/munged.log"], "munged")
        self._wait_until("munged", lambda: (run / "munge.socket").exists())
        self._daemon(["slurmctld", "-D"], "slurmctld")
        for number in range(1, NODES + 1):
            (self.directory / "spool" / f"n{number}").mkdir(exist_ok=True)
            self._daemon(["slurmd", "-D", "-N", f"n{number}"], f"slurmd-n{number}")
        self._wait_until("all nodes", lambda: self._idle_nodes() == NODES)

    def _daemon(self, command: list[str], name: str) -> None:
        with (self.directory / "log" / f"{name}.out").open("wb") as output:
            self._daemons.append(
                subprocess.Popen(
                    command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
                )
            )

    def _idle_nodes(self) -> int:
        asked = self.run("sinfo", "--noheader", "--states=idle", "--Node", "--format=%N", cwd=self.directory)
        return len(set(asked.stdout.split()))

    def _wait_until(self, what: str, is_ready: object) -> None:
        assert callable(is_ready)
        end = time.monotonic() + STARTUP_SECONDS
        while not is_ready():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self._daemons):
                raise RuntimeError(f"{what} did not start{self._log_ends()}")
            time.sleep(0.2)

    def _log_ends(self) -> str:
        logs = sorted((self.directory / "log").iterdir())
        return "".join(f"\n== {log.name}\n" + log.read_text(errors="replace")[-1000:] for log in logs[:6])

    def _stop(self) -> None:
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in self._daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._daemons.clear()


def main() -> int:
    directory, *command = sys.argv[1:]
    if reason := why_not():
        print(reason, file=sys.stderr)
        return 77
    with Cluster(Path(directory).absolute()) as cluster:
        return subprocess.run(" ".join(command), shell=True, env=cluster.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
