#!/bin/sh
# Find a Python that is new enough and let scripts/setup.py do the set-up. PYTHON=... chooses another one.
set -eu
cd "$(dirname "$0")/.."

new_enough() {
    command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

for python in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.14 python; do
    if [ -n "$python" ] && new_enough "$python"; then
        exec "$python" scripts/setup.py "$@"
    fi
done
echo "roomcode needs Python 3.11 or newer; on Debian or Ubuntu: sudo apt-get install python3 python3-venv" >&2
exit 1
