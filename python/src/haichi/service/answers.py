"""Answers, with types for OpenAPI."""

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
    """A job. `inputs`: the names of its files, or its pattern. `error`: why it failed, in the program's words, or which
    required limit its result misses."""

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
    """Newest first; `next` is the `before` of the next page."""

    jobs: list[JobAnswer]
    next: int | None


class EntryAnswer(BaseModel):
    name: str
    description: str


class KeptFile(FileResponse):
    """A file of a job. The job may be removed meanwhile, so the file is opened before the answer begins."""

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
    """`is_gone`: it was removed."""
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
    """Error answers for the `responses` of a route."""
    schema = {"$ref": "#/components/schemas/ErrorAnswer"}  # JSON, even if the answer is a text
    content = {"application/json": {"schema": schema}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def also(status: int, **what: Any) -> dict[int | str, dict[str, Any]]:
    """Another answer for the `responses` of a route."""
    return {status: what}


def request_schema(program: Program) -> dict[str, Any]:
    """The body of POST /v1/jobs: a variant per kind of job, with fields described as in the program's help."""
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
    """An idempotency key. Raises Problem."""
    if key is not None and not (0 < len(key) <= 200 and key.isprintable()):
        raise Problem(422, "invalid_request", "Idempotency-Key must have 1 to 200 printable characters")
    return key
