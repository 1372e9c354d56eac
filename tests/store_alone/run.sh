#!/usr/bin/env bash
# usage: run.sh [FOLDER]   copies base, os and store there (default: a temporary folder), builds them
# and nothing else, and runs a program against them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
at=${1:-$(mktemp -d)}
[ $# -ge 1 ] || trap 'rm -rf "$at"' EXIT
mkdir -p "$at/src" "$at/data"
cp -r "$root"/tests/store_alone/{CMakeLists.txt,store_alone.cc} "$root/cmake" "$at"
cp -r "$root"/src/{base,os,store} "$at/src"
launcher=()
if command -v ccache >/dev/null; then
  launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_BASEDIR=$at;CCACHE_NOHASHDIR=1;ccache")
fi
cmake -G Ninja -S "$at" -B "$at/build" -DCMAKE_BUILD_TYPE=Debug "${launcher[@]}" >"$at/configure.log" ||
  { cat "$at/configure.log"; exit 1; }
ninja -C "$at/build" store_alone
"$at/build/store_alone" "$at/data"
echo "the store builds alone"
