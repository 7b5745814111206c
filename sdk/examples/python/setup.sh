#!/bin/sh
# Installs the dependencies into .venv, and generates the gRPC stubs from proto/ into parlor/.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
.venv/bin/python -m grpc_tools.protoc -I ../../../proto --python_out=. --pyi_out=. --grpc_python_out=. \
    ../../../proto/parlor/v1/*.proto
echo "ready: .venv/bin/python bot.py"
