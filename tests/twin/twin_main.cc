// SPDX-License-Identifier: Apache-2.0
// rookery-twin: random documents and queries, the product's answers beside those of a naive
// evaluator.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "rookery/base/prng.h"
#include "rookery/query/parse.h"
#include "rookery/query/print.h"

#include "generator.h"
#include "history.h"
#include "service_ask.h"

namespace rookery::twin {
namespace {

struct Options {
  std::uint64_t pairs = 10'000;
  std::uint64_t seed = 1;
  std::uint64_t questions_per_set = 600;
  std::uint64_t questions_per_round = 40;
  std::uint64_t failures_max = 5;
  std::string out = ".";  // where disagreements are kept
};

class Run {
 public:
  Run(const Options& options, const rqt::Ask& ask) : options_(options), ask_(ask) {}

  int run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t set = 0; pairs_ < options_.pairs && failures_ < options_.failures_max;
         ++set) {
      one_set(set);
      if (set % 50 == 49) {
        std::cout << pairs_ << " pairs, " << found_rows_ << " rows, " << failures_
                  << " disagreements, " << seconds_since(start) << " s" << std::endl;
      }
    }
    std::cout << pairs_ << " pairs, " << nonempty_ << " of them with rows, " << failures_
              << " disagreements, seed " << options_.seed << ", " << seconds_since(start) << " s\n";
    // Answers that are all empty would show nothing.
    return failures_ == 0 && nonempty_ > pairs_ / 10 ? 0 : 1;
  }

 private:
  static std::int64_t seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() -
                                                            start)
        .count();
  }

  // Each set has a seed of its own, so that it can be run alone.
  void one_set(std::uint64_t set) {
    Prng prng(options_.seed * 1'000'003 + set);
    Generator generator(prng);
    rqt::Session session(ask_, "twin" + std::to_string(set));
    std::vector<Step> history;
    Model model;
    for (std::uint64_t asked = 0; asked < options_.questions_per_set && pairs_ < options_.pairs;) {
      Step change;
      for (std::uint64_t i = prng.below(asked == 0 ? 16 : 5); i > 0; --i) {
        change.put.push_back(generator.document());
      }
      for (std::uint64_t i = asked == 0 ? 0 : prng.below(3); i > 0; --i) {
        change.erased.push_back(generator.id());
      }
      if (const std::string trouble = apply(session, change); !trouble.empty()) {
        std::cout << "set " << set << ": " << trouble << "\n";
        ++failures_;
        return;
      }
      model.apply(change);
      history.push_back(std::move(change));
      for (std::uint64_t i = 0; i < options_.questions_per_round; ++i, ++asked) {
        history.push_back({.put = {}, .erased = {}, .question = generator.question()});
        if (!ask(session, model, history, set)) {
          return;
        }
      }
    }
  }

  bool ask(rqt::Session& session, const Model& model, const std::vector<Step>& history,
           std::uint64_t set) {
    const Question& question = *history.back().question;
    ++pairs_;
    const Answer wanted = evaluate(question.query, question.parameters, model.documents());
    found_rows_ += wanted.rows.size();
    nonempty_ += wanted.rows.empty() ? 0U : 1U;
    const std::string differs = disagreement(session, question, wanted);
    if (differs.empty()) {
      return true;
    }
    ++failures_;
    std::cout << "set " << set << ": " << query::print(question.query) << "\n  "
              << question.parameters.dump() << "\n"
              << differs << std::endl;
    const std::string name =
        "seed-" + std::to_string(options_.seed) + "-set-" + std::to_string(set);
    Shrinker shrinker(ask_, name);
    const std::vector<Step> small = shrinker.shrink(history);
    const std::string path = options_.out + "/" + name + ".rqt";
    std::ofstream(path) << to_rqt(small, "found by the twin: seed " +
                                             std::to_string(options_.seed) + ", set " +
                                             std::to_string(set));
    std::cout << "  kept as " << path << ": " << query::print(small.back().question->query)
              << std::endl;
    return false;
  }

  const Options& options_;
  const rqt::Ask& ask_;
  std::uint64_t pairs_ = 0;
  std::uint64_t found_rows_ = 0;
  std::uint64_t nonempty_ = 0;
  std::uint64_t failures_ = 0;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Compares answers to random queries with those of a naive evaluator."};
  app.add_option("--pairs", options.pairs, "queries, each over some set of documents");
  app.add_option("--seed", options.seed, "where the randomness begins");
  app.add_option("--questions-per-set", options.questions_per_set, "before an empty database");
  app.add_option("--questions-per-round", options.questions_per_round, "between two changes");
  app.add_option("--failures", options.failures_max, "disagreements that end the run");
  app.add_option("--out", options.out, "folder for disagreements as .rqt");
  CLI11_PARSE(app, argc, argv);
  rqt::MemoryService service;
  const rqt::Ask ask = service.ask();
  return Run(options, ask).run();
}

}  // namespace
}  // namespace rookery::twin

int main(int argc, char** argv) {
  return rookery::twin::run(argc, argv);
}
