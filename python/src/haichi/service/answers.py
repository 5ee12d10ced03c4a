"""The answers of the service, with types for OpenAPI."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from starlette.responses import FileResponse
from starlette.types import Receive, Scope, Send

from haichi.service.kinds import JOB_KINDS, offered
from haichi.service.problems import Problem
from haichi.service.program import Program
from haichi.service.queue import Job


class ErrorText(BaseModel):
    code: str
    message: str
    hint: str


class ErrorAnswer(BaseModel):
    error: ErrorText


class JobAnswer(BaseModel):
    """A job. `inputs`: the names of its input files, or its pattern. `error`: why the job failed, as the program
    reports it, or which required limit the result misses."""

    id: str
    kind: str
    state: str
    created: datetime
    started: datetime | None
    ended: datetime | None
    attempts: int
    exit_code: int | None
    error: ErrorText | None
    arguments: list[str]
    inputs: dict[str, str]
    links: dict[str, str]


class JobPage(BaseModel):
    """Jobs, newest first. `next` is the value of `before` that requests the next page."""

    jobs: list[JobAnswer]
    next: int | None


class EntryAnswer(BaseModel):
    name: str
    description: str


class KeptFile(FileResponse):
    """A response with a file of a job. The file is opened before the response begins, because the job may be removed
    during the response."""

    chunk_size = 64 * 1024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            file = open(self.path, "rb")  # noqa: SIM115
        except FileNotFoundError:
            raise Problem(404, "no_job", "the job was removed") from None
        with file:
            self.path = f"/proc/self/fd/{file.fileno()}"
            await super().__call__(scope, receive, send)


def job_answer(job: Job, is_gone: bool = False) -> JobAnswer:
    """The answer that describes a job. `is_gone`: the job was removed."""
    at = f"/v1/jobs/{job.id}"
    links = {} if is_gone else {"self": at, "events": f"{at}/events"}
    if job.state == "done" and not is_gone:
        links["result"] = f"{at}/result"
        if JOB_KINDS[job.kind].has_map:
            links["rankmap"] = f"{at}/rankmap"
        if JOB_KINDS[job.kind].is_placed or JOB_KINDS[job.kind].files:
            links["comparison"] = f"{at}/comparison"
            links["report"] = f"{at}/report"
    return JobAnswer(
        id=job.id,
        kind=job.kind,
        state=job.state,
        created=_time(job.created),
        started=None if job.started is None else _time(job.started),
        ended=None if job.ended is None else _time(job.ended),
        attempts=job.attempts,
        exit_code=job.exit_code,
        error=None if job.error is None else ErrorText(**job.error),
        arguments=[*JOB_KINDS[job.kind].command, *job.request["arguments"]],
        inputs=_inputs(job),
        links=links,
    )


def _inputs(job: Job) -> dict[str, str]:
    names: dict[str, str] = job.request.get("names", {})
    return {**names, **({"pattern": " ".join(job.request["pattern"])} if job.request["pattern"] else {})}


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, as its `responses`."""
    schema = {"$ref": "#/components/schemas/ErrorAnswer"}  # JSON, even if the route returns text
    content = {"application/json": {"schema": schema}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def also(status: int, **what: Any) -> dict[int | str, dict[str, Any]]:
    """One further answer of a route, as its `responses`."""
    return {status: what}


def request_schema(program: Program) -> dict[str, Any]:
    """The schema of the body of POST /v1/jobs. It has a variant per kind of job, and the help of the program describes
    the fields."""
    variants = []
    for kind in JOB_KINDS.values():
        fields = {row.field: row.schema() for row in offered(program, kind).values()}
        if "workload" in fields:
            fields["pattern"] = {"type": ["object", "string"], "description": 'as in {"name": "cg", "ranks": 64}'}
        variants.append(
            {
                "title": kind.name,
                "type": "object",
                "properties": {"kind": {"const": kind.name}} | fields,
                "required": ["kind"],
                "additionalProperties": False,
            }
        )
    content = {"schema": {"oneOf": variants}}
    form = {"schema": {"type": "object", "properties": {"kind": {"enum": list(JOB_KINDS)}}, "required": ["kind"]}}
    return {"requestBody": {"required": True, "content": {"application/json": content, "multipart/form-data": form}}}


def checked_key(key: str | None) -> str | None:
    """Checks an idempotency key. Raises Problem."""
    if key is not None and not (0 < len(key) <= 200 and key.isprintable()):
        raise Problem(422, "invalid_request", "Idempotency-Key must have 1 to 200 printable characters")
    return key
