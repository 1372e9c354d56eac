#!/usr/bin/env bash
# usage: install_client.sh   Installs the official client below this folder, if it isn't there yet.
set -euo pipefail
cd "$(dirname "$0")"
stamp=node_modules/.package-lock.json
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
  echo "installing the client" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
fi
