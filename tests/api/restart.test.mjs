// SPDX-License-Identifier: Apache-2.0
// kill -9 while clients write: what was acknowledged is there, and no batch by halves.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random, Server, temporaryFolder } from "./server.mjs";

const ROUNDS = Number(process.env.RK_KILL_ROUNDS ?? 10);
const WRITERS = 4;
const ACKNOWLEDGED_BEFORE_KILL_MAX = 60;

// One batch writes the two halves of a pair and moves the writer's counter on.
function pairBatch(writer, number) {
  const put = (id, body) => ({ Id: id, ChangeVector: null, Type: "PUT", Document: body });
  const metadata = { "@metadata": { "@collection": "Pairs" } };
  return { Commands: [
    put(`left/${writer}/${number}`, { number, filler: "x".repeat(number % 3000), ...metadata }),
    put(`right/${writer}/${number}`, { number, ...metadata }),
    put(`counter/${writer}`, { number, ...metadata }),
  ] };
}

// Writes pairs one after another until the server is gone; returns the last acknowledged number.
async function writeUntilDead(server, writer, first, onAcknowledged) {
  let acknowledged = first - 1;
  for (let number = first; ; ++number) {
    let response;
    try {
      response = await server.request("POST", "/databases/kill/bulk_docs",
                                      pairBatch(writer, number));
    } catch {
      return acknowledged;  // the connection broke: this one's outcome is unknown
    }
    assert.equal(response.status, 201, response.text);
    acknowledged = number;
    onAcknowledged();
  }
}

async function load(server, id) {
  const response =
    await server.request("GET", `/databases/kill/docs?id=${encodeURIComponent(id)}`);
  if (response.status === 404) {
    return null;
  }
  assert.equal(response.status, 200, response.text);
  return response.json.Results[0];
}

// Every pair up to the counter is whole, nothing beyond it exists, nothing acknowledged is missing.
async function check(server, writer, acknowledged, since) {
  const counter = await load(server, `counter/${writer}`);
  const reached = counter === null ? 0 : counter.number;
  assert.ok(reached >= acknowledged,
            `writer ${writer}: ${acknowledged} was acknowledged, ${reached} is there`);
  assert.ok(reached <= acknowledged + 1, `writer ${writer}: ${reached} was never sent`);
  for (let number = Math.max(1, since); number <= reached; ++number) {
    for (const side of ["left", "right"]) {
      const half = await load(server, `${side}/${writer}/${number}`);
      assert.equal(half?.number, number, `${side}/${writer}/${number} is missing`);
    }
  }
  for (const side of ["left", "right"]) {
    assert.equal(await load(server, `${side}/${writer}/${reached + 1}`), null);
  }
  return reached;
}

describe("kill -9", () => {
  it(`loses nothing acknowledged in ${ROUNDS} rounds`, async () => {
    const random = new Random();
    const folder = await temporaryFolder();
    const next = new Array(WRITERS).fill(1);
    let server;
    try {
      server = await Server.start({ folder: folder.path });
      await server.createDatabase("kill");
      for (let round = 0; round < ROUNDS; ++round) {
        const killAfter = 1 + random.below(ACKNOWLEDGED_BEFORE_KILL_MAX);
        let acknowledgements = 0;
        const victim = server;
        const writers = next.map((first, writer) => writeUntilDead(victim, writer, first, () => {
          if (++acknowledgements === killAfter) {
            victim.kill();
          }
        }));
        const acknowledged = await Promise.all(writers);
        await victim.exited;
        server = await Server.start({ folder: folder.path });
        for (let writer = 0; writer < WRITERS; ++writer) {
          next[writer] =
            1 + await check(server, writer, acknowledged[writer], next[writer] - 20);
        }
      }
      for (let writer = 0; writer < WRITERS; ++writer) {
        await check(server, writer, next[writer] - 1, 1);
      }
      assert.ok(next.every((number) => number > 1), `every writer got through: ${next}`);
      const end = await server.shutdown();
      assert.deepEqual(end, { code: 0, signal: null });
    } finally {
      await server?.kill();
      await folder.remove();
    }
  });

  it("keeps a clean shutdown's data, and a second server out", async () => {
    const folder = await temporaryFolder();
    let server;
    try {
      server = await Server.start({ folder: folder.path });
      await server.createDatabase("kill");
      await server.request("POST", "/databases/kill/bulk_docs", pairBatch(0, 1));

      const refused = await Server.startAndFail({ folder: folder.path });
      assert.notEqual(refused.code, 0);
      assert.match(refused.output, new RegExp(`\\b${server.process.pid}\\b`),
                   "the refusal names the holder's process id");

      assert.deepEqual(await server.shutdown(), { code: 0, signal: null });
      server = await Server.start({ folder: folder.path });
      assert.equal((await load(server, "right/0/1")).number, 1);
    } finally {
      await server?.kill();
      await folder.remove();
    }
  });
});
