// SPDX-License-Identifier: Apache-2.0
// The page at GET / in a real browser. RK_SCREENSHOTS=FOLDER keeps pictures.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Browser } from "./browser.mjs";

const CONTROL = 2;
const BIG = "9007199254740993";  // what JSON.parse makes ...992 of
const SCRIPT = "<script>window.harm='script'</script>";
const IMAGE = "<img src=x onerror=\"window.harm='image'\">";
const HOSTILE_COLLECTION = "It's <b>bold</b>";

let server;
let url;
let browser;
let page;

async function request(method, target, body) {
  const response = await fetch(url + target, { method, body });
  assert.ok(response.ok, `${method} ${target}: ${response.status} ${await response.text()}`);
}

function put(id, document, collection) {
  const text = JSON.stringify({ ...document, "@metadata": { "@collection": collection } });
  return request("PUT", `/databases/shop/docs?id=${encodeURIComponent(id)}`,
                 text.replace(/"BIG"/, BIG).replace("PROTO", "__proto__"));
}

async function picture(name, options) {
  if (process.env.RK_SCREENSHOTS) {
    await page.screenshot(path.join(process.env.RK_SCREENSHOTS, `${name}.png`), options);
  }
}

// Types a query over what is there and runs it by the keyboard.
async function ask(query) {
  await page.evaluate("document.getElementById('query').select(), " +
                      "document.getElementById('query').focus()");
  await page.type(query);
  await page.key("Enter", 13, CONTROL);
}

before(async () => {
  server = spawn(process.env.RK_SERVER_BINARY, [
    "--ServerUrl=http://127.0.0.1:0", "--RunInMemory=true", "--Logs.Mode=None",
    `--Testing.ParentProcessId=${process.pid}`], { stdio: ["pipe", "pipe", "inherit"] });
  url = await new Promise((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (chunk) => {
      said += chunk;
      const match = /^Server available on: (\S+)\n/m.exec(said);
      if (match) {
        resolve(match[1]);
      }
    });
    server.on("exit", () => reject(new Error("the server ended")));
  });
  browser = await Browser.start(process.env.RK_CHROMIUM);
  page = await browser.open();
});

after(async () => {
  await browser?.stop();
  server?.kill("SIGKILL");
});

