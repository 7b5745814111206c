#!/bin/sh
# Installs the official SDK of the Model Context Protocol for Python into .venv.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
echo "ready: .venv/bin/python stand_in.py"
