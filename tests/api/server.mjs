// SPDX-License-Identifier: Apache-2.0
// Starts, stops and kills one server process; what a test of the whole product stands on.
import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
// RK_CLIENT names another copy of the client's package, to run the same tests on a newer one.
const client = require(process.env.RK_CLIENT ?? "ravendb");
export const ravendb = client.DocumentStore ? client : client.default;

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;

function serverPath() {
  const binary = process.env.RK_SERVER_BINARY;
  if (!binary) {
    throw new Error("set RK_SERVER_BINARY to the path of the server's binary");
  }
  return binary;
}

function withTimeout(promise, milliseconds, what) {
  let timer;
  const expired = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took over ${milliseconds} ms`)),
                       milliseconds);
  });
  return Promise.race([promise, expired]).finally(() => clearTimeout(timer));
}

export class Server {
  // args: further options; folder: where the data is, in memory without one.
  static async start({ folder, args = [] } = {}) {
    const server = new Server();
    const where = folder ? `--DataDir=${folder}` : "--RunInMemory=true";
    server.process = spawn(serverPath(), [
      "--ServerUrl=http://127.0.0.1:0", "--Setup.Mode=None", "--License.Eula.Accepted=true",
      "--Logs.Mode=None", `--Testing.ParentProcessId=${process.pid}`, where, ...args,
    ], { stdio: ["pipe", "pipe", "pipe"] });
    server.output = "";
    server.exited = new Promise((resolve) => {
      server.process.on("exit", (code, signal) => resolve({ code, signal }));
    });
    server.url = await withTimeout(server.#address(), START_TIMEOUT_MS, "the server's start");
    return server;
  }

  // The start of a server that must refuse; resolves to its exit and all it said.
  static async startAndFail(options) {
    try {
      const server = await Server.start(options);
      server.kill();
      throw new Error("the server started, though it should have refused");
    } catch (error) {
      if (error.exit === undefined) {
        throw error;
      }
      return { ...error.exit, output: error.output };
    }
  }

  #address() {
    return new Promise((resolve, reject) => {
      const look = (chunk) => {
        this.output += chunk;
        const match = /^Server available on: (\S+)$/m.exec(this.output);
        if (match && this.output.includes("\n", match.index)) {
          resolve(match[1]);
        }
      };
      this.process.stdout.on("data", look);
      this.process.stderr.on("data", look);
      this.process.on("error", reject);
      this.process.on("close", (code, signal) => {
        const error = new Error(`the server ended (${code ?? signal}): ${this.output}`);
        reject(Object.assign(error, { exit: { code, signal }, output: this.output }));
      });
    });
  }

  kill() {
    this.process.kill("SIGKILL");
    return this.exited;
  }

  // As the official test driver does it: no newline after the words.
  async shutdown() {
    this.process.stdin.write("shutdown no-confirmation");
    return withTimeout(this.exited, STOP_TIMEOUT_MS, "the server's shutdown");
  }

  // Also safe after the process is gone; for the clean-up of a test.
  async [Symbol.asyncDispose]() {
    await this.kill();
  }

  store(database) {
    const store = new ravendb.DocumentStore(this.url, database);
    store.conventions.disableTopologyUpdates = true;
    return store.initialize();
  }

  async createDatabase(name, record = {}) {
    const response = await fetch(`${this.url}/admin/databases?name=${name}&replicationFactor=1`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ DatabaseName: name, ...record }),
    });
    if (!response.ok) {
      throw new Error(`creating ${name}: ${response.status} ${await response.text()}`);
    }
    return response.json();
  }

  // One raw request; the body is parsed where it is JSON.
  async request(method, target, body, headers = {}) {
    const response = await fetch(this.url + target, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  }
}

export async function temporaryFolder() {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "rookery-api-"));
  return {
    path: folder,
    remove: () => fs.rm(folder, { recursive: true, force: true }),
  };
}

// A small seeded generator (xorshift32), so that a failing round can be repeated: RK_TEST_SEED=N.
export class Random {
  constructor(seed = Number(process.env.RK_TEST_SEED ?? Date.now() % 2 ** 31)) {
    this.seed = seed;
    this.state = seed || 1;
    console.log(`seed ${seed} (repeat with RK_TEST_SEED=${seed})`);
  }

  below(bound) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % bound;
  }
}
