#!/usr/bin/env bash
# usage: run.sh NAME FILE.test.mjs   (RK_SERVER_BINARY names the binary)
# Runs one file of Node tests for ctest; a JUnit report goes where gtest's reports go.
set -euo pipefail
cd "$(dirname "$0")"
name=$1
file=$2
./install_client.sh
reporters=(--test-reporter=spec --test-reporter-destination=stdout)
if [[ "${GTEST_OUTPUT:-}" == xml:* ]]; then
  folder=${GTEST_OUTPUT#xml:}
  mkdir -p "$folder"
  reporters+=(--test-reporter=junit --test-reporter-destination="${folder%/}/$name.xml")
fi
exec node --test "${reporters[@]}" "$file"
