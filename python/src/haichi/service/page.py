"""The page at /. It consists of plain files like those of the report, whose code draws the links.

The page uses no library. It needs elements with text, a chart and form fields, and the report has code for the first
two. Suitable libraries of Debian and PyPI (Vue 2, Backbone, Chart.js, D3, Bootstrap) are much larger than the page.
Some of them compile templates or parse text as HTML, which the security policy of the page forbids.
"""

from __future__ import annotations

from functools import lru_cache

from haichi.report.inline_page import DRAWING_SCRIPTS, content_hash, filled, joined_script, report_text, web_text

SCRIPTS = ("server", "files", "options", "request", "convergence", "jobs", "results", "job", "main")


@lru_cache(maxsize=2)
def page(asks_for_token: bool, most_bytes: int) -> tuple[str, dict[str, str]]:
    """The text of the page and its headers. The page is one response, and loads no other files."""
    own = "haichi.service"
    script = joined_script(
        [
            *(report_text(f"{name}.js") for name in DRAWING_SCRIPTS),
            *(web_text(own, f"{name}.js") for name in SCRIPTS),
        ]
    )
    style = report_text("page.css") + web_text(own, "page.css")
    policy = {
        "default-src": "'none'",
        "script-src": f"'{content_hash(script)}'",
        "style-src": f"'{content_hash(style)}'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    parts = {"STYLE": style, "SCRIPT": script, "TOKENS": "yes" if asks_for_token else "", "MOST_BYTES": str(most_bytes)}
    return filled(web_text(own, "page.html"), parts), headers
