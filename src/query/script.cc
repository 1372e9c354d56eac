// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ascii.h"

namespace rookery::query {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Size of the comment at the start of `text`, 0 if there is none. One that never ends takes all.
std::size_t comment_size(std::string_view text) noexcept {
  std::size_t end = kNone;
  if (text.starts_with("//")) {
    end = text.find('\n');
    return end == kNone ? text.size() : end;
  }
  if (text.starts_with("/*")) {
    end = text.find("*/", 2);
    return end == kNone ? text.size() : end + 2;
  }
  return 0;
}

// Size of the regular expression at the start of `text`, 0 if no slash ends it on its line.
std::size_t regex_size(std::string_view text) noexcept {
  bool in_class = false;
  for (std::size_t i = 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '[') {
      in_class = true;
    } else if (text[i] == ']') {
      in_class = false;
    } else if (text[i] == '/' && !in_class) {
      return i + 1;
    }
  }
  return 0;
}

// Words after which an expression begins, so that a slash begins a regular expression.
bool expects_operand(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 16> kWords = {
      "return", "typeof", "case", "in",   "of",    "delete", "void",    "instanceof",
      "new",    "throw",  "do",   "else", "yield", "await",  "default", "extends"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Words whose parentheses are followed by a statement, not by an operator.
bool takes_condition(std::string_view word) noexcept {
  return word == "if" || word == "while" || word == "for" || word == "with";
}

// Walks JavaScript token by token, keeping of the past only what tells a regular expression from a
// division: whether an operand may begin here, and what each open bracket is.
class JavaScriptScanner {
 public:
  explicit JavaScriptScanner(std::string_view text) : text_(text) {}

  std::optional<std::size_t> size_to_closing_brace() {
    while (at_ < text_.size()) {
      if (text_[at_] == '}' && braces_open_ == 0) {
        return at_;
      }
      if (!step()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  enum class Open : std::uint8_t { kParenthesis, kCondition, kBlock, kObject, kTemplate };

  static bool is_brace(Open open) { return open >= Open::kBlock; }

  void open_brace(Open open) {
    open_.push_back(open);
    ++braces_open_;
  }

  // False if something that began here never ends.
  bool step() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest.front();
    if (is_blank(c)) {
      ++at_;
      return true;
    }
    if (const std::size_t comment = comment_size(rest); comment != 0) {
      at_ += comment;
      return true;
    }
    if (c == '\'' || c == '"') {
      return take_string(c);
    }
    if (c == '`') {
      ++at_;
      return take_template();
    }
    if (is_letter(c) || is_digit(c) || c == '_' || c == '$') {
      take_word();
      return true;
    }
    if (c == '/') {
      take_slash();
      return true;
    }
    return take_punctuation(c);
  }

  bool take_string(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      }
    }
    ++at_;
    after_operand();
    return at_ <= text_.size();
  }

  // Inside a template literal: up to its end, or to a `${`, whose `}` comes back here.
  bool take_template() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '`') {
        ++at_;
        after_operand();
        return true;
      } else if (text_.substr(at_).starts_with("${")) {
        at_ += 2;
        open_brace(Open::kTemplate);
        after_operator('{');
        return true;
      }
    }
    return false;
  }

  void take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                  text_[at_] == '_' || text_[at_] == '$')) {
      ++at_;
    }
    const bool is_property = last_ == '.';
    word_ = is_property ? std::string_view{} : text_.substr(start, at_ - start);
    operand_may_begin_ = expects_operand(word_);
    last_ = 'w';
  }

  void take_slash() {
    const std::size_t size = operand_may_begin_ ? regex_size(text_.substr(at_)) : 0;
    if (size == 0) {
      ++at_;
      after_operator('/');
    } else {
      at_ += size;
      after_operand();
    }
  }

  bool take_punctuation(char c) {
    if (text_.substr(at_).starts_with("++") || text_.substr(at_).starts_with("--")) {
      at_ += 2;  // before or after its operand: what may follow does not change
      return true;
    }
    ++at_;
    switch (c) {
      case '(':
        open_.push_back(takes_condition(word_) ? Open::kCondition : Open::kParenthesis);
        break;
      case '{':
        open_brace(begins_block() ? Open::kBlock : Open::kObject);
        break;
      case ')':
        close_parenthesis();
        return true;
      case '}':
        return close_brace();
      case ']':
        after_operand();
        return true;
      default:
        break;
    }
    after_operator(c);
    return true;
  }

  // A brace opens a block after a head, a statement or another block; an object elsewhere.
  bool begins_block() const {
    if (last_ == 'w') {
      return word_ == "else" || word_ == "do" || word_ == "try" || word_ == "finally";
    }
    return last_ == ')' || last_ == ';' || last_ == '{' || last_ == '}' || last_ == '\0' ||
           last_ == '>';  // the end of =>
  }

  void close_parenthesis() {
    bool was_condition = false;
    if (!open_.empty() && !is_brace(open_.back())) {
      was_condition = open_.back() == Open::kCondition;
      open_.pop_back();
    }
    after_operand();
    operand_may_begin_ = was_condition;
    last_ = ')';
  }

  // The caller has seen that a brace is open. Parentheses left open inside it are forgotten: the
  // engine will say so, the braces still decide where the text ends.
  bool close_brace() {
    while (!is_brace(open_.back())) {
      open_.pop_back();
    }
    const Open closed = open_.back();
    open_.pop_back();
    --braces_open_;
    if (closed == Open::kTemplate) {
      return take_template();
    }
    after_operand();
    operand_may_begin_ = closed == Open::kBlock;
    last_ = '}';
    return true;
  }

  void after_operand() {
    operand_may_begin_ = false;
    last_ = 'o';
    word_ = {};
  }

  void after_operator(char c) {
    operand_may_begin_ = true;
    last_ = c;
    word_ = {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool operand_may_begin_ = true;
  char last_ = '\0';  // the last token: its character; 'w' a word, 'o' any other operand
  std::string_view word_;
  std::vector<Open> open_;
  std::size_t braces_open_ = 0;  // of open_, those that are braces
};

}  // namespace

std::size_t quoted_size(std::string_view text) noexcept {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (i + 1 < text.size() && text[i + 1] == quote) {
        ++i;
      } else {
        return i + 1;
      }
    }
  }
  return 0;
}

std::optional<std::size_t> javascript_size(std::string_view text) {
  return JavaScriptScanner(text).size_to_closing_brace();
}

std::optional<std::size_t> balanced_size(std::string_view text, char close) noexcept {
  const char open = close == '}' ? '{' : '(';
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (const std::size_t comment = comment_size(rest); comment != 0) {
      i += comment;
      continue;
    }
    if (rest.front() == '\'' || rest.front() == '"') {
      const std::size_t size = quoted_size(rest);
      if (size == 0) {
        return std::nullopt;
      }
      i += size;
      continue;
    }
    if (rest.front() == close) {
      if (depth == 0) {
        return i;
      }
      --depth;
    } else if (rest.front() == open) {
      ++depth;
    }
    ++i;
  }
  return std::nullopt;
}

}  // namespace rookery::query
