"""Compares placement strategies in batch: `haichi.compare` and ``haichi compare``.

The flow: `driver` (request -> cells -> results), `cell` (one cell), `executors` (where cells are computed), `journal`
(finished cells), `summary` (the winner and its savings), `files` (JSON and CSV).
"""
