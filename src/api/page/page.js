// SPDX-License-Identifier: Apache-2.0
// The page at GET /: looks at databases, changes nothing. What it shows is in the address behind
// '#', so that back, reload and a bookmark work. Whatever comes from documents becomes text nodes,
// never markup; the page's policy (require-trusted-types-for) has browsers refuse anything else.
import { JsonNumber, compact, parseJson, pieces } from "./json.js";

const PAGE_SIZE = 25;
const COLUMNS_MAX = 12;
const CELL_CHARACTERS_MAX = 120;
const DATABASES_MAX = 1000;
const METADATA = "@metadata";
// What an id looks like: such a string becomes a link. The server says whether there is one.
const ID_LIKE = /^[A-Za-z][\w.-]*\/[\w.\/-]+$/;

const element = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function show(id, visible) {
  element(id).hidden = !visible;
}

function message(id, text) {
  element(id).textContent = text;
  show(id, text !== "");
}

// The address ---------------------------------------------------------------------------------

// db, q (the query), start, id (a document).
function place() {
  return new URLSearchParams(location.hash.slice(1));
}

function addressOf(parts) {
  return `#${new URLSearchParams(parts)}`;
}

function quoted(name) {
  return `'${name.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
}

function listQuery(collection) {
  return collection === null ? "from @all_docs" : `from ${quoted(collection)}`;
}

// The server ----------------------------------------------------------------------------------

class ServerError extends Error {}

async function call(target, options = {}) {
  let response;
  let text;
  try {
    response = await fetch(target, { cache: "no-store", ...options });
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") {
      throw error;
    }
    throw new ServerError("The server does not answer.");
  }
  if (!response.ok) {
    let said = "";
    try {
      said = parseJson(text).get("Message") ?? "";
    } catch {
      // Not one of the server's errors; its status has to do.
    }
    throw new ServerError(said || `The server answered ${response.status}.`);
  }
  return parseJson(text);
}

function databasePath(name, rest) {
  return `/databases/${encodeURIComponent(name)}${rest}`;
}

function callQuery(database, parameters, query, start, signal) {
  return call(databasePath(database, `/queries${parameters}`), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ Query: query, Start: start, PageSize: PAGE_SIZE }),
    signal,
  });
}

// Databases and collections -------------------------------------------------------------------

async function showDatabases(selected) {
  const answer = await call(`/databases?namesOnly=true&start=0&pageSize=${DATABASES_MAX}`);
  const names = answer.get("Databases");
  const list = element("database");
  const known = [...list.options].map((option) => option.value);
  if (compact(known) !== compact(names)) {
    list.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    list.disabled = names.length === 0;
  }
  if (selected !== null && !names.includes(selected)) {
    list.append(make("option", { value: selected }, selected));
  }
  if (selected !== null) {
    list.value = selected;
  }
  return names;
}

function collectionLink(database, label, count, query, current) {
  const link = make("a", { href: addressOf({ db: database, q: query }) }, label,
                    make("span", {}, count));
  if (current) {
    link.setAttribute("aria-current", "page");
  }
  return make("li", {}, link);
}

async function showCollections(database, query) {
  const answer = await call(databasePath(database, "/collections/stats"));
  const rows = [["All documents", answer.get("CountOfDocuments"), listQuery(null)]];
  const collections = [...answer.get("Collections")].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, count] of collections) {
    rows.push([name, count, listQuery(name)]);
  }
  element("collections").replaceChildren(
    ...rows.map(([label, count, list]) =>
      collectionLink(database, label, compact(count), list, list === query)));
}

// Results -------------------------------------------------------------------------------------

function shortened(text) {
  return text.length > CELL_CHARACTERS_MAX ? `${text.slice(0, CELL_CHARACTERS_MAX)}\u2026` : text;
}

function idOf(result) {
  const metadata = result instanceof Map ? result.get(METADATA) : undefined;
  const id = metadata instanceof Map ? metadata.get("@id") : undefined;
  return typeof id === "string" ? id : undefined;
}

function cell(value) {
  if (value === undefined) {
    return make("td", { className: "absent" });
  }
  const nested = typeof value === "object" && value !== null && !(value instanceof JsonNumber);
  const text = typeof value === "string" ? value : compact(value);
  const node = make("td", {}, shortened(text));
  node.className = value instanceof JsonNumber ? "number" : nested ? "nested" : "";
  if (text.length > CELL_CHARACTERS_MAX) {
    node.title = text.slice(0, 2000);
  }
  return node;
}

function columnsOf(results) {
  const names = new Set();
  for (const result of results) {
    for (const name of result instanceof Map ? result.keys() : []) {
      names.add(name);
    }
  }
  names.delete(METADATA);
  return [...names];
}

function showTable(database, results, query) {
  const all = columnsOf(results);
  const columns = all.slice(0, COLUMNS_MAX);
  const isNumeric = (column) => results.every((result) =>
    !result.has(column) || result.get(column) instanceof JsonNumber);
  const heads = ["id", ...columns].map((name, index) => make("th", {
    scope: "col",
    className: index > 0 && isNumeric(name) ? "number" : "",
  }, shortened(name)));
  const rows = results.map((result) => {
    const id = idOf(result);
    const head = make("th", { scope: "row" });
    if (id !== undefined) {
      head.append(make("a", { href: addressOf({ db: database, q: query, id }) }, shortened(id)));
    }
    return make("tr", {}, head, ...columns.map((column) => cell(result.get(column))));
  });
  const left = all.length - columns.length;
  element("table").replaceChildren(
    ...(left > 0 ? [make("caption", {}, `${left} more columns are not shown.`)] : []),
    make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

function showPages(database, query, start, shown, total) {
  const last = start + shown;
  element("range").textContent =
    shown === 0 ? `0 of ${total}` : `${start + 1} to ${last} of ${total}`;
  const go = (id, to, possible) => {
    element(id).disabled = !possible;
    element(id).onclick = () => {
      location.hash = addressOf({ db: database, q: query, start: to });
    };
  };
  go("previous", Math.max(0, start - PAGE_SIZE), start > 0);
  go("next", last, last < total && shown > 0);
}

// The plan ------------------------------------------------------------------------------------

function planRows(step, depth) {
  const number = (key) => {
    const value = step.get(key);
    return make("td", { className: "number" }, value instanceof JsonNumber ? value.text : "");
  };
  const name = `${"  ".repeat(depth)}${step.get("Step") ?? "?"}`;
  const row = make("tr", {}, make("td", {}, name), number("Estimated"), number("Actual"));
  const deeper = step.get("Steps") ?? [];
  return [row, ...deeper.flatMap((inner) => planRows(inner, depth + 1))];
}

// Of the query that is shown: asked for when somebody looks, since it runs the query once more.
let planned = async () => {};

function forgetPlan(database, query, start, signal) {
  message("plan-error", "");
  element("plan-facts").replaceChildren();
  element("plan-table").replaceChildren();
  planned = async () => {
    planned = async () => {};
    try {
      const answer = await callQuery(database, "?debug=plan", query, start, signal);
      const facts = [...answer].filter(([key]) => key !== "Plan").flatMap(([key, value]) =>
        [make("dt", {}, key), make("dd", {}, typeof value === "string" ? value : compact(value))]);
      element("plan-facts").replaceChildren(...facts);
      if (answer.get("Plan") === null) {
        return;  // read straight from the documents: there is nothing to plan
      }
      const heads = ["step", "estimated", "actual"].map((name, index) =>
        make("th", { scope: "col", className: index > 0 ? "number" : "" }, name));
      element("plan-table").replaceChildren(
        make("thead", {}, make("tr", {}, ...heads)),
        make("tbody", {}, ...planRows(answer.get("Plan"), 0)));
    } catch (error) {
      if (error.name !== "AbortError") {
        message("plan-error", error.message);
      }
    }
  };
  if (element("plan").open) {
    planned();
  }
}

// A query -------------------------------------------------------------------------------------

// What is under way is of no interest once another place is asked for.
let running = new AbortController();

function cancelRunning() {
  running.abort();
  running = new AbortController();
  return running.signal;
}

async function ask(database, query, start, signal) {
  element("status").textContent = "Running\u2026";
  message("error", "");
  message("note", "");
  try {
    const answer = await callQuery(database, "", query, start, signal);
    const results = answer.get("Results");
    showTable(database, results, query);
    showPages(database, query, start, results.length, Number(compact(answer.get("TotalResults"))));
    show("results", true);
    show("plan", true);
    forgetPlan(database, query, start, signal);
    if (answer.get("IsStale") === true) {
      message("note", "The index has not seen the newest changes yet: run it again for those.");
    }
    const [total, took] = ["TotalResults", "DurationInMs"].map((key) => compact(answer.get(key)));
    element("status").textContent =
      `${total} results in ${took} ms by ${answer.get("IndexName") ?? "no index"}`;
  } catch (error) {
    if (error.name === "AbortError") {
      return;
    }
    show("results", false);
    show("plan", false);
    element("status").textContent = "";
    message("error", error.message);
  }
}

// A document ----------------------------------------------------------------------------------

function showJson(target, value, database, query, id) {
  const nodes = [];
  pieces(value, (kind, text, content) => {
    if (kind === "plain") {
      nodes.push(text);
      return;
    }
    const node = make("span", { className: kind });
    if (kind === "string" && content !== id && ID_LIKE.test(content)) {
      node.append(make("a", { href: addressOf({ db: database, q: query, id: content }) }, text));
    } else {
      node.append(text);
    }
    nodes.push(node);
  });
  target.replaceChildren(...nodes);
}

async function read(database, id, query, signal) {
  element("document-id").textContent = id;
  element("back").href = addressOf({ db: database, q: query });
  element("facts").replaceChildren();
  element("document").replaceChildren();
  message("document-error", "");
  try {
    const target = databasePath(database, `/docs?id=${encodeURIComponent(id)}`);
    const answer = await call(target, { signal });
    const found = answer.get("Results")[0];
    if (!(found instanceof Map)) {
      throw new ServerError("There is no document with this id.");
    }
    const metadata = found.get(METADATA);
    for (const [label, key] of [["Collection", "@collection"], ["Last modified", "@last-modified"],
                                ["Change vector", "@change-vector"]]) {
      const value = metadata instanceof Map ? metadata.get(key) : undefined;
      if (typeof value === "string") {
        element("facts").append(make("dt", {}, label), make("dd", {}, value));
      }
    }
    showJson(element("document"), found, database, query, id);
  } catch (error) {
    if (error.name !== "AbortError") {
      message("document-error", error instanceof ServerError && /404/.test(error.message)
        ? "There is no document with this id." : error.message);
    }
  }
}

// The whole -----------------------------------------------------------------------------------

function showWelcome() {
  const at = location.origin;
  element("welcome-commands").textContent =
    `curl -X PUT '${at}/admin/databases?name=shop' -d '{"DatabaseName":"shop"}'\n` +
    `curl -X PUT '${at}/databases/shop/docs?id=users/1' ` +
    `-d '{"name":"Ada","@metadata":{"@collection":"Users"}}'`;
}

async function render() {
  const signal = cancelRunning();
  const here = place();
  let database = here.get("db");
  try {
    const names = await showDatabases(database);
    if (signal.aborted) {
      return;
    }
    database ??= names[0] ?? null;
    show("welcome", database === null);
    show("asking", database !== null && !here.has("id"));
    show("reading", database !== null && here.has("id"));
    document.title = [here.get("id"), database, "Rookery"].filter(Boolean).join(" \u2013 ");
    if (database === null) {
      showWelcome();
      return;
    }
    const query = here.get("q") ?? listQuery(null);
    const start = Math.max(0, Number.parseInt(here.get("start") ?? "0", 10) || 0);
    element("query").value = query;
    const shown = here.has("id") ? read(database, here.get("id"), query, signal)
                                 : ask(database, query, start, signal);
    await Promise.all([shown, showCollections(database, query)]);
  } catch (error) {
    if (!signal.aborted) {
      show("asking", true);
      message("error", error.message);
    }
  }
}

function run() {
  const wanted = addressOf({ db: element("database").value, q: element("query").value });
  if (location.hash === wanted) {
    render();
  } else {
    location.hash = wanted;
  }
}

element("query-form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
element("query").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});
element("database").addEventListener("change", () => {
  location.hash = addressOf({ db: element("database").value });
});
element("look-again").addEventListener("click", render);
element("plan").addEventListener("toggle", () => {
  if (element("plan").open) {
    planned();
  }
});
addEventListener("hashchange", () => {
  render();
  element("main").focus({ preventScroll: true });
});
call("/build/version").then((version) => {
  element("server").textContent = `${version.get("ProductRelease")} at ${location.host}`;
}, () => {});
render();
