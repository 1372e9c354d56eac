// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

// Purpose. A query for each clause and each method of RQL, and a request for each feature of the
// clients: docs/what-works.md says of each what the server answered.

namespace rookery::docs {

struct Probe {
  std::string_view what;
  std::string_view query;
};

constexpr std::array kClauses = std::to_array<Probe>({
    {"a collection, `as` a name", "from Users as u where u.age > 30"},
    {"every collection", "from @all_docs where age > 30"},
    {"an index by name", "from index 'Auto/Users/Byage' where age > 30"},
    {"`=` `!=` `<` `<=` `>` `>=`", "from Users where age >= 30 and age != 31"},
    {"`between`", "from Users where age between 30 and 40"},
    {"`in`, `all in`", "from Users where city in ('Oslo') and tags all in ('a', 'b')"},
    {"`and` `or` `not`", "from Users where age > 30 and not (city = 'Oslo' or city = 'Rome')"},
    {"nested fields and arrays", "from Users where address.street = 'x' or tags[] = 'a'"},
    {"parameters", "from Users where age > $age"},
    {"`order by`, several keys, `desc`", "from Users order by city, age desc"},
    {"`order by ... as long, double, string, alphaNumeric`",
     "from Users order by age as long, age as double, name as string, name as alphaNumeric"},
    {"`nulls first`, `nulls last`", "from Users order by age nulls last"},
    {"`limit`, `offset`", "from Users limit 10 offset 5"},
    {"`select` of fields, `as`", "from Users select name, address.street as street, id()"},
    {"`select distinct`", "from Users select distinct city"},
    {"`include` of documents", "from Users include boss"},
    {"`select { ... }` (JavaScript)", "from Users as u select { n: u.name }"},
    {"`declare function`", "declare function f(u) { return u; } from Users as u select f(u)"},
    {"`declare timeseries`", "declare timeseries t(u) { from u.H } from Users as u select t(u)"},
    {"`load`", "from Users as u load u.boss as b select b.name"},
    {"`group by`", "from Users group by city select key(), count()"},
    {"`filter`", "from Users filter age > 30"},
    {"`filter_limit`", "from Users filter_limit 10"},
    {"`update` (patch by query)", "from Users update { this.age = 1; }"},
    {"revisions", "from Users (Revisions = true)"},
});

struct Request {
  std::string_view what;
  std::string_view method;
  std::string_view path;  // `~` stands for /databases/{name}
  std::string_view body;
};

constexpr std::array kFeatures = std::to_array<Request>({
    {"store, load, delete, batches, includes, lazy operations", "GET", "~/docs?id=users/1", ""},
    {"queries, auto-indexes", "GET", "~/queries?query=from%20Users", ""},
    {"HiLo and identities", "GET", "~/debug/identities", ""},
    {"indexes that clients define", "PUT", "~/admin/indexes", R"({"Indexes":[]})"},
    {"bulk insert", "POST", "~/bulk_insert?id=1", "[]"},
    {"operations in the background", "GET", "~/operations/state?id=1", ""},
    {"patch by script", "PATCH", "~/docs?id=users/1", R"({"Patch":{"Script":"this.a = 1"}})"},
    {"patch by query", "PATCH", "~/queries", R"({"Query":{"Query":"from Users update {}"}})"},
    {"delete by query", "DELETE", "~/queries", R"({"Query":"from Users"})"},
    {"streams", "GET", "~/streams/docs", ""},
    {"subscriptions", "PUT", "~/subscriptions", R"({"Query":"from Users"})"},
    {"changes, pushed by the server", "GET", "~/changes", ""},
    {"attachments", "PUT", "~/attachments?id=users/1&name=a", "a"},
    {"counters", "POST", "~/counters", R"({"Documents":[]})"},
    {"time series", "POST", "~/timeseries?docId=users/1", "{}"},
    {"revisions", "GET", "~/revisions?id=users/1", ""},
    {"compare exchange", "PUT", "~/cmpxchg?key=a&index=0", R"({"Object":1})"},
    {"expiration", "POST", "~/admin/expiration/config", "{}"},
    {"conflicts between nodes", "GET", "~/replication/conflicts", ""},
    {"replication to other databases", "POST", "~/admin/tasks/external-replication", "{}"},
    {"ETL", "PUT", "~/admin/etl", "{}"},
    {"backup by the server", "POST", "/admin/backup", "{}"},
    {"export by the client's smuggler", "POST", "~/smuggler/export", "{}"},
    {"import by the client's smuggler", "POST", "~/smuggler/import", ""},
    {"sorters and analyzers of one's own", "PUT", "~/admin/sorters", R"({"Sorters":[]})"},
    {"certificates", "POST", "/admin/certificates", "{}"},
    {"the Studio", "GET", "/studio/index.html", ""},
});

struct Command {
  std::string_view type;
  std::string_view what;
};

constexpr std::array kCommands = std::to_array<Command>({
    {"PUT", "stores a document"},
    {"DELETE", "deletes a document"},
    {"PATCH", "changes a document by a script"},
    {"BatchPATCH", "changes several documents by a script"},
    {"JsonPatch", "changes a document by RFC 6902"},
    {"ForceRevisionCreation", "keeps the document as it is as a revision"},
    {"AttachmentPUT", "stores an attachment"},
    {"AttachmentDELETE", "deletes an attachment"},
    {"AttachmentMOVE", "moves an attachment to another document"},
    {"AttachmentCOPY", "copies an attachment to another document"},
    {"Counters", "changes counters"},
    {"TimeSeries", "changes a time series"},
    {"TimeSeriesCopy", "copies a time series"},
    {"CompareExchangePUT", "sets a compare-exchange value"},
    {"CompareExchangeDELETE", "deletes a compare-exchange value"},
});

}  // namespace rookery::docs
