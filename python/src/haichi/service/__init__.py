"""The optimizer as an HTTP service: ``haichi serve``. It requires ``pip install haichi[service]``.

A job passes through `app` (routes), `requests` (checks), `queue` (SQLite), `runner` (one `supervisor` process per
running job, which runs the program), `queue` and `app`. The service uses only the package's public interface and the
program. docs/reference/http.md defines the interface, docs/develop/service.md the guarantees after faults.
"""
