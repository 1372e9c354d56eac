// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "client.h"
#include "completion.h"

// Purpose. The names that a server knows, asked when they are needed and remembered for a while, so
// that a key press neither waits for long nor is a burden to the server.

namespace rookery::shell {

// Threads: one owner. Owns: nothing; what it is given outlives it.
class ServerCatalog final : public Catalog {
 public:
  // `client`: one of its own, with a short time-out. `database`: the one in use now.
  ServerCatalog(Client& client, os::Clock& clock, std::function<std::string()> database)
      : client_(client), clock_(clock), database_(std::move(database)) {}

  std::vector<std::string> databases() override;
  std::vector<std::string> collections() override;
  std::vector<std::string> indexes() override;
  std::vector<std::string> fields(const std::string& collection) override;

 private:
  struct Remembered {
    os::MonotonicTime until;
    std::vector<std::string> names;
  };

  // What `ask` answers, or answered lately under this key.
  std::vector<std::string> remembered(const std::string& key,
                                      const std::function<std::vector<std::string>()>& ask);

  Client& client_;
  os::Clock& clock_;
  std::function<std::string()> database_;
  std::map<std::string, Remembered> memory_;
};

// The paths of a document's fields, as a query writes them; at most `count_max` are added.
void add_field_paths(value::View document, std::size_t count_max, std::vector<std::string>& out);

}  // namespace rookery::shell
