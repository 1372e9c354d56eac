// SPDX-License-Identifier: Apache-2.0
// What a newcomer does first, through the official client, in memory and on disk.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Server, ravendb, temporaryFolder } from "./server.mjs";

class User {
  constructor(name, age) {
    this.name = name;
    this.age = age;
  }
}

for (const where of ["memory", "disk"]) {
  describe(`first session in ${where}`, () => {
    let server, store, folder;

    before(async () => {
      folder = await temporaryFolder();
      server = await Server.start(where === "disk" ? { folder: folder.path } : {});
      await server.createDatabase("shop");
      store = server.store("shop");
    });

    after(async () => {
      store?.dispose();
      await server?.kill();
      await folder?.remove();
    });

    it("stores and loads, keeping numbers, unknown fields and the order of keys", async () => {
      const session = store.openSession();
      const more = { big: 9007199254740991, nested: { b: 1, a: [] } };
      const entity = Object.assign(new User("Ada", 36), more);
      await session.store(entity, "users/1");
      await session.saveChanges();

      const again = await store.openSession().load("users/1");
      assert.equal(again.name, "Ada");
      assert.equal(again.big, 9007199254740991);
      const raw = await server.request("GET", "/databases/shop/docs?id=users/1");
      const keys = Object.keys(raw.json.Results[0]).filter((key) => key !== "@metadata");
      assert.deepEqual(keys, ["name", "age", "big", "nested"]);
      assert.deepEqual(Object.keys(raw.json.Results[0].nested), ["b", "a"]);
      assert.equal(raw.json.Results[0]["@metadata"]["@collection"], "Users");
    });

    it("finds a document by its id in any case and shows the first spelling", async () => {
      const session = store.openSession();
      await session.store(new User("Grace", 85), "Users/Case");
      await session.saveChanges();
      const found = await store.openSession().load("uSERS/cASE");
      assert.equal(found.name, "Grace");
      assert.equal(found.id, "Users/Case");
    });

    it("gives ids by HiLo", async () => {
      const session = store.openSession();
      const entity = new User("Barbara", 30);
      await session.store(entity);
      assert.match(entity.id, /^users\/\d+-A$/);
      await session.saveChanges();
      assert.equal((await store.openSession().load(entity.id)).name, "Barbara");
    });

    it("gives ids by identity, ever one more", async () => {
      const session = store.openSession();
      const first = new User("Edith", 1);
      const second = new User("Edgar", 2);
      await session.store(first, "staff|");
      await session.store(second, "staff|");
      await session.saveChanges();
      assert.deepEqual([first.id, second.id], ["staff/1", "staff/2"]);
    });

    it("updates and deletes", async () => {
      let session = store.openSession();
      await session.store(new User("Alan", 41), "users/alan");
      await session.saveChanges();

      session = store.openSession();
      const alan = await session.load("users/alan");
      alan.age = 42;
      await session.saveChanges();
      assert.equal((await store.openSession().load("users/alan")).age, 42);

      session = store.openSession();
      await session.delete("users/alan");
      await session.saveChanges();
      assert.equal(await store.openSession().load("users/alan"), null);
    });

    it("applies a batch whole or not at all", async () => {
      const session = store.openSession();
      session.advanced.useOptimisticConcurrency = true;
      await session.store(new User("One", 1), "batch/1");
      await session.saveChanges();

      const doomed = store.openSession();
      await doomed.store(new User("Two", 2), "batch/2");
      await doomed.store(new User("Again", 1), "batch/1", { changeVector: "" });
      await assert.rejects(doomed.saveChanges(), { name: "ConcurrencyException" });
      assert.equal(await store.openSession().load("batch/2"), null);
    });

    it("refuses a write based on what has changed since", async () => {
      const setup = store.openSession();
      await setup.store(new User("Con", 1), "users/con");
      await setup.saveChanges();

      const [mine, theirs] = [store.openSession(), store.openSession()];
      mine.advanced.useOptimisticConcurrency = true;
      const my = await mine.load("users/con");
      const their = await theirs.load("users/con");
      their.age = 2;
      await theirs.saveChanges();
      my.age = 3;
      await assert.rejects(mine.saveChanges(), { name: "ConcurrencyException" });
      assert.equal((await store.openSession().load("users/con")).age, 2);
    });

    it("includes what a document points to, in one request", async () => {
      const setup = store.openSession();
      await setup.store(new User("Owner", 50), "users/owner");
      await setup.store({ owner: "users/owner", "@metadata": { "@collection": "Orders" } },
                        "orders/1");
      await setup.saveChanges();
      const session = store.openSession();
      const order = await session.include("owner").load("orders/1");
      assert.equal((await session.load(order.owner)).name, "Owner");
      assert.equal(session.advanced.numberOfRequests, 1);
    });

    it("loads lazily, many in one request", async () => {
      const setup = store.openSession();
      await setup.store(new User("L1", 1), "lazy/1");
      await setup.store(new User("L2", 2), "lazy/2");
      await setup.saveChanges();
      const session = store.openSession();
      const first = session.advanced.lazily.load("lazy/1");
      const second = session.advanced.lazily.load("lazy/2");
      await session.advanced.eagerly.executeAllPendingLazyOperations();
      assert.equal((await first.getValue()).name, "L1");
      assert.equal((await second.getValue()).name, "L2");
      assert.equal(session.advanced.numberOfRequests, 1);
    });

    it("says so when a feature isn't built, instead of an empty answer", async () => {
      const response = await server.request("GET", "/databases/shop/no-such-route");
      assert.equal(response.status, 501);
      assert.deepEqual(Object.keys(response.json).sort(), ["Error", "Message", "Type", "Url"]);
    });

    it("names a database that doesn't exist", async () => {
      const stranger = server.store("nowhere");
      await assert.rejects(stranger.openSession().load("users/1"),
                           { name: "DatabaseDoesNotExistException" });
      stranger.dispose();
    });

    it("counts what it holds", async () => {
      const statistics = await store.maintenance.send(new ravendb.GetStatisticsOperation());
      assert.ok(statistics.countOfDocuments >= 8, `${statistics.countOfDocuments} documents`);
      const collections =
        await store.maintenance.send(new ravendb.GetCollectionStatisticsOperation());
      assert.ok(collections.collections.Users >= 5, JSON.stringify(collections));
    });
  });
}
