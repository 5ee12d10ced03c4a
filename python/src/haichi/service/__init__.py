"""The optimizer as an HTTP service: ``haichi serve``. Only this package imports the packages that the service requires.

A job passes through `app` (routes), `requests` (checks), `queue` (SQLite), `runner`, `queue` again, and `app`. The
`runner` starts one `supervisor` process per running job, which runs the program. The service uses only the public
interface of the package and the program. docs/reference/http.md defines the HTTP interface. docs/develop/service.md
states the guarantees after faults.
"""