describe("the page at GET /", { timeout: 120_000 }, () => {
  it("says how to begin where there is no database", async () => {
    await page.goto(url);
    await page.until("!document.getElementById('welcome').hidden");
    const commands = await page.text("#welcome-commands");
    assert.match(commands, /curl -X PUT 'http:\/\/127\.0\.0\.1:\d+\/admin\/databases\?name=shop'/);
    await picture("welcome");
    await request("PUT", "/admin/databases?name=shop", '{"DatabaseName":"shop"}');
    for (let i = 1; i <= 60; ++i) {
      await put(`users/${i}`, { name: `User ${i}`, age: 20 + i, friend: `users/${61 - i}`,
                                address: { city: i % 2 ? "Oslo" : "Bergen" } }, "Users");
    }
    await put("facts/1", { big: "BIG", PROTO: 1, text: "a\nb", none: null }, "Facts");
    await put(`${SCRIPT}/1`, { [IMAGE]: IMAGE, nested: [SCRIPT, { [SCRIPT]: IMAGE }] },
              HOSTILE_COLLECTION);
    await page.click("#look-again");
    await page.until("document.querySelectorAll('#collections a').length === 4");
    assert.equal(await page.evaluate("document.getElementById('database').value"), "shop");
  });

  it("lists collections with their counts, and their documents", async () => {
    const labels = await page.texts("#collections a");
    assert.deepEqual(labels.map((label) => label.replace(/\s+/g, " ")),
                     ["All documents 62", "Facts 1", `${HOSTILE_COLLECTION} 1`, "Users 60"]);
    await page.click("#collections li:last-child a");
    await page.until("/^1 to 25 of 60$/.test(document.getElementById('range').innerText)");
    assert.equal(await page.evaluate("document.getElementById('query').value"), "from 'Users'");
    assert.deepEqual(await page.texts("#table thead th"),
                     ["id", "name", "age", "friend", "address"]);
    assert.deepEqual(await page.texts("#collections [aria-current]"), ["Users60"]
      .map((text) => text.replace("60", "\n60")));
    await picture("collection");
    await picture("collection-dark", { dark: true });
    await picture("collection-narrow", { width: 420, height: 900 });
  });

  it("goes from page to page, and back by the browser", async () => {
    await page.click("#next");
    await page.until("/^26 to 50 of 60$/.test(document.getElementById('range').innerText)");
    await page.click("#next");
    await page.until("/^51 to 60 of 60$/.test(document.getElementById('range').innerText)");
    assert.equal((await page.texts("#table tbody tr")).length, 10);
    assert.equal(await page.evaluate("document.getElementById('next').disabled"), true);
    await page.evaluate("history.back()");
    await page.until("/^26 to 50 of 60$/.test(document.getElementById('range').innerText)");
  });

  it("runs a query, and shows its results and its plan", async () => {
    await ask("from Users where age > 70 order by age desc select name, age");
    await page.until("document.querySelectorAll('#table tbody tr').length === 10");
    assert.deepEqual(await page.texts("#table thead th"), ["id", "name", "age"]);
    assert.equal((await page.texts("#table tbody td"))[0], "User 60");
    assert.match(await page.text("#status"), /^10 results in \d+ ms by Auto\/Users\/By/);
    await page.click("#plan summary");
    await page.until("document.querySelectorAll('#plan-table tbody tr').length >= 2");
    // The steps that lie below another are set in.
    assert.ok((await page.texts("#plan-table tbody td:first-child")).some((t) => /^ +\S/.test(t)));
    assert.ok((await page.texts("#plan-table tbody td:last-child")).some((t) => /^\d+$/.test(t)));
    await picture("query");
  });

  it("shows what is wrong with a query, in the server's words", async () => {
    await ask("from Users where");
    await page.until("!document.getElementById('error').hidden");
    assert.match(await page.text("#error"), /1:\d+/);
    assert.equal(await page.evaluate("document.getElementById('results').hidden"), true);
    await picture("error");
    page.complaints = page.complaints.filter((text) => !/status of 400/.test(text));
  });

  it("shows a document in full, without rounding a number", async () => {
    await ask("from Facts");
    await page.until("document.querySelector('#table tbody a')?.innerText === 'facts/1'");
    await page.click("#table tbody a");
    await page.until("/big/.test(document.getElementById('document').innerText)");
    const text = await page.text("#document");
    assert.match(text, new RegExp(`"big": ${BIG},\n`));
    assert.match(text, /"__proto__": 1,/);
    assert.match(text, /"text": "a\\nb",\n {2}"none": null/);
    assert.match(text, /"@metadata": \{\n {4}"@collection": "Facts"/);
    assert.equal(await page.text("#document-id"), "facts/1");
    await page.click("#back");
    await page.until("!document.getElementById('asking').hidden");
  });

  it("goes from a document to one that it names", async () => {
    await page.goto(`${url}/#${new URLSearchParams({ db: "shop", id: "users/7" })}`);
    await page.until("/User 7/.test(document.getElementById('document').innerText)");
    await picture("document");
    assert.deepEqual(await page.texts("#document a"), ['"users/54"']);
    await page.click("#document a");
    await page.until("/User 54/.test(document.getElementById('document').innerText)");
    await page.goto(`${url}/#${new URLSearchParams({ db: "shop", id: "users/none" })}`);
    await page.until("!document.getElementById('document-error').hidden");
    page.complaints = page.complaints.filter((text) => !/status of 404/.test(text));
  });

  it("shows markup in ids, keys, values and names as text", async () => {
    await page.goto(`${url}/#${new URLSearchParams({ db: "shop" })}`);
    await page.until("document.querySelectorAll('#collections a').length === 4");
    await page.click("#collections li:nth-child(3) a");
    await page.until("document.querySelector('#table tbody a')?.innerText.startsWith('<')");
    assert.deepEqual(await page.texts("#table tbody a"), [`${SCRIPT}/1`]);
    assert.ok((await page.texts("#table thead th")).includes(IMAGE));
    assert.ok((await page.texts("#table tbody td")).includes(IMAGE));
    await page.click("#table tbody a");
    await page.until("/nested/.test(document.getElementById('document').innerText)");
    assert.equal(await page.text("#document-id"), `${SCRIPT}/1`);
    assert.ok((await page.text("#document")).includes(JSON.stringify(IMAGE)));
    assert.equal(await page.evaluate("window.harm ?? null"), null);
    assert.equal(await page.evaluate("document.querySelectorAll('img, main script, b').length"), 0);
    assert.equal(await page.evaluate("document.querySelectorAll('script').length"), 1);
  });

  it("is kept by its policy from running what it did not bring", async () => {
    const before = page.complaints.length;
    const tried = await page.evaluate(`(() => {
      const said = [];
      for (const attempt of [
        () => { document.body.innerHTML += "<i></i>"; },
        () => { const s = document.createElement("script"); s.textContent = "window.harm = 1";
                document.body.append(s); },
        () => { document.body.setAttribute("onclick", "window.harm = 2"); document.body.click(); },
      ]) {
        try { attempt(); said.push("no exception"); } catch (error) { said.push(error.name); }
      }
      return said;
    })()`);
    assert.deepEqual(tried.slice(0, 2), ["TypeError", "TypeError"]);
    assert.equal(await page.evaluate("window.harm ?? null"), null);
    page.complaints.splice(before);
  });

  it("has a name for everything that can be used", async () => {
    await page.goto(`${url}/#${new URLSearchParams({ db: "shop", q: "from Users" })}`);
    await page.until("/of 60$/.test(document.getElementById('range').innerText)");
    const { nodes } = await page.send("Accessibility.getFullAXTree", {});
    const roles = ["button", "link", "textbox", "combobox", "region"];
    const used = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value));
    assert.ok(used.length > 30);
    assert.deepEqual(used.filter((node) => !node.name?.value).map((node) => node.role.value), []);
    assert.equal(await page.evaluate("document.querySelectorAll('th:not([scope])').length"), 0);
    assert.equal(await page.evaluate("document.documentElement.lang"), "en");
  });

  it("complained about nothing and asked nobody else", () => {
    assert.deepEqual(page.complaints, []);
    const elsewhere = page.requests.filter((one) => !one.startsWith(`${url}/`) && one !== "data:,");
    assert.deepEqual(elsewhere, []);
  });
});
