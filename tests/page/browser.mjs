// SPDX-License-Identifier: Apache-2.0
// A headless Chromium, driven by its debugging protocol over a pipe: no package is needed.
import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const WAIT_MS = 15_000;

export class Browser {
  #next = 1;
  #waiting = new Map();
  #rest = Buffer.alloc(0);
  #listeners = [];

  static async start(binary) {
    const browser = new Browser();
    browser.folder = await fs.mkdtemp(path.join(os.tmpdir(), "rookery-browser-"));
    browser.process = spawn(binary, [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
      "--remote-debugging-pipe", `--user-data-dir=${browser.folder}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
    browser.errors = "";
    browser.process.stderr.on("data", (chunk) => { browser.errors += chunk; });
    browser.process.stdio[4].on("data", (chunk) => browser.#read(chunk));
    browser.process.stdio[3].on("error", () => {});
    browser.exited = new Promise((resolve) => {
      browser.process.on("exit", () => {
        for (const { reject } of browser.#waiting.values()) {
          reject(new Error(`the browser ended: ${browser.errors}`));
        }
        resolve();
      });
    });
    return browser;
  }

  #read(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const message = JSON.parse(this.#rest.subarray(0, end).toString());
      this.#rest = this.#rest.subarray(end + 1);
      const waiting = this.#waiting.get(message.id);
      if (waiting === undefined) {
        this.#listeners.forEach((listener) => listener(message));
      } else {
        this.#waiting.delete(message.id);
        if (message.error) {
          waiting.reject(new Error(message.error.message));
        } else {
          waiting.resolve(message.result);
        }
      }
    }
  }

  onEvent(listener) {
    this.#listeners.push(listener);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async open() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ["Page", "Runtime", "Log", "Network", "Accessibility"]) {
      await page.send(`${domain}.enable`);
    }
    return page;
  }

  async stop() {
    this.process.kill("SIGKILL");
    await this.exited;
    await fs.rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, sessionId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.complaints = [];  // exceptions, errors in the console, violations of the policy
    this.requests = [];
    browser.onEvent((event) => {
      if (event.sessionId !== sessionId) {
        return;
      }
      if (event.method === "Runtime.exceptionThrown") {
        this.complaints.push(event.params.exceptionDetails.exception?.description ?? "exception");
      } else if (event.method === "Log.entryAdded" && event.params.entry.level === "error") {
        this.complaints.push(`${event.params.entry.text} ${event.params.entry.url ?? ""}`);
      } else if (event.method === "Network.requestWillBeSent") {
        this.requests.push(event.params.request.url);
      }
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  goto(url) {
    return this.send("Page.navigate", { url });
  }

  // The value of an expression, in the page.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  // Until the expression is true, looked at with each change of the page.
  async until(expression) {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      try {
        const done = await this.evaluate(`new Promise((resolve) => {
          // What is looked at may not be there yet.
          const look = () => { try { if (${expression}) { resolve(true); } } catch { } };
          new MutationObserver(look).observe(document, {
            childList: true, subtree: true, attributes: true, characterData: true });
          setTimeout(() => resolve(false), 1000);
          look();
        })`);
        if (done) {
          return;
        }
      } catch (error) {
        if (!/context|navigat/i.test(error.message)) {
          throw error;
        }
      }
      if (Date.now() > end) {
        throw new Error(`never true: ${expression}\n${await this.text("body")}`);
      }
    }
  }

  text(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`);
  }

  texts(selector) {
    return this.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.innerText)`);
  }

  click(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  async key(key, code, modifiers = 0) {
    await this.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown", key, code: key, windowsVirtualKeyCode: code, modifiers });
    await this.send("Input.dispatchKeyEvent", {
      type: "keyUp", key, code: key, windowsVirtualKeyCode: code, modifiers });
  }

  type(text) {
    return this.send("Input.insertText", { text });
  }

  async screenshot(file, { width = 1280, height = 800, dark = false } = {}) {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    await fs.writeFile(file, Buffer.from(data, "base64"));
  }
}
