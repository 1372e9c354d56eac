// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

// Purpose. One sentence for each route of src/api/routes.cc, for docs/what-works.md. A route
// without one fails the page's test, and so does a sentence without a route.

namespace rookery::docs {

struct RouteText {
  std::string_view method;
  std::string_view path;  // as in the table; `~` stands for /databases/{name}
  std::string_view what;
};

constexpr std::array kRouteTexts = std::to_array<RouteText>({
    {"GET", "/", "the page for people"},
    {"GET", "/page/page.js", "what that page does"},
    {"GET", "/page/json.js", "how it reads numbers without loss"},
    {"GET", "/page/style.css", "how it looks"},
    {"GET", "/build/version", "which server this is"},
    {"GET", "/topology", "the nodes that have a database: this one"},
    {"GET", "/cluster/topology", "the nodes of the cluster: this one"},
    {"GET", "/cluster/node-info", "about this node"},
    {"GET", "/info/tcp", "where the TCP protocol would be; nothing speaks it yet"},
    {"GET", "/health", "is the server well, and since when is it up"},
    {"GET", "/configuration/client", "client settings of the server; there are none"},
    {"GET", "/admin/logs/configuration", "what is logged, and where"},
    {"POST", "/admin/logs/configuration", "what is logged, until the next start"},
    {"GET", "/admin/test/delay", "answers after a while, for tests of clients"},
    {"GET", "/databases", "databases: names, or with details"},
    {"GET", "/admin/databases", "a database's record"},
    {"PUT", "/admin/databases", "creates a database, or changes its record"},
    {"DELETE", "/admin/databases", "deletes databases"},
    {"POST", "/admin/databases/enable", "enables databases"},
    {"POST", "/admin/databases/disable", "disables databases"},
    {"POST", "/admin/databases/set-lock", "locks databases against deletion"},
    {"PUT", "/admin/databases/node", "refused: there is no other node"},
    {"POST", "/admin/databases/promote", "refused: there is no other node"},
    {"POST", "/admin/databases/reorder", "the order of a database's nodes"},
    {"GET", "~/admin/record", "the database's record"},
    {"PUT", "~/admin/configuration/settings", "the database's settings"},
    {"GET", "~/info/tcp", "as `/info/tcp`"},
    {"GET", "~/configuration/client", "client settings of the database; there are none"},
    {"GET", "~/operations/next-operation-id", "an id for an operation"},
    {"GET", "~/operations/state", "how an operation is"},
    {"POST", "~/operations/kill", "ends an operation"},
    {"GET", "~/docs", "documents by id, by prefix, or a page of all; with includes"},
    {"POST", "~/docs", "documents by many ids"},
    {"HEAD", "~/docs", "does a document exist, and its change vector"},
    {"PUT", "~/docs", "stores a document"},
    {"DELETE", "~/docs", "deletes a document"},
    {"POST", "~/bulk_docs", "a batch of commands, whole or not at all: `saveChanges()`"},
    {"GET", "~/streams/docs", "all documents, or those of a prefix, as of one moment"},
    {"POST", "~/bulk_insert", "documents without end, stored while they arrive"},
    {"POST", "~/multi_get", "several reads in one request: lazy operations"},
    {"GET", "~/hilo/next", "a range of ids for a client"},
    {"PUT", "~/hilo/return", "the unused rest of a range"},
    {"POST", "~/identity/next", "the next value of an identity"},
    {"POST", "~/identity/seed", "sets an identity"},
    {"GET", "~/debug/identities", "all identities"},
    {"GET", "~/stats", "counts, sizes, indexes of the database"},
    {"GET", "~/stats/essential", "the same, the essential part"},
    {"GET", "~/stats/detailed", "the same, with more counts"},
    {"GET", "~/collections/stats", "documents by collection"},
    {"GET", "~/collections/stats/detailed", "the same, with sizes"},
    {"GET", "~/healthcheck", "does the database answer"},
    {"POST", "~/queries", "a query in RQL"},
    {"GET", "~/queries", "a query in RQL"},
    {"GET", "~/indexes", "indexes and their definitions"},
    {"PUT", "~/indexes", "refused: indexes that clients define are not built"},
    {"PUT", "~/admin/indexes", "refused: indexes that clients define are not built"},
    {"DELETE", "~/indexes", "deletes an index"},
    {"RESET", "~/indexes", "builds an index anew"},
    {"GET", "~/indexes/stats", "how indexes are doing"},
    {"GET", "~/indexes/status", "which indexes run"},
    {"GET", "~/indexes/errors", "documents that could not be indexed"},
    {"DELETE", "~/indexes/errors", "forgets these errors"},
    {"GET", "~/indexes/terms", "the terms of a field"},
    {"POST", "~/indexes/has-changed", "does a definition differ from the one here"},
    {"POST", "~/indexes/set-lock", "locks an index"},
    {"POST", "~/indexes/set-priority", "the priority of an index"},
    {"POST", "~/admin/indexes/start", "starts indexing"},
    {"POST", "~/admin/indexes/stop", "pauses indexing, of all or of one"},
    {"POST", "~/admin/indexes/enable", "enables an index"},
    {"POST", "~/admin/indexes/disable", "disables an index"},
});

}  // namespace rookery::docs
