"""Deletes jobs of a server whose disk is full, and prints the status of each DELETE as JSON. The script runs in a mount
namespace where DATA, the argument, is a small disk."""

import json
import sys
from pathlib import Path

from conftest import Server


def main() -> None:
    data = Path(sys.argv[1])
    server = Server(data)
    try:
        client = server.client()
        job = {"machine": "torus:2x2x2", "pattern": {"name": "ring", "ranks": 8}}
        done = client.submit("map", **job, evaluations=100).wait()
        running = client.submit("map", **job, strategy="anneal", time="300s")
        queued = client.submit("map", **job)
        with (data / "much").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(512))
            except OSError:
                pass
        paths = [f"{done.id}", f"{queued.id}", f"{running.id}?purge=true"]
        print(json.dumps([server.ask("DELETE", f"/v1/jobs/{path}")[0] for path in paths]))
    finally:
        server.kill()


main()
