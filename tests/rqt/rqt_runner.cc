// SPDX-License-Identifier: Apache-2.0
#include "rqt_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::rqt {

namespace {

constexpr std::string_view kMetadata = "@metadata";

[[nodiscard]] std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

[[nodiscard]] std::string without_metadata(value::View object) {
  std::string text;
  value::JsonWriter writer(text);
  writer.begin_object();
  writer.members(object, {kMetadata});
  writer.end_object();
  return text;
}

// One PUT of a batch. Empty if the line is not what it should be.
[[nodiscard]] std::string put_command(std::string_view line) {
  const std::string_view id = next_word(line);
  const std::string_view collection = next_word(line);
  const auto body = value::parse_json(line);
  if (!body.has_value() || !body->root().is_object()) {
    return "";
  }
  const value::View root = body->root();
  std::string text;
  value::JsonWriter writer(text);
  writer.begin_object();
  writer.string("Id", id);
  writer.string("Type", "PUT");
  writer.key("Document");
  writer.begin_object();
  writer.members(root, {kMetadata});
  writer.key(kMetadata);
  writer.begin_object();
  if (collection != "-") {
    writer.string("@collection", collection);
  }
  if (const auto metadata = root.find(kMetadata); metadata && metadata->is_object()) {
    writer.members(*metadata);
  }
  writer.end_object();
  writer.end_object();
  writer.end_object();
  return text;
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    text += text.empty() ? "" : between;
    text += part;
  }
  return text;
}

// `Type: message` of an error's body.
[[nodiscard]] std::string error_text(const api::Response& response) {
  const auto body = value::parse_json(response.body);
  if (!body.has_value()) {
    return "status " + std::to_string(response.status) + ": " + response.body;
  }
  const std::string_view type = body->root().find_string("Type").value_or("");
  return std::string(type.substr(type.rfind('.') + 1)) + ": " +
         std::string(body->root().find_string("Message").value_or(""));
}

void add_row(Outcome& outcome, value::View result) {
  const auto metadata = result.find(kMetadata);
  const std::string body = without_metadata(result);
  const bool is_projection =
      !metadata || metadata->find_bool("@projection").value_or(false) || !metadata->find("@id");
  if (is_projection) {
    outcome.rows.push_back(body);
    outcome.full_rows.push_back(body);
  } else {
    const std::string id(metadata->find_string("@id").value_or(""));
    outcome.rows.push_back(id);
    outcome.full_rows.push_back(id + ' ' + body);
  }
}

[[nodiscard]] Outcome read_answer(const api::Response& response) {
  Outcome outcome;
  if (response.status != 200) {
    outcome.error = error_text(response);
    return outcome;
  }
  const auto body = value::parse_json(response.body);
  const auto results = body.has_value() ? body->root().find("Results") : std::nullopt;
  if (!results || !results->is_array()) {
    outcome.trouble = "no results in " + response.body;
    return outcome;
  }
  const value::View root = body->root();
  for (std::size_t i = 0; i < results->size(); ++i) {
    add_row(outcome, results->at(i));
  }
  const auto total = root.find_int64("TotalResults");
  if (!total || root.find_bool("IsStale").value_or(true)) {
    outcome.trouble = total ? "the answer is stale" : "no TotalResults";
  }
  outcome.total = static_cast<std::size_t>(total.value_or(0));
  outcome.index = root.find_string("IndexName").value_or("");
  if (const auto includes = root.find("Includes"); includes && includes->is_object()) {
    for (std::size_t i = 0; i < includes->size(); ++i) {
      outcome.includes.emplace_back(includes->key_at(i));
    }
  }
  std::sort(outcome.includes.begin(), outcome.includes.end());
  return outcome;
}

// JSON as JsonWriter would write it, so that blanks and escapes do not count.
[[nodiscard]] std::string canonical(const std::string& row) {
  const std::size_t brace = row.find('{');
  if (brace == std::string::npos) {
    return row;
  }
  const auto parsed = value::parse_json(std::string_view(row).substr(brace));
  if (!parsed.has_value()) {
    return row;
  }
  std::string head = row.substr(0, brace);
  head.erase(head.find_last_not_of(' ') + 1);
  return head + (head.empty() ? "" : " ") + value::to_json(parsed->root());
}

[[nodiscard]] std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

// Purpose. Compares one query's sections with what came.
class Comparison {
 public:
  Comparison(const Section& query, Outcome outcome, CaseResult& result)
      : query_(query), outcome_(std::move(outcome)), result_(result) {
    if (!outcome_.trouble.empty()) {
      differ("trouble", {}, {outcome_.trouble});
    }
  }

  void section(const Section& section) {
    std::vector<std::string> expected;
    for (const std::string& line : section.lines) {
      expected.push_back(canonical(trimmed(line)));
    }
    switch (section.kind) {
      case SectionKind::kRows:
        rows(section, std::move(expected));
        break;
      case SectionKind::kError:
        error(section, expected);
        break;
      case SectionKind::kIncludes:
        std::sort(expected.begin(), expected.end());
        same(section, "includes", expected, outcome_.includes);
        break;
      case SectionKind::kIndex:
        same(section, "index", expected, {outcome_.index});
        break;
      default:
        break;
    }
  }

