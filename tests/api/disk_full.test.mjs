// SPDX-License-Identifier: Apache-2.0
// A full disk, on a tmpfs of our own: clear errors, reads and deletes go on, writing resumes by
// itself when space returns.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { after, before, describe, it } from "node:test";
import { Server, temporaryFolder } from "./server.mjs";

const SMALL = "96m";
const ROOMY = "192m";
const WRITES_MAX = 4000;
const DOCUMENT_BYTES = 64 * 1024;

// Mounting needs root and a machine that allows it; without, the test says that it was skipped.
function tryMount(folder) {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SMALL}`, "rookery-test", folder],
                 { stdio: "pipe" });
    return null;
  } catch (error) {
    return `no tmpfs could be mounted: ${String(error.stderr ?? error).trim()}`;
  }
}

function put(server, id, bytes = DOCUMENT_BYTES) {
  // Incompressible text, or the journal's compression would hide the growth.
  const filler = randomBytes(bytes / 2).toString("hex");
  return server.request("PUT", `/databases/full/docs?id=${encodeURIComponent(id)}`,
                        { filler, "@metadata": { "@collection": "Fillers" } });
}

function remove(server, id) {
  return server.request("DELETE", `/databases/full/docs?id=${encodeURIComponent(id)}`);
}

// Leaves not one block free: big writes first, then single blocks until the last is refused.
function fillUp(file) {
  const handle = fs.openSync(file, "w");
  try {
    for (const size of [1 << 20, 1 << 12]) {
      try {
        while (fs.writeSync(handle, Buffer.alloc(size, 1)) === size);
      } catch (error) {
        assert.equal(error.code, "ENOSPC");
      }
    }
  } finally {
    fs.closeSync(handle);
  }
}

async function eventually(what, condition) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const outcome = await condition();
    if (outcome) {
      return outcome;
    }
    assert.ok(Date.now() < deadline, `${what} didn't happen in 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("disk full", () => {
  let folder, server, unavailable;

  before(async () => {
    folder = await temporaryFolder();
    unavailable = tryMount(folder.path);
  });

  after(async () => {
    await server?.kill();
    if (unavailable === null) {
      execFileSync("umount", ["--lazy", folder.path]);
    }
    await folder.remove();
  });

  it("is refused clearly, survived, and left behind by itself", async (t) => {
    if (unavailable !== null) {
      t.skip(unavailable);
      return;
    }
    server = await Server.start({ folder: folder.path });
    await server.createDatabase("full");

    let refused;
    let stored = 0;
    while (stored < WRITES_MAX && refused === undefined) {
      const response = await put(server, `fill/${stored}`);
      if (response.status === 201) {
        ++stored;
      } else {
        refused = response;
      }
    }
    assert.ok(refused !== undefined, `${stored} documents fitted into ${SMALL}`);
    assert.ok(stored > 10, `only ${stored} documents fitted`);
    assert.equal(refused.status, 507, refused.text);
    assert.deepEqual(Object.keys(refused.json).sort(), ["Error", "Message", "Type", "Url"]);
    assert.match(refused.json.Message, /space|full/i);

    // The refused one isn't there by halves, and every stored one can be read.
    const absent = await server.request("GET", `/databases/full/docs?id=fill/${stored}`);
    assert.equal(absent.status, 404);
    for (let i = 0; i < stored; i += 7) {
      const found = await server.request("GET", `/databases/full/docs?id=fill/${i}`);
      assert.equal(found.status, 200, found.text);
    }

    // Deletes go on, and what they free is enough to write again.
    for (let i = 0; i < stored; i += 2) {
      const response = await remove(server, `fill/${i}`);
      assert.equal(response.status, 204, response.text);
    }
    await eventually("writing after deletes", async () =>
      (await put(server, "after/deletes", 1024)).status === 201);

    // At zero bytes free: stop, start, read.
    const ballast = `${folder.path}/ballast`;
    fillUp(ballast);
    assert.deepEqual(await server.shutdown(), { code: 0, signal: null });
    server = await Server.start({ folder: folder.path });
    const kept = await server.request("GET", "/databases/full/docs?id=after/deletes");
    assert.equal(kept.status, 200, kept.text);

    // Space comes back without anybody telling the server.
    fs.unlinkSync(ballast);
    execFileSync("mount", ["-o", `remount,size=${ROOMY}`, folder.path]);
    await eventually("writing after the volume grew", async () =>
      (await put(server, "after/growth")).status === 201);
    assert.deepEqual(await server.shutdown(), { code: 0, signal: null });
  });
});
