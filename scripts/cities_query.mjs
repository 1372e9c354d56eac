// SPDX-License-Identifier: Apache-2.0
// usage: cities_query.mjs [URL]   The largest cities beyond the Arctic Circle, by the Node client.
import { DocumentStore } from "ravendb";

const url = process.argv[2] ?? "http://127.0.0.1:8080";
const store = new DocumentStore(url, "cities").initialize();
const session = store.openSession();
const cities = await session.query({ collection: "Cities" })
  .whereGreaterThan("location.latitude", 66.56)
  .orderByDescending("population", "Long")
  .take(3)
  .all();
for (const city of cities) {
  console.log(`${city.name}, ${city.country}: ${city.population}`);
}
store.dispose();
