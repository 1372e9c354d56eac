// SPDX-License-Identifier: Apache-2.0
#include "history.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rookery/query/print.h"

namespace rookery::twin {

namespace {

// Bounds the time that one disagreement may take.
constexpr int kTriesMax = 3000;

[[nodiscard]] std::vector<std::string> sorted(std::vector<std::string> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

[[nodiscard]] std::string lines(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) {
    text += "    " + row + "\n";
  }
  return text;
}

// Every query that is simpler than this expression by one step.
void simpler(const query::Expression& expression, std::vector<query::Expression>& out) {
  if (const auto* logical = std::get_if<query::Logical>(&expression.node)) {
    for (std::size_t i = 0; i < logical->terms.size(); ++i) {
      const query::Expression& term = logical->terms[i];
      const auto* negation = std::get_if<query::Not>(&term.node);
      out.push_back(negation != nullptr ? *negation->term : term);
      if (logical->terms.size() > 2) {
        query::Logical fewer = *logical;
        fewer.terms.erase(fewer.terms.begin() + static_cast<std::ptrdiff_t>(i));
        if (!std::holds_alternative<query::Not>(fewer.terms[0].node)) {
          out.push_back({.at = {}, .node = std::move(fewer)});
        }
      }
      std::vector<query::Expression> inner;
      simpler(term, inner);
      for (query::Expression& one : inner) {
        query::Logical changed = *logical;
        changed.terms[i] = std::move(one);
        out.push_back({.at = {}, .node = std::move(changed)});
      }
    }
  } else if (const auto* negation = std::get_if<query::Not>(&expression.node)) {
    std::vector<query::Expression> inner;
    simpler(*negation->term, inner);
    for (query::Expression& one : inner) {
      out.push_back({.at = {}, .node = query::Not{std::move(one)}});
    }
  } else if (const auto* in = std::get_if<query::In>(&expression.node)) {
    for (std::size_t i = 0; i < in->values.size(); ++i) {
      query::In fewer = *in;
      fewer.values.erase(fewer.values.begin() + static_cast<std::ptrdiff_t>(i));
      out.push_back({.at = {}, .node = std::move(fewer)});
    }
  } else if (const auto* call = std::get_if<query::Call>(&expression.node)) {
    if (call->method == query::Method::kBoost || call->method == query::Method::kExact) {
      out.push_back(*call->arguments[0].value);
    }
  }
}

}  // namespace

void Model::apply(const Step& step) {
  const auto erase = [&](const std::string& id) {
    std::erase_if(documents_, [&](const Document& document) { return document.id == id; });
  };
  for (const Document& document : step.put) {
    erase(document.id);
    documents_.push_back(document);
    documents_.back().stamp = ++stamp_;
  }
  for (const std::string& id : step.erased) {
    erase(id);
  }
}

std::string apply(rqt::Session& session, const Step& step) {
  if (!step.put.empty()) {
    std::vector<std::string> all;
    for (const Document& document : step.put) {
      all.push_back(document.id + ' ' + document.collection + ' ' + document.body.dump());
    }
    if (std::string trouble = session.put(all); !trouble.empty()) {
      return trouble;
    }
  }
  return step.erased.empty() ? "" : session.erase(step.erased);
}

std::string disagreement(rqt::Session& session, const Question& question, const Answer& wanted) {
  const rqt::Outcome found =
      session.query(query::print(question.query), question.parameters.dump());
  if (!found.error.empty() || !found.trouble.empty()) {
    return found.error + found.trouble;
  }
  const bool same_rows =
      wanted.is_ordered ? wanted.rows == found.rows : sorted(wanted.rows) == sorted(found.rows);
  if (same_rows && wanted.total == found.total) {
    return "";
  }
  return "  expected " + std::to_string(wanted.total) + ":\n" + lines(wanted.rows) + "  found " +
         std::to_string(found.total) + ":\n" + lines(found.rows);
}

bool Shrinker::fails(const std::vector<Step>& history) {
  ++tries_;
  rqt::Session session(ask_, database_ + '-' + std::to_string(tries_));
  Model model;
  for (std::size_t i = 0; i < history.size(); ++i) {
    model.apply(history[i]);
    if (!apply(session, history[i]).empty()) {
      return false;
    }
    if (history[i].question) {
      const Question& question = *history[i].question;
      const Answer wanted = evaluate(question.query, question.parameters, model.documents());
      const bool differs = !disagreement(session, question, wanted).empty();
      if (i + 1 == history.size()) {
        return differs;
      }
    }
  }
  return false;
}

bool Shrinker::take(std::vector<Step>& history, std::vector<Step> candidate) {
  if (tries_ > kTriesMax || !fails(candidate)) {
    return false;
  }
  history = std::move(candidate);
  return true;
}

// Halves first, then single steps.
bool Shrinker::drop_steps(std::vector<Step>& history) {
  bool any = false;
  for (std::size_t size = history.size() / 2; size > 0; size /= 2) {
    for (std::size_t at = 0; at + size < history.size();) {
      std::vector<Step> candidate = history;
      candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(at),
                      candidate.begin() + static_cast<std::ptrdiff_t>(at + size));
      if (take(history, std::move(candidate))) {
        any = true;
      } else {
        at += size;
      }
    }
  }
  return any;
}

