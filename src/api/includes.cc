// SPDX-License-Identifier: Apache-2.0
#include "includes.h"

#include <string>

namespace rookery::api {

namespace {

using value::View;

// A path cannot nest deeper than documents do.
constexpr int kDepthMax = static_cast<int>(value::kDepthMax);

struct Walk {
  std::string_view prefix;
  const std::function<void(std::string_view)>& found;

  void leaf(View value) const {
    std::string id(prefix);
    if (const auto text = value.as_string(); text.has_value()) {
      id += *text;
    } else if (const auto number = value.as_int64(); number.has_value()) {
      id += std::to_string(*number);
    } else {
      return;
    }
    if (id.size() > prefix.size()) {
      found(id);
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by `depth`.
  void step(View value, std::string_view path, int depth) const {
    if (depth > kDepthMax) {
      return;
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        step(value.at(i), path, depth + 1);
      }
      return;
    }
    if (path.empty()) {
      leaf(value);
      return;
    }
    if (!value.is_object()) {
      return;
    }
    // A key may hold dots of its own: the whole rest as one key wins.
    if (const auto whole = value.find(path); whole.has_value()) {
      step(*whole, {}, depth + 1);
      return;
    }
    const std::size_t dot = path.find_first_of(".,");
    std::string_view key = path.substr(0, dot);
    if (key.ends_with("[]")) {
      key.remove_suffix(2);
    }
    if (const auto next = value.find(key); next.has_value()) {
      step(*next, dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1),
           depth + 1);
    }
  }
};

}  // namespace

void find_includes(View document, std::string_view path,
                   const std::function<void(std::string_view)>& found) {
  std::string_view prefix;
  if (path.ends_with(')')) {
    const std::size_t open = path.rfind('(');
    if (open != std::string_view::npos) {
      prefix = path.substr(open + 1, path.size() - open - 2);
      path = path.substr(0, open);
    }
  }
  if (!path.empty()) {
    Walk{prefix, found}.step(document, path, 0);
  }
}

}  // namespace rookery::api
