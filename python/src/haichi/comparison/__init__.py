"""Comparing mapping strategies in batch: `haichi.compare` and ``haichi compare``.

The walk: `driver` (what is asked -> cells -> results), `cell` (one of them), `executors` (where they are computed),
`journal` (what is done already), `summary` (who wins, and what that is worth), `files` (JSON and CSV).
"""
