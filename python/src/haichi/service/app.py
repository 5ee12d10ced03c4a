"""The routes of the service."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, BinaryIO, Literal
from weakref import WeakValueDictionary

from fastapi import Depends, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from fastapi_offline import FastAPIOffline
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from haichi.model import tables
from haichi.service.answers import (
    EntryAnswer,
    ErrorAnswer,
    JobAnswer,
    JobPage,
    KeptFile,
    also,
    checked_key,
    errors,
    job_answer,
    request_schema,
)
from haichi.service.auth import OnlyOurPages
from haichi.service.bodies import BodyLimit
from haichi.service.comparisons import comparison_file
from haichi.service.connections import HeadRequests, allowed_methods
from haichi.service.data_folder import DataGoneError
from haichi.service.events import stream
from haichi.service.metrics import Measured
from haichi.service.page import page
from haichi.service.problems import Problem, disk_is_full
from haichi.service.queue import Event, Job
from haichi.service.rank_maps import rank_map, script_lines
from haichi.service.requests import job_request
from haichi.service.service import Service

_LARGEST_NUMBER = 2**62
_NO_SNIFFING = {"X-Content-Type-Options": "nosniff"}
"""For responses that may contain uploads of users. Browsers must not run these as scripts."""
_NO_POWERS = _NO_SNIFFING | {"Content-Security-Policy": "sandbox allow-scripts allow-downloads"}
"""For pages that users open separately from the page of the service. The browser isolates them from the service."""


def create_app(service: Service) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = FastAPIOffline(
        docs_url=None,  # the default page has absolute addresses
        redoc_url=None,
        title="haichi",
        version=version("haichi"),
        lifespan=lifespan,
        redirect_slashes=False,
        servers=[{"url": "."}],  # relative to openapi.json, which also works below a path prefix
    )
    app.add_middleware(BodyLimit, limits=service.limits)
    app.add_middleware(HeadRequests)
    app.add_middleware(OnlyOurPages, users=service.users)
    app.add_middleware(Measured, metrics=service.metrics)
    _add_error_answers(app)
    _add_operation(app, service)
    _add_tables(app, service)
    _add_jobs(app, service)
    _add_results(app, service)
    _add_page(app, service)
    return app


def _user_of(service: Service) -> Callable[..., AsyncIterator[str]]:
    async def user(request: Request, authorization: Annotated[str | None, Header()] = None) -> AsyncIterator[str]:
        name = await service.users.checked(authorization, request.client.host if request.client else "")
        with service.request_of(name):  # lasts until the answer is sent
            yield name

    return user


def _add_jobs(app: FastAPI, service: Service) -> None:
    user_of = _user_of(service)

    @app.post(
        "/v1/jobs",
        status_code=201,
        responses=also(200, model=JobAnswer) | errors(400, 401, 403, 408, 409, 413, 415, 422, 429, 503, 507),
        openapi_extra=request_schema(service.program),
    )
    async def submit(
        request: Request,
        response: Response,
        user: Annotated[str, Depends(user_of)],
        idempotency_key: Annotated[str | None, Header()] = None,
    ) -> JobAnswer:
        """Submits a job. The body is a form with files, or a JSON object with the contents of the files."""
        key = checked_key(idempotency_key)
        if service.data.free_bytes() < service.limits.reserve_bytes:
            raise disk_is_full(507)
        with service.bodies.account(user) as account:
            asked = job_request(service.program, await service.bodies.fields(request, account))
            job, is_new = await service.submit(user, asked, key)
        response.status_code = 201 if is_new else 200
        response.headers["Location"] = f"/v1/jobs/{job.id}"
        return job_answer(job)

    @app.get("/v1/jobs", responses=errors(401, 403, 422, 503))
    def listed(
        user: Annotated[str, Depends(user_of)],
        before: Annotated[int | None, Query(ge=0, le=_LARGEST_NUMBER)] = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        state: Literal["queued", "running", "done", "failed", "cancelled"] | None = None,
    ) -> JobPage:
        """The user's jobs, newest first. The page has at most `limit` jobs, and fewer if their options are long."""
        jobs, following = service.queue.page(user, before, limit, state)
        return JobPage(jobs=[job_answer(job) for job in jobs], next=following)

    @app.get("/v1/jobs/{job_id}", responses=errors(401, 403, 404, 422, 503))
    async def status(job_id: str, user: Annotated[str, Depends(user_of)]) -> JobAnswer:
        """The status of one job."""
        return job_answer(service.job(user, job_id))

    @app.delete("/v1/jobs/{job_id}", responses=errors(401, 403, 404, 409, 422, 503))
    async def delete(
        job_id: str, user: Annotated[str, Depends(user_of)], purge: Annotated[bool | None, Query()] = None
    ) -> JobAnswer:
        """Cancels a queued or running job, or removes an ended one with its files. `purge=true` does both;
        `purge=false` never removes."""
        job, is_gone = await service.delete(user, job_id, purge)
        return job_answer(job, is_gone)

    @app.get(
        "/v1/jobs/{job_id}/events",
        response_class=StreamingResponse,
        responses=also(200, content={"text/event-stream": {}}) | errors(401, 403, 404, 422, 503),
    )
    async def events(
        job_id: str,
        user: Annotated[str, Depends(user_of)],
        last_event_id: Annotated[int | None, Header(ge=0, le=_LARGEST_NUMBER)] = None,
    ) -> StreamingResponse:
        """The events of a job after Last-Event-ID, as server-sent events."""
        job = service.job(user, job_id)

        async def read(after: int) -> list[Event] | None:
            return await service.events(user, job.id, after)

        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            stream(read, last_event_id or 0, service.bell, job.id), media_type="text/event-stream", headers=headers
        )


