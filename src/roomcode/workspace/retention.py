"""What is dropped from the history when it grows too large: the oldest versions, and contents that none needs."""

import sqlite3

__all__ = ["prune"]

_ROUNDS = 64
"""Each round drops half of what is estimated to be too much."""


def prune(connection: sqlite3.Connection, running: list[str], most_versions: int, most_bytes: int) -> None:
    """Within a transaction: keep at most `most_versions` versions and `most_bytes` of compressed contents.

    Versions of the sessions in `running` stay, and so do the contents that taking them back needs.
    """
    marks = ", ".join("?" * len(running))
    connection.execute(f"DELETE FROM sessions WHERE id NOT IN ({marks})", running)

    def drop_oldest(count: int) -> int:
        return connection.execute(
            "DELETE FROM versions WHERE id IN (SELECT id FROM versions WHERE pending IS NULL AND "
            f"session NOT IN ({marks}) ORDER BY id LIMIT ?)",
            (*running, count),
        ).rowcount

    over = _number(connection, "SELECT count(*) FROM versions") - most_versions
    if over > 0:
        drop_oldest(over)
    for _ in range(_ROUNDS):
        connection.execute(
            "DELETE FROM contents WHERE digest NOT IN (SELECT digest FROM versions WHERE digest IS NOT NULL) "
            "AND digest NOT IN (SELECT before FROM versions WHERE before IS NOT NULL)"
        )
        size = _number(connection, "SELECT coalesce(sum(length(packed)), 0) FROM contents")
        if size <= most_bytes:
            break
        count = _number(connection, "SELECT count(*) FROM versions")
        if not drop_oldest(max(1, int(count * (1 - most_bytes / size) / 2))):
            break
    connection.execute(
        f"DELETE FROM operations WHERE session NOT IN ({marks}) AND NOT EXISTS "
        "(SELECT 1 FROM versions WHERE operation = operations.id)",
        running,
    )


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
