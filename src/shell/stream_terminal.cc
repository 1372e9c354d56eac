// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#include "terminal.h"

namespace rookery::shell {

namespace {

// What the caller exported, for tables in a pipe that end on a screen after all.
std::size_t columns_of_environment() {
  const char* text = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::size_t columns = 0;
  if (text != nullptr) {
    const std::string_view view(text);
    std::from_chars(view.data(), view.data() + view.size(), columns);
  }
  return columns;
}

void write_to(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

class StreamTerminal final : public Terminal {
 public:
  Line read_line(const std::string& /*prompt*/) override {
    Line line;
    if (!std::getline(std::cin, line.text)) {
      line.kind = Line::Kind::kEnd;
    }
    return line;
  }

  void remember(const std::string& /*statement*/) override {}

  void print(std::string_view text) override { write_to(stdout, text); }

  void print_error(std::string_view text) override { write_to(stderr, text); }

  [[nodiscard]] std::size_t width() const override { return width_; }

  [[nodiscard]] bool is_interactive() const override { return false; }

  [[nodiscard]] int cancel_descriptor() const override { return -1; }

  bool take_cancel() override { return false; }

 private:
  const std::size_t width_ = columns_of_environment();
};

}  // namespace

std::unique_ptr<Terminal> make_stream_terminal() {
  return std::make_unique<StreamTerminal>();
}

bool is_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace rookery::shell
