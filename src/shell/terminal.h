// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. What the shell reads from and writes to: a terminal with line editing, or streams.

namespace rookery::shell {

struct Line {
  enum class Kind : std::uint8_t {
    kText,
    kEnd,        // of the input, or Ctrl-D on an empty line
    kCancelled,  // Ctrl-C
  };

  Kind kind = Kind::kText;
  std::string text{};  // without its end
};

// What may stand for the end of a text, from byte `start` on.
struct Completion {
  std::size_t start = 0;
  std::vector<std::string> candidates{};
};

// From all that stands before the cursor on its line.
using Completer = std::function<Completion(std::string_view before_cursor)>;

// Threads: one owner.
class Terminal {
 public:
  Terminal() = default;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  virtual ~Terminal() = default;

  virtual Line read_line(const std::string& prompt) = 0;
  // Adds a statement to the history.
  virtual void remember(const std::string& statement) = 0;
  virtual void print(std::string_view text) = 0;
  virtual void print_error(std::string_view text) = 0;
  // In columns; 0: unbounded.
  [[nodiscard]] virtual std::size_t width() const = 0;
  // Somebody sits there: prompts, and one page at a time.
  [[nodiscard]] virtual bool is_interactive() const = 0;
  // Readable once Ctrl-C was typed, until take_cancel(). -1: Ctrl-C ends the process.
  [[nodiscard]] virtual int cancel_descriptor() const = 0;
  // True if Ctrl-C was typed since it was last asked.
  virtual bool take_cancel() = 0;
};

// Over the standard streams, without editing, prompts or history.
[[nodiscard]] std::unique_ptr<Terminal> make_stream_terminal();

// Both standard streams are a terminal.
[[nodiscard]] bool is_terminal();

// Over the terminal at the standard streams, with editing, history and completion. Blocks SIGINT,
// SIGWINCH and SIGCONT in this thread while it lives; make it before there are others.
// `history_path` empty: no history is kept.
// Errors: io.
[[nodiscard]] Result<std::unique_ptr<Terminal>> make_edit_terminal(const std::string& history_path,
                                                                   Completer completer);

}  // namespace rookery::shell
