// SPDX-License-Identifier: Apache-2.0
// usage: store_alone FOLDER. Writes a key into a new environment there and reads it after a
// reopening: what a program needs that uses the store and nothing else of this product.
#include <cstdio>
#include <memory>
#include <string>

#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

namespace {

using rookery::Result;
namespace store = rookery::store;

Result<std::unique_ptr<store::Environment>> open(const std::string& folder) {
  store::EnvironmentOptions options;
  options.path = folder + "/environment";
  return store::Environment::open(rookery::os::real_platform(), options);
}

Result<bool> run(const std::string& folder) {
  {
    RK_TRY_ASSIGN(const auto environment, open(folder));
    RK_TRY_ASSIGN(store::WriteTxn txn, environment->begin_write());
    RK_TRY_ASSIGN(store::MutableTree tree, txn.tree("words"));
    RK_TRY(tree.put(rookery::as_bytes("key"), rookery::as_bytes("value")));
    RK_TRY(txn.commit());
    RK_TRY(environment->close());
  }
  RK_TRY_ASSIGN(const auto environment, open(folder));
  bool found = false;
  {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment->begin_read());
    RK_TRY_ASSIGN(const store::Tree tree, txn.tree("words"));
    RK_TRY_ASSIGN(const auto value, tree.get(rookery::as_bytes("key")));
    found = value.has_value() && rookery::as_text(*value) == "value";
  }
  RK_TRY(environment->close());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: store_alone FOLDER\n", stderr);
    return 2;
  }
  const Result<bool> found = run(argv[1]);
  if (!found) {
    std::fprintf(stderr, "store_alone: %s\n", found.error().to_string().c_str());
    return 1;
  }
  return *found ? 0 : 1;
}
