"""The leaf of the import graph: events, tool specifications, approvals, results for display."""
