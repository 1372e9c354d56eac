// SPDX-License-Identifier: Apache-2.0
#include "explain.h"

#include <string_view>
#include <utility>

#include "rookery/value/json.h"

#include "table.h"
#include "width.h"

namespace rookery::shell {

using value::View;

namespace {

constexpr std::string_view kPlan = "Plan";
// Deeper steps are there, but not indented any further: what matters is beside them.
constexpr std::size_t kIndentMax = 20;

Cell count_in(View step, std::string_view key) {
  const auto found = step.find(key);
  if (!found.has_value() || found->is_null()) {
    return {};
  }
  return {.text = printable(to_json(*found)), .is_number = found->is_number()};
}

// The depth of an answer is bounded (value::kDepthMax).
void add_step(Table& table, View step, std::size_t depth) {
  const std::string indent(2 * (depth < kIndentMax ? depth : kIndentMax), ' ');
  table.rows.push_back({{.text = indent + printable(step.find_string("Step").value_or("?"))},
                        count_in(step, "Estimated"),
                        count_in(step, "Actual")});
  const View steps = step.find("Steps").value_or(View());
  for (std::size_t i = 0; steps.is_array() && i < steps.size(); ++i) {
    add_step(table, steps.at(i), depth + 1);
  }
}

}  // namespace

std::string explain_text(View answer, std::size_t width) {
  std::string out;
  if (const auto plan = answer.find(kPlan); plan.has_value() && plan->is_object()) {
    Table table{.headers = {"step", "estimated", "actual"}, .rows = {}};
    add_step(table, *plan, 0);
    out += render(table, width);
  }
  for (std::size_t i = 0; answer.is_object() && i < answer.size(); ++i) {
    if (answer.key_at(i) == kPlan) {
      continue;
    }
    const View member = answer.value_at(i);
    const std::string text =
        member.is_string() ? std::string(*member.as_string()) : to_json(member);
    out += printable(answer.key_at(i)) + ": " + printable(text) + "\n";
  }
  return out;
}

}  // namespace rookery::shell