 private:
  void rows(const Section& section, std::vector<std::string> expected) {
    if (!outcome_.error.empty()) {
      replace(section, "rows", expected, "error", {outcome_.error});
      return;
    }
    // A body behind an id asks for bodies.
    std::vector<std::string> actual;
    for (std::size_t i = 0; i < outcome_.rows.size(); ++i) {
      const bool full =
          std::find(expected.begin(), expected.end(), outcome_.full_rows[i]) != expected.end() ||
          (i < expected.size() && expected[i].find(" {") != std::string::npos);
      actual.push_back(full ? outcome_.full_rows[i] : outcome_.rows[i]);
    }
    if (section.any_order) {
      std::sort(expected.begin(), expected.end());
      std::sort(actual.begin(), actual.end());
    }
    const std::size_t total = section.total.value_or(expected.size());
    std::string header = section.any_order ? "rows in any order" : "rows";
    if (outcome_.total != actual.size()) {
      header += " of " + std::to_string(outcome_.total);
    }
    if (expected != actual || total != outcome_.total) {
      replace(section, "rows of " + std::to_string(total), expected, header, actual);
    }
  }

  void error(const Section& section, const std::vector<std::string>& expected) {
    const std::string wanted = join(expected, " ");
    if (outcome_.error.empty()) {
      replace(section, "error", expected, "rows", outcome_.rows);
      return;
    }
    const std::size_t colon = wanted.find(": ");
    const bool same = colon != std::string::npos && !outcome_.error.empty() &&
                      outcome_.error.starts_with(wanted.substr(0, colon + 2)) &&
                      outcome_.error.find(wanted.substr(colon + 2)) != std::string::npos;
    if (!same) {
      replace(section, "error", expected, "error", {outcome_.error});
    }
  }

  void same(const Section& section, const std::string& header,
            const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
    if (expected != actual) {
      replace(section, header, expected, header, actual);
    }
  }

  void replace(const Section& section, const std::string& expected_header,
               const std::vector<std::string>& expected, const std::string& actual_header,
               const std::vector<std::string>& actual) {
    differ(expected_header, expected, actual, actual_header);
    result_.replacements.push_back({&section, actual, actual_header});
  }

  void differ(const std::string& expected_header, const std::vector<std::string>& expected,
              const std::vector<std::string>& actual, const std::string& actual_header = "") {
    result_.differences += "  line " + std::to_string(query_.line + 1) + ": " +
                           join(query_.lines, "\n    ") + "\n    expected " + expected_header +
                           "\n      " + join(expected, "\n      ") + "\n    found " +
                           actual_header + "\n      " + join(actual, "\n      ") + "\n";
  }

  const Section& query_;
  const Outcome outcome_;
  CaseResult& result_;
};

}  // namespace

Session::Session(const Ask& ask, std::string database) : ask_(ask), database_(std::move(database)) {
  const api::Response response =
      call("PUT", "/admin/databases?name=" + database_ + "&replicationFactor=1",
           "{\"DatabaseName\":\"" + database_ + "\"}");
  RK_CHECK(response.status == 201);
}

Session::~Session() {
  const api::Response response =
      call("DELETE", "/admin/databases",
           "{\"HardDelete\":true,\"DatabaseNames\":[\"" + database_ + "\"]}");
  RK_CHECK(response.status == 200);
}

api::Response Session::call(std::string_view method, const std::string& target, std::string body) {
  api::Request request = api::Request::make(method, target);
  request.body = std::move(body);
  return ask_(std::move(request));
}

std::string Session::batch(const std::string& commands) {
  const api::Response response =
      call("POST", "/databases/" + database_ + "/bulk_docs", "{\"Commands\":[" + commands + "]}");
  return response.status == 201 ? "" : error_text(response);
}

std::string Session::put(const std::vector<std::string>& lines) {
  std::vector<std::string> commands;
  for (const std::string& line : lines) {
    commands.push_back(put_command(line));
    if (commands.back().empty()) {
      return "expected id, collection and a JSON object: " + line;
    }
  }
  return batch(join(commands, ","));
}

std::string Session::erase(const std::vector<std::string>& ids) {
  std::vector<std::string> commands;
  for (const std::string& id : ids) {
    std::string text;
    value::JsonWriter writer(text);
    writer.begin_object();
    writer.string("Id", trimmed(id));
    writer.string("Type", "DELETE");
    writer.end_object();
    commands.push_back(std::move(text));
  }
  return batch(join(commands, ","));
}

Outcome Session::query(const std::string& text, const std::string& parameters) {
  std::string body;
  value::JsonWriter writer(body);
  writer.begin_object();
  writer.string("Query", text);
  writer.boolean("WaitForNonStaleResults", true);
  if (!parameters.empty()) {
    writer.raw("QueryParameters", parameters);
  }
  writer.end_object();
  return read_answer(call("POST", "/databases/" + database_ + "/queries", std::move(body)));
}

CaseResult run_case(const Ask& ask, const Case& one, const std::string& database) {
  CaseResult result;
  Session session(ask, database);
  for (std::size_t i = 0; i < one.sections.size(); ++i) {
    const Section& section = one.sections[i];
    std::string trouble;
    if (section.kind == SectionKind::kDocuments) {
      trouble = session.put(section.lines);
    } else if (section.kind == SectionKind::kDelete) {
      trouble = session.erase(section.lines);
    } else if (section.kind == SectionKind::kQuery) {
      const bool has_parameters =
          i + 1 < one.sections.size() && one.sections[i + 1].kind == SectionKind::kParameters;
      Comparison comparison(
          section,
          session.query(join(section.lines, "\n"),
                        has_parameters ? join(one.sections[i + 1].lines, "\n") : ""),
          result);
      for (std::size_t j = i + 1; j < one.sections.size(); ++j) {
        if (one.sections[j].kind <= SectionKind::kQuery) {
          break;
        }
        comparison.section(one.sections[j]);
      }
    }
    if (!trouble.empty()) {
      result.differences += "  line " + std::to_string(section.line + 1) + ": " + trouble + "\n";
    }
  }
  return result;
}

}  // namespace rookery::rqt
