// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rookery/base/prng.h"

#include "recorder.h"
#include "transport.h"

// Purpose. One client with a seed: does one request after another against few documents that others
// change as well, and records what it asked and was told.
//
// Documents are "g<group>/<n>", of the collection Things, with a `value` that no other put has and
// a `color`, by which queries ask.

namespace rookery::history {

struct Workload {
  std::string database = "history";
  std::uint32_t documents = 60;
  std::uint32_t groups = 6;
  std::uint32_t colors = 4;
  bool queries = true;
};

// Threads: one.
// Owns: nothing of its arguments, which outlive it.
class Client {
 public:
  Client(std::uint32_t number, std::uint64_t seed, const Workload& workload, Transport& transport,
         Recorder& recorder);

  // One operation. False: the run is over.
  bool step();
  // Reads all there is, in each way there is.
  void look_at_everything();

 private:
  using Json = nlohmann::json;

  // A command before it has numbers.
  struct Draft {
    std::string id;
    std::string value;  // empty: a delete
    std::string color;
    std::optional<std::string> expects;
  };

  bool write();
  bool put_alone(const Draft& draft);
  bool delete_alone(const std::string& id);
  bool batch(const std::vector<Draft>& drafts);
  bool load(const std::vector<std::string>& ids);
  bool scan(const std::string& prefix);
  bool query(const std::string& color, bool waits);
  bool identity();
  bool hilo();

  Draft any_put();
  [[nodiscard]] Draft any_command();
  [[nodiscard]] std::optional<std::string> any_expectation(const std::string& id);
  [[nodiscard]] std::string any_id();
  [[nodiscard]] std::string any_color();
  [[nodiscard]] Json document(const Draft& draft);
  [[nodiscard]] std::string url(std::string_view rest) const;

  [[nodiscard]] Operation begin(Kind kind, const std::vector<Draft>& drafts = {},
                                std::string_view name = "");
  // What became of it; the answer's JSON where it is a success.
  std::optional<Json> settle(Operation& operation, const Reply& reply);
  void read_results(Operation& operation, const Json& results);
  void read_batch(Operation& operation, const std::vector<Draft>& drafts, const Json& results);
  void see(const std::string& id, const std::string& change_vector);
  // Runs the parts that take an answer to pieces; what is not as it should be is complained of.
  template <typename Function>
  void reading(const Reply& reply, const Function& function);
  bool end(Operation operation, const Reply& reply);

  const std::uint32_t number_;
  Prng random_;
  const Workload& workload_;
  Transport& transport_;
  Recorder& recorder_;
  std::uint64_t puts_ = 0;
  bool must_succeed_ = false;                // what is refused is complained of
  std::map<std::string, std::string> seen_;  // change vectors, by id
};

}  // namespace rookery::history