def _add_results(app: FastAPI, service: Service) -> None:
    user_of = _user_of(service)

    def done(user: str, job_id: str) -> Job:
        job = service.job(user, job_id)
        if job.state != "done":
            hint = "see its status" if job.has_ended() else "wait for it with its events, or with wait() in Python"
            raise Problem(
                409, "not_done", f"a result requires a job that is done, found a job that is {job.state}", hint
            )
        return job

    @app.get("/v1/jobs/{job_id}/result", response_class=KeptFile, responses=errors(401, 403, 404, 409, 422, 503))
    def result(job_id: str, user: Annotated[str, Depends(user_of)]) -> KeptFile:
        """The output of the program, byte for byte."""
        path = service.data.job(done(user, job_id).id).result
        return KeptFile(path, media_type="application/json", headers=_NO_SNIFFING)

    @app.get(
        "/v1/jobs/{job_id}/rankmap",
        response_class=PlainTextResponse,
        responses=errors(401, 403, 404, 409, 422, 429, 503),
    )
    async def rankmap(
        job_id: str,
        user: Annotated[str, Depends(user_of)],
        format: str = "fujitsu",
        shape: str | None = None,
        hosts: str | None = None,
    ) -> KeptFile:
        """The placement in a format of `haichi list formats`."""
        job = done(user, job_id)
        asked = {"format": format, "shape": shape, "hosts": hosts}
        async with service.files_of(job):
            made = await rank_map(service.short_runs, job, service.data.job(job.id), asked)
        rest = BackgroundTask(made.remove_unless_kept)
        return KeptFile(made.path, media_type="text/plain", headers=_NO_SNIFFING, background=rest)

    @app.get(
        "/v1/jobs/{job_id}/jobscript",
        response_class=PlainTextResponse,
        responses=errors(401, 403, 404, 409, 422, 429, 503),
    )
    async def jobscript(
        job_id: str,
        user: Annotated[str, Depends(user_of)],
        scheduler: str = "pjm",
        shape: str | None = None,
        file: str = "FILE",
    ) -> PlainTextResponse:
        """The lines of a job script that use the placement; `file` is the path of its rank map. `scheduler` is `pjm` or
        a format of rank maps. Node names come from the job that runs the lines."""
        job = done(user, job_id)
        asked = {"scheduler": scheduler, "shape": shape, "file": file}
        async with service.files_of(job):
            lines = await script_lines(service.short_runs, job, service.data.job(job.id), asked)
        return PlainTextResponse(lines, headers=_NO_SNIFFING)

    of_job: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # a later request finds the file

    async def compared(user: str, job_id: str, what: str, shape: str | None) -> Path:
        job = done(user, job_id)
        async with of_job.setdefault(job.id, asyncio.Lock()), service.files_of(job):
            return await comparison_file(service.short_runs, job, service.data.job(job.id), what, shape)

    @app.get("/v1/jobs/{job_id}/comparison", response_class=KeptFile, responses=errors(401, 403, 404, 409, 422, 503))
    async def comparison(job_id: str, user: Annotated[str, Depends(user_of)], shape: str | None = None) -> KeptFile:
        """Compares the job's placement with the default placement, as `haichi compare --json` does."""
        path = await compared(user, job_id, "comparison", shape)
        return KeptFile(path, media_type="application/json", headers=_NO_SNIFFING)

    @app.get("/v1/jobs/{job_id}/report", response_class=KeptFile, responses=errors(401, 403, 404, 409, 422, 503))
    async def report(job_id: str, user: Annotated[str, Depends(user_of)], shape: str | None = None) -> KeptFile:
        """The page of this comparison, as `haichi report` writes it."""
        return KeptFile(await compared(user, job_id, "report", shape), media_type="text/html", headers=_NO_POWERS)

    @app.get("/v1/jobs/{job_id}/log", response_class=PlainTextResponse, responses=errors(401, 403, 404, 422, 503))
    def log(job_id: str, user: Annotated[str, Depends(user_of)]) -> Response:
        """Standard error of the program in the last attempt."""
        said = service.data.job(service.job(user, job_id).id).said
        try:
            file = said.open("rb")
        except FileNotFoundError:
            return PlainTextResponse(headers=_NO_SNIFFING)
        return StreamingResponse(_pieces(file), media_type="text/plain", headers=_NO_SNIFFING)  # the file may grow


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        yield from iter(partial(file.read, KeptFile.chunk_size), b"")


