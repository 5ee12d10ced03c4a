"""The optimizer as a service over HTTP: ``haichi serve``. It needs ``pip install haichi[service]``.

The walk of a job: `app` (routes) -> `requests` (what may be asked, checked) -> `queue` (SQLite) -> `runner` (one
`supervisor` process for each running job, which runs the program) -> `queue` -> `app`. It knows the package's public
interface and the program, nothing else of haichi. docs/reference/service.md says what holds after faults, and why.
"""
