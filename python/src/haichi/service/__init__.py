"""The optimizer as an HTTP service: ``haichi serve``. The packages that it requires are imported by this
package alone.

A job passes through `app` (routes), `requests` (checks), `queue` (SQLite), `runner` (one `supervisor` process per
running job, which runs the program), `queue` and `app`. The service uses only the package's public interface and the
program. docs/reference/http.md defines the interface, docs/develop/service.md the guarantees after faults.
"""
