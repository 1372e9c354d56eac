#!/usr/bin/env bash
# usage: run.sh NAME   (RK_SERVER_BINARY names the binary)
# Runs the page's tests in a headless Chromium for ctest; a JUnit report goes where gtest's reports
# go. Exit code 77, for "skipped", where there is no Chromium.
set -euo pipefail
cd "$(dirname "$0")"
if [ -z "${RK_CHROMIUM:-}" ]; then
  RK_CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome \
    || true)
fi
if [ -z "$RK_CHROMIUM" ]; then
  echo "skipped: there is no chromium (scripts/deps --browser installs it)"
  exit 77
fi
export RK_CHROMIUM
reporters=(--test-reporter=spec --test-reporter-destination=stdout)
if [[ "${GTEST_OUTPUT:-}" == xml:* ]]; then
  folder=${GTEST_OUTPUT#xml:}
  mkdir -p "$folder"
  reporters+=(--test-reporter=junit --test-reporter-destination="${folder%/}/$1.xml")
fi
exec node --test "${reporters[@]}" page.test.mjs