def _add_page(app: FastAPI, service: Service) -> None:
    @app.get("/", include_in_schema=False)
    def whole_page() -> HTMLResponse:
        text, headers = page(bool(service.users.by_digest), service.limits.body_bytes)
        return HTMLResponse(text, headers=headers)

    @app.get("/docs", include_in_schema=False)
    def all_paths() -> HTMLResponse:
        files = "static-offline-docs"  # relative addresses also work below the path prefix of a proxy
        return get_swagger_ui_html(
            openapi_url="openapi.json",
            title="haichi",
            swagger_js_url=f"{files}/swagger-ui-bundle.js",
            swagger_css_url=f"{files}/swagger-ui.css",
            swagger_favicon_url=f"{files}/favicon.png",
        )


def _add_tables(app: FastAPI, service: Service) -> None:
    user_of = _user_of(service)

    def route(name: str, entries: Callable[[], list[tables.Entry]]) -> None:
        @app.get(
            f"/v1/{name}",
            name=name,
            description=f"As `haichi list {name}`.",
            responses=also(401, model=ErrorAnswer) | errors(403, 422),
        )
        def listed(_: Annotated[str, Depends(user_of)]) -> list[EntryAnswer]:
            return [EntryAnswer(name=entry.name, description=entry.description) for entry in entries()]

    route("machines", tables.list_machines)
    route("objectives", tables.list_objectives)
    route("strategies", tables.list_strategies)
    route("formats", tables.list_formats)
    route("patterns", tables.list_patterns)


def _add_operation(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", response_class=PlainTextResponse)
    async def healthz() -> str:
        """Succeeds if the server answers."""
        return "ok\n"

    @app.get("/readyz", response_class=PlainTextResponse, responses=errors(503))
    def readyz() -> str:
        """Succeeds if the server accepts jobs: the queue is readable, and the disk has free space."""
        if service.data.free_bytes() < service.limits.reserve_bytes:
            raise disk_is_full(503)
        service.queue.counts()
        return "ok\n"

    @app.get("/metrics", response_class=PlainTextResponse, responses=errors(401, 429, 503))
    def metrics(_: Annotated[str, Depends(_user_of(service))]) -> PlainTextResponse:
        """Metrics for Prometheus: numbers of all users' jobs, so a server with tokens requires one."""
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4")


def _add_error_answers(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    def told(_: Request, problem: Problem) -> JSONResponse:
        closes = {"Connection": "close"}  # the rest of the request body is not read
        headers = {
            **{401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "10"}, 503: {"Retry-After": "2"}},
            **{408: closes},
        }
        return JSONResponse(problem.content(), problem.status, headers.get(problem.status))

    @app.exception_handler(RequestValidationError)
    def wrong(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = " ".join(str(part) for part in first["loc"][1:])
        return told(request, Problem(422, "invalid_request", f"{where}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> JSONResponse:
        path = request.url.path[:100]
        if error.status_code == 404:
            return told(request, Problem(404, "no_route", f"unknown path {path}", "see /docs for all paths"))
        if error.status_code == 405:
            allowed = allowed_methods(request.app.routes, request.url.path)
            problem = Problem(405, "no_method", f"{path} does not support {request.method[:20]}", f"use {allowed}")
            return JSONResponse(problem.content(), 405, {"Allow": allowed})
        return told(request, Problem(error.status_code, "http", str(error.detail)))

    @app.exception_handler(sqlite3.OperationalError)
    def busy(request: Request, error: sqlite3.OperationalError) -> JSONResponse:
        if "full" in str(error):
            return told(request, disk_is_full(507))
        return told(request, Problem(503, "busy", f"cannot reach the queue: {error}", "send the request again later"))

    @app.exception_handler(OSError)
    def no_room(request: Request, error: OSError) -> JSONResponse:
        if error.errno in (28, 122):  # ENOSPC, EDQUOT
            return told(request, disk_is_full(507))
        if isinstance(error, DataGoneError):
            return told(request, Problem(503, "data_gone", str(error), "start the server again on its data"))
        return told(request, Problem(500, "internal", f"internal error: {error.strerror}"))