bool Shrinker::drop_documents(std::vector<Step>& history) {
  bool any = false;
  for (std::size_t s = 0; s < history.size(); ++s) {
    for (std::size_t i = 0; i < history[s].put.size();) {
      std::vector<Step> candidate = history;
      auto& put = candidate[s].put;
      put.erase(put.begin() + static_cast<std::ptrdiff_t>(i));
      const bool taken = take(history, std::move(candidate));
      any = any || taken;
      i += taken ? 0 : 1;
    }
    for (std::size_t i = 0; i < history[s].erased.size();) {
      std::vector<Step> candidate = history;
      auto& erased = candidate[s].erased;
      erased.erase(erased.begin() + static_cast<std::ptrdiff_t>(i));
      const bool taken = take(history, std::move(candidate));
      any = any || taken;
      i += taken ? 0 : 1;
    }
  }
  return any;
}

bool Shrinker::drop_members(std::vector<Step>& history) {
  bool any = false;
  for (std::size_t s = 0; s < history.size(); ++s) {
    for (std::size_t d = 0; d < history[s].put.size(); ++d) {
      std::vector<std::string> keys;
      for (const auto& [key, value] : history[s].put[d].body.items()) {
        keys.push_back(key);
      }
      for (const std::string& key : keys) {
        std::vector<Step> candidate = history;
        candidate[s].put[d].body.erase(key);
        any = take(history, std::move(candidate)) || any;
      }
    }
  }
  return any;
}

bool Shrinker::simplify_query(std::vector<Step>& history) {
  const query::Query& query = history.back().question->query;
  std::vector<query::Query> candidates;
  const auto add = [&](const auto& change) {
    query::Query changed = query;
    change(changed);
    if (!(changed == query)) {
      candidates.push_back(std::move(changed));
    }
  };
  add([](query::Query& q) { q.where.reset(); });
  add([](query::Query& q) { q.select.reset(); });
  add([](query::Query& q) { q.limit.reset(); });
  add([](query::Query& q) { q.offset.reset(); });
  for (std::size_t i = 0; i < query.order_by.size(); ++i) {
    add([i](query::Query& q) {
      q.order_by.erase(q.order_by.begin() + static_cast<std::ptrdiff_t>(i));
    });
    add([i](query::Query& q) { q.order_by[i].descending = false; });
    add([i](query::Query& q) { q.order_by[i].nulls.reset(); });
    add([i](query::Query& q) { q.order_by[i].type.reset(); });
  }
  if (query.where) {
    std::vector<query::Expression> conditions;
    simpler(*query.where, conditions);
    for (const query::Expression& condition : conditions) {
      add([&](query::Query& q) { q.where = condition; });
    }
  }
  for (query::Query& candidate : candidates) {
    std::vector<Step> changed = history;
    changed.back().question->query = std::move(candidate);
    if (take(history, std::move(changed))) {
      return true;
    }
  }
  return false;
}

std::vector<Step> Shrinker::shrink(std::vector<Step> history) {
  // Most often the documents as they are now are enough.
  Model model;
  for (const Step& step : history) {
    model.apply(step);
  }
  std::vector<Step> last = {Step{.put = model.documents(), .erased = {}, .question = {}},
                            history.back()};
  last.back().put.clear();
  last.back().erased.clear();
  if (fails(last)) {
    history = std::move(last);
  } else if (!fails(history)) {
    return history;
  }
  for (bool any = true; any && tries_ < kTriesMax;) {
    any = drop_steps(history);
    while (simplify_query(history)) {
      any = true;
    }
    any = drop_documents(history) || any;
    any = drop_members(history) || any;
  }
  return history;
}

std::string to_rqt(const std::vector<Step>& history, const std::string& name) {
  std::string text = "=== " + name + "\n";
  Model model;
  for (const Step& step : history) {
    model.apply(step);
    if (!step.put.empty()) {
      text += "--- documents\n";
      for (const Document& document : step.put) {
        text += document.id + "  " + document.collection + "  " + document.body.dump() + "\n";
      }
    }
    if (!step.erased.empty()) {
      text += "--- delete\n";
      for (const std::string& id : step.erased) {
        text += id + "\n";
      }
    }
    if (!step.question) {
      continue;
    }
    const Question& question = *step.question;
    const Answer answer = evaluate(question.query, question.parameters, model.documents());
    text += "--- query\n" + query::print(question.query) + "\n";
    if (!question.parameters.empty()) {
      text += "--- parameters\n" + question.parameters.dump() + "\n";
    }
    text += "--- rows";
    text += answer.is_ordered ? "" : " in any order";
    text += answer.total != answer.rows.size() ? " of " + std::to_string(answer.total) : "";
    text += "\n";
    for (const std::string& row : answer.rows) {
      text += row + "\n";
    }
  }
  return text;
}

}  // namespace rookery::twin
