// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <optional>
#include <utility>

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rookery/os/os_error.h"
#include "rookery/value/text.h"

#include "history.h"
#include "terminal.h"
#include "width.h"

// The only file that knows libedit.

namespace rookery::shell {

namespace {

constexpr std::size_t kWidthDefault = 80;
constexpr std::size_t kCandidatesShownMax = 200;

// libedit converts by the locale, so it needs one whose characters are UTF-8.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");  // NOLINT(concurrency-mt-unsafe): before there are other threads
  const std::string_view codeset = ::nl_langinfo(CODESET);  // NOLINT(concurrency-mt-unsafe)
  if (codeset != "UTF-8") {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // NOLINT(concurrency-mt-unsafe)
  }
}

// Purpose. Blocks signals and makes a descriptor that is readable when one of them has come.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(std::initializer_list<int> signals) {
    ::sigemptyset(&set_);
    for (const int number : signals) {
      ::sigaddset(&set_, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    descriptor_ = ::signalfd(-1, &set_, SFD_NONBLOCK | SFD_CLOEXEC);
  }

  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;

  ~SignalDescriptor() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  // Whether one has come; forgets all that have.
  bool take() {
    bool any = false;
    signalfd_siginfo info{};
    while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      any = true;
    }
    return any;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
  int descriptor_ = -1;
};

// What all of them begin with, as far as they agree byte by byte.
std::string common_beginning(const std::vector<std::string>& texts) {
  std::string common = texts.front();
  for (const std::string& text : texts) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), text.begin(), text.end());
    common.erase(end, common.end());
  }
  // Not half a character.
  common.resize(value::utf8_error_offset(common).value_or(common.size()));
  return common;
}

