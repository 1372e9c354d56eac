// SPDX-License-Identifier: Apache-2.0
// Writes the articles that bench_http_load stores, for contenders that are filled from a file: one
// a line, columns between tabs, in the order of the header that --header prints. No column has a
// tab, a backslash or a line break in it.
#include "articles.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

namespace rookery::bench {
namespace {

std::string line_of(std::uint64_t number) {
  const Article made = article(number);
  std::string tags = "{";
  for (const std::string& tag : made.tags) {
    tags += (tags.size() > 1 ? "," : "") + tag;
  }
  return std::to_string(number) + "\t" + made.id + "\t" + made.category + "\t" + made.author_id +
         "\t" + tags + "}\t" + std::to_string(made.views) + "\t" + rating_of(made) + "\t" +
         made.published_at + "\t" + made.reference + "\t" + made.title + "\t" + made.body + "\t" +
         article_members(made) + "}\n";
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  std::uint64_t count = 0;
  std::uint64_t words = 0;
  bool header = false;
  CLI::App app{"Writes articles as lines of columns, or the words they are made of"};
  app.add_option("--count", count, "articles to write");
  app.add_option("--words", words, "instead: so many words, the commonest first")
      ->check(CLI::Range(std::uint64_t{1}, rookery::bench::kVocabulary));
  app.add_flag("--header", header, "instead: the names of the columns");
  CLI11_PARSE(app, argc, argv);
  if (header) {
    std::puts(
        "n\tid\tcategory\tauthor\ttags\tviews\trating\tpublished\treference\ttitle\ttext\tbody");
    return 0;
  }
  for (std::uint64_t rank = 0; rank < words; ++rank) {
    std::puts(rookery::bench::word_of(rank).c_str());
  }
  for (std::uint64_t number = 0; words == 0 && number < count; ++number) {
    const std::string line = rookery::bench::line_of(number);
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) {
      std::perror("articles");
      return 1;
    }
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