std::size_t code_point_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Side by side, in as many columns as find room.
std::string side_by_side(const std::vector<std::string>& texts, std::size_t width) {
  const std::size_t count = std::min(texts.size(), kCandidatesShownMax);
  std::size_t widest = 1;
  for (std::size_t i = 0; i < count; ++i) {
    widest = std::max(widest, display_width(texts[i]));
  }
  const std::size_t column_count = std::max<std::size_t>(1, width / (widest + 2));
  const std::size_t row_count = (count + column_count - 1) / column_count;
  std::string out;
  for (std::size_t row = 0; row < row_count; ++row) {
    std::string line;
    for (std::size_t i = row; i < count; i += row_count) {
      line += texts[i] + std::string(widest + 2 - display_width(texts[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (count < texts.size()) {
    out += "... and " + std::to_string(texts.size() - count) + " more\n";
  }
  return out;
}

class EditTerminal final : public Terminal {
 public:
  EditTerminal(Completer completer, std::optional<HistoryFile> file);
  EditTerminal(const EditTerminal&) = delete;
  EditTerminal& operator=(const EditTerminal&) = delete;

  ~EditTerminal() override {
    if (edit_ != nullptr) {
      ::el_end(edit_);
    }
    if (history_ != nullptr) {
      ::history_end(history_);
    }
  }

  [[nodiscard]] bool is_ready() const noexcept {
    return edit_ != nullptr && history_ != nullptr && interrupts_.descriptor() >= 0 &&
           screen_.descriptor() >= 0;
  }

  Line read_line(const std::string& prompt) override;
  void remember(const std::string& statement) override;

  void print(std::string_view text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  void print_error(std::string_view text) override { print(text); }

  [[nodiscard]] std::size_t width() const override {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                             : kWidthDefault;
  }

  [[nodiscard]] bool is_interactive() const override { return true; }

  [[nodiscard]] int cancel_descriptor() const override { return interrupts_.descriptor(); }

  bool take_cancel() override { return interrupts_.take(); }

 private:
  static EditTerminal& of(EditLine* edit) {
    void* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<EditTerminal*>(self);
  }

  // One character, as el_rfunc_t: 1, 0 at the end, -1 when interrupted.
  int read_character(wchar_t* out);
  // Waits for input; false if Ctrl-C came instead.
  bool wait_for_input();
  unsigned char complete();

  SignalDescriptor interrupts_{SIGINT};
  // The window has another size; the process was stopped and goes on.
  SignalDescriptor screen_{SIGWINCH, SIGCONT};
  Completer completer_;
  std::optional<HistoryFile> file_;
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
  std::string prompt_;
  bool is_interrupted_ = false;
};

EditTerminal::EditTerminal(Completer completer, std::optional<HistoryFile> file)
    : completer_(std::move(completer)), file_(std::move(file)) {
  use_utf8();
  edit_ = ::el_init("rookery", stdin, stdout, stderr);
  history_ = ::history_init();
  if (!is_ready()) {
    return;
  }
  ::el_set(edit_, EL_CLIENTDATA, this);
  ::el_set(edit_, EL_EDITOR, "emacs");
  ::el_set(edit_, EL_SIGNAL, 0);
  ::el_set(
      edit_, EL_PROMPT, +[](EditLine* edit) { return of(edit).prompt_.data(); });
  ::el_set(
      edit_, EL_GETCFN, +[](EditLine* edit, wchar_t* out) { return of(edit).read_character(out); });
  ::el_set(
      edit_, EL_ADDFN, "rookery-complete", "Complete the word before the cursor",
      +[](EditLine* edit, int /*key*/) { return of(edit).complete(); });
  ::el_set(edit_, EL_BIND, "^I", "rookery-complete", nullptr);
  ::el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  ::el_set(edit_, EL_BIND, "^W", "ed-delete-prev-word", nullptr);
  HistEvent event{};
  ::history(history_, &event, H_SETSIZE, static_cast<int>(kHistoryEntriesMax));
  ::history(history_, &event, H_SETUNIQUE, 1);
  ::el_set(edit_, EL_HIST, ::history, history_);
  ::el_source(edit_, nullptr);  // the user's own keys
  if (file_.has_value()) {
    for (const std::string& entry : file_->entries()) {
      ::history(history_, &event, H_ENTER, entry.c_str());
    }
  }
}

Line EditTerminal::read_line(const std::string& prompt) {
  prompt_ = prompt;
  is_interrupted_ = false;
  int count = 0;
  // Before the prompt is seen: libedit would do it after, and what a quick hand types in between
  // would be edited by the terminal driver, to which Ctrl-D is no character.
  ::el_set(edit_, EL_PREP_TERM, 1);
  const char* text = ::el_gets(edit_, &count);
  if (is_interrupted_) {
    ::el_reset(edit_);
    print("^C\n");
    return {.kind = Line::Kind::kCancelled};
  }
  if (text == nullptr || count <= 0) {
    print("\n");
    return {.kind = Line::Kind::kEnd};
  }
  std::string_view line(text, static_cast<std::size_t>(count));
  line.remove_suffix(line.ends_with('\n') ? 1 : 0);
  return {.text = std::string(line)};
}

void EditTerminal::remember(const std::string& statement) {
  HistEvent event{};
  ::history(history_, &event, H_ENTER, statement.c_str());
  if (file_.has_value()) {
    if (const auto added = file_->add(statement); !added.has_value()) {
      print_error("warning: " + std::string(added.error().message()) + "\n");
      file_.reset();
    }
  }
}

bool EditTerminal::wait_for_input() {
  for (;;) {
    std::array<pollfd, 3> watched = {
        pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
        pollfd{.fd = interrupts_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = screen_.descriptor(), .events = POLLIN, .revents = 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) {
      return true;  // reading will say what is wrong
    }
    if (interrupts_.take()) {
      is_interrupted_ = true;
      return false;
    }
    if (screen_.take()) {
      ::el_resize(edit_);
      // Whoever had the terminal meanwhile may have set it otherwise.
      ::el_set(edit_, EL_PREP_TERM, 1);
      ::el_set(edit_, EL_REFRESH);
    }
    if (watched[0].revents != 0) {
      return true;
    }
  }
}

int EditTerminal::read_character(wchar_t* out) {
  std::mbstate_t state{};
  for (;;) {
    if (!wait_for_input()) {
      errno = EINTR;
      return -1;
    }
    char byte = 0;
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count == 0) {
      return 0;
    }
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return -1;
    }
    std::size_t taken = std::mbrtowc(out, &byte, 1, &state);
    if (taken == static_cast<std::size_t>(-1)) {
      // What came before was no character after all, but this may be one, or begin one.
      state = {};
      taken = std::mbrtowc(out, &byte, 1, &state);
    }
    if (taken == static_cast<std::size_t>(-1)) {
      state = {};
    } else if (taken != static_cast<std::size_t>(-2)) {
      return 1;
    }
  }
}

unsigned char EditTerminal::complete() {
  const LineInfo* line = ::el_line(edit_);
  const std::string before(line->buffer, line->cursor);
  const Completion found = completer_(before);
  if (found.candidates.empty() || found.start > before.size()) {
    return CC_REFRESH_BEEP;
  }
  const std::string typed = before.substr(found.start);
  std::string common = common_beginning(found.candidates);
  if (found.candidates.size() == 1) {
    // More must follow what ends with these.
    common += common.ends_with('(') || common.ends_with('.') ? "" : " ";
  }
  if (common.size() > typed.size() || found.candidates.size() == 1) {
    ::el_deletestr(edit_, static_cast<int>(code_point_count(typed)));
    ::el_insertstr(edit_, common.c_str());
    return CC_REFRESH;
  }
  print("\n" + side_by_side(found.candidates, width()));
  return CC_REDISPLAY;
}

}  // namespace

Result<std::unique_ptr<Terminal>> make_edit_terminal(const std::string& history_path,
                                                     Completer completer) {
  std::optional<HistoryFile> file;
  std::string warning;
  if (!history_path.empty()) {
    auto opened = HistoryFile::open(history_path);
    if (opened.has_value()) {
      file = std::move(opened).value();
    } else {
      // Not worth staying out for.
      warning = "warning: " + std::string(opened.error().message()) + "\n";
    }
  }
  auto terminal = std::make_unique<EditTerminal>(std::move(completer), std::move(file));
  if (!terminal->is_ready()) {
    return Error(ErrorCode::io, "the terminal cannot be used for editing");
  }
  terminal->print_error(warning);
  return std::unique_ptr<Terminal>(std::move(terminal));
}

}  // namespace rookery::shell
