// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <simdjson.h>

#include "rookery/base/check.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "assembler.h"
#include "number.h"

namespace rookery::value {

namespace {

namespace ondemand = simdjson::ondemand;

// Where the text goes wrong.
struct Fault {
  ErrorCode code = ErrorCode::malformed;
  std::string what;
  std::size_t offset = 0;
};

[[nodiscard]] bool is_json_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

[[nodiscard]] std::string_view trim_end(std::string_view token) noexcept {
  while (!token.empty() && is_json_space(token.back())) {
    token.remove_suffix(1);
  }
  return token;
}

// "what at line 1, column 2 (byte 1)"
[[nodiscard]] Error error_at(std::string_view text, const Fault& fault) {
  const std::size_t offset = std::min(fault.offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_break = before.rfind('\n');
  const std::size_t column =
      line_break == std::string_view::npos ? offset + 1 : offset - line_break;
  return Error(fault.code, fault.what + " at line " + std::to_string(line) + ", column " +
                               std::to_string(column) + " (byte " + std::to_string(offset) + ")");
}

// The first control character inside a string literal, or the start of one that never ends.
[[nodiscard]] std::size_t string_fault_offset(std::string_view text) noexcept {
  std::size_t quote = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      quote = quote == std::string_view::npos ? i : std::string_view::npos;
    } else if (quote != std::string_view::npos) {
      if (static_cast<unsigned char>(text[i]) < 0x20) {
        return i;
      }
      i += text[i] == '\\' ? 1U : 0U;
    }
  }
  return quote == std::string_view::npos ? text.size() : quote;
}

// Reads the tokens of one text into the assembler. On-Demand leaves unchecked what is not touched,
// so everything is touched, and simdjson is asked for structure and strings only: the values of
// numbers, and `true`, `false`, `null`, are read from their raw tokens.
class Reading {
 public:
  Reading(ondemand::parser& parser, ondemand::document& document, Assembler& assembler,
          Buffer& scratch, std::string_view text, std::size_t depth_max)
      : parser_(parser),
        document_(document),
        assembler_(assembler),
        scratch_(scratch),
        text_(text),
        depth_max_(depth_max) {}

  // False leaves a fault, or a failure in the assembler.
  [[nodiscard]] bool run();

  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  // Recursion is bounded by depth_max_ <= kDepthMax; depth counts the containers around.
  [[nodiscard]] bool read_value(ondemand::value value, std::size_t depth);
  [[nodiscard]] bool read_array(ondemand::array array, std::size_t depth);
  [[nodiscard]] bool read_object(ondemand::object object, std::size_t depth, const char* start);
  // A root that is neither: On-Demand has other calls for it, and does not look behind it.
  [[nodiscard]] bool read_lone_scalar(std::string_view token);
  [[nodiscard]] bool read_key(ondemand::field& field);
  // `token` is a literal or a number, without whitespace at its end.
  [[nodiscard]] bool read_atom(std::string_view token);
  // `token` begins with a quote.
  [[nodiscard]] bool read_string(std::string_view token);
  // What the literal between `raw` and `end` stands for; nullopt leaves a fault.
  [[nodiscard]] std::optional<std::string_view> unescape(const char* raw, const char* end);
  [[nodiscard]] bool enter(std::size_t depth, const char* at);

  [[nodiscard]] bool fail(ErrorCode code, std::string what, const char* at) {
    fault_ = {.code = code, .what = std::move(what), .offset = offset_of(at)};
    return false;
  }

  [[nodiscard]] bool fail_syntax(std::string what, const char* at) {
    return fail(ErrorCode::malformed, std::move(what), at);
  }

  [[nodiscard]] std::size_t offset_of(const char* at) const noexcept {
    return at < text_.data() ? 0 : static_cast<std::size_t>(at - text_.data());
  }

  // simdjson stands behind the token that it could not accept.
  [[nodiscard]] bool fail_structure(simdjson::error_code error);

  ondemand::parser& parser_;
  ondemand::document& document_;
  Assembler& assembler_;
  Buffer& scratch_;
  std::string_view text_;
  std::size_t depth_max_;
  Fault fault_;
};

bool Reading::fail_structure(simdjson::error_code error) {
  const char* place = text_.data() + text_.size();
  if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT) {
    return fail_syntax("an array or object is not closed, or text follows it", place);
  }
  const auto location = document_.current_location();
  if (location.error() == simdjson::SUCCESS) {
    place = location.value_unsafe();
  }
  return fail_syntax("a comma, colon, key or closing bracket is missing or misplaced", place);
}

bool Reading::enter(std::size_t depth, const char* at) {
  if (depth < depth_max_) {
    return true;
  }
  return fail(ErrorCode::too_large, "nested deeper than " + std::to_string(depth_max_) + " levels",
              at);
}

std::optional<std::string_view> Reading::unescape(const char* raw, const char* end) {
  scratch_.clear();
  // simdjson may write up to its padding beyond what it decodes.
  const std::size_t room = static_cast<std::size_t>(end - raw) + simdjson::SIMDJSON_PADDING;
  if (!scratch_.try_extend(room)) {
    static_cast<void>(fail(ErrorCode::out_of_memory, "there is no memory for a string", raw));
    return std::nullopt;
  }
  auto* to = reinterpret_cast<std::uint8_t*>(scratch_.data());
  std::string_view decoded;
  const ondemand::raw_json_string literal(reinterpret_cast<const std::uint8_t*>(raw));
  if (parser_.unescape(literal, to).get(decoded) != simdjson::SUCCESS || !is_utf8(decoded)) {
    static_cast<void>(
        fail_syntax("an escape in a string is not valid, or half a surrogate pair", raw - 1));
    return std::nullopt;
  }
  return decoded;
}

bool Reading::read_string(std::string_view token) {
  const char* raw = token.data() + 1;
  const char* end = token.data() + token.size() - 1;
  if (token.size() < 2 || *end != '"') {
    return fail_syntax("a string is not closed", token.data());
  }
  const std::string_view inside(raw, static_cast<std::size_t>(end - raw));
  if (inside.find('\\') == std::string_view::npos) {
    assembler_.string(inside);
    return true;
  }
  const std::optional<std::string_view> decoded = unescape(raw, end);
  if (decoded) {
    assembler_.string(*decoded);
  }
  return decoded.has_value();
}

bool Reading::read_key(ondemand::field& field) {
  const char* raw = field.key().raw();
  const char* end = raw;
  bool escaped = false;
  // Ends: a string that is not closed does not come this far.
  while (*end != '"') {
    escaped |= *end == '\\';
    end += *end == '\\' ? 2 : 1;
  }
  if (!escaped) {
    assembler_.key({raw, static_cast<std::size_t>(end - raw)});
    return true;
  }
  const std::optional<std::string_view> decoded = unescape(raw, end);
  if (decoded) {
    assembler_.key(*decoded);
  }
  return decoded.has_value();
}

bool Reading::read_atom(std::string_view token) {
  if (is_json_number(token)) {
    assembler_.number(token);
  } else if (token == "null") {
    assembler_.null();
  } else if (token == "true" || token == "false") {
    assembler_.boolean(token == "true");
  } else {
    const bool number = token.front() == '-' || (token.front() >= '0' && token.front() <= '9');
    const bool structural = std::string_view(",:]}").find(token.front()) != std::string_view::npos;
    return fail_syntax(number       ? "a number is not valid JSON"
                       : structural ? "a value is missing"
                                    : "text that is not JSON",
                       token.data());
  }
  return true;
}

bool Reading::read_value(ondemand::value value, std::size_t depth) {
  const std::string_view token = trim_end(value.raw_json_token());
  switch (token.empty() ? '\0' : token.front()) {
    case '{': {
      ondemand::object object;
      if (!enter(depth, token.data())) {
        return false;
      }
      if (const simdjson::error_code error = value.get_object().get(object)) {
        return fail_structure(error);
      }
      return read_object(object, depth, token.data());
    }
    case '[': {
      ondemand::array array;
      if (!enter(depth, token.data())) {
        return false;
      }
      if (const simdjson::error_code error = value.get_array().get(array)) {
        return fail_structure(error);
      }
      return read_array(array, depth);
    }
    case '"': {
      // Consumes the token: left to be skipped, a string before a colon would pass for a key.
      if (const simdjson::error_code error = value.get_raw_json_string().error()) {
        return fail_structure(error);
      }
      return read_string(token);
    }
    case '\0':
      return fail_syntax("a value is missing", token.data());
    default:
      return read_atom(token);
  }
}

bool Reading::read_array(ondemand::array array, std::size_t depth) {
  assembler_.begin_container();
  for (simdjson::simdjson_result<ondemand::value> element : array) {
    ondemand::value value;
    if (const simdjson::error_code error = std::move(element).get(value)) {
      return fail_structure(error);
    }
    if (!read_value(value, depth + 1)) {
      return false;
    }
  }
  assembler_.end_array();
  return !assembler_.failed();
}

bool Reading::read_object(ondemand::object object, std::size_t depth, const char* start) {
  assembler_.begin_container();
  for (simdjson::simdjson_result<ondemand::field> member : object) {
    ondemand::field field;
    if (const simdjson::error_code error = std::move(member).get(field)) {
      return fail_structure(error);
    }
    if (!read_key(field) || !read_value(field.value(), depth + 1)) {
      return false;
    }
  }
  if (const std::optional<std::string_view> twin = assembler_.end_object()) {
    return fail_syntax("the key \"" + std::string(*twin) + "\" appears twice in the object", start);
  }
  return !assembler_.failed();
}

bool Reading::read_lone_scalar(std::string_view token) {
  const std::string_view trimmed = trim_end(token);
  if (!(trimmed.front() == '"' ? read_string(trimmed) : read_atom(trimmed))) {
    return false;
  }
  if (token.data() + token.size() != text_.data() + text_.size()) {
    return fail_syntax("text after the value", token.data() + token.size());
  }
  return true;
}

bool Reading::run() {
  std::string_view token;
  if (const simdjson::error_code error = document_.raw_json_token().get(token)) {
    return fail_structure(error);
  }
  bool done = false;
  if (token.front() == '{') {
    ondemand::object object;
    if (!enter(0, token.data())) {
      return false;
    }
    if (const simdjson::error_code error = document_.get_object().get(object)) {
      return fail_structure(error);
    }
    done = read_object(object, 0, token.data());
  } else if (token.front() == '[') {
    ondemand::array array;
    if (!enter(0, token.data())) {
      return false;
    }
    if (const simdjson::error_code error = document_.get_array().get(array)) {
      return fail_structure(error);
    }
    done = read_array(array, 0);
  } else {
    return read_lone_scalar(token);
  }
  const auto rest = document_.current_location();
  if (done && rest.error() == simdjson::SUCCESS) {
    return fail_syntax("text after the value", rest.value_unsafe());
  }
  return done;
}

// What simdjson says of a text as a whole, before any value is read.
[[nodiscard]] Error scan_error(std::string_view text, simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return error_at(text, {.what = "there is no JSON value", .offset = text.size()});
    case simdjson::UTF8_ERROR:
      return error_at(text, {.what = "text is not UTF-8",
                             .offset = utf8_error_offset(text).value_or(text.size())});
    case simdjson::UNCLOSED_STRING:
      return error_at(text,
                      {.what = "a string is not closed", .offset = string_fault_offset(text)});
    case simdjson::UNESCAPED_CHARS:
      return error_at(
          text, {.what = "a control character in a string", .offset = string_fault_offset(text)});
    case simdjson::CAPACITY:
      return Error(ErrorCode::too_large, "JSON text over 4 GB");
    case simdjson::MEMALLOC:
      return Error(ErrorCode::out_of_memory, "there is no memory to parse JSON text");
    default:
      return Error(ErrorCode::malformed, "text is not JSON");
  }
}

}  // namespace

class JsonParser::State {
 public:
  Result<Document> parse(std::string_view text, const ParseOptions& options);

 private:
  // Of a text whose working memory is kept for the next one.
  static constexpr std::size_t kKeptMaxBytes = std::size_t{1} << 20U;
  static constexpr std::size_t kCapacityMinBytes = 2048;

  Result<Document> parse_padded(std::string_view text, std::size_t depth_max);
  [[nodiscard]] bool copy_padded(std::string_view text);

  ondemand::parser parser_;
  Assembler assembler_;
  Buffer padded_;   // the text and the padding that simdjson may read
  Buffer scratch_;  // one decoded string
};

bool JsonParser::State::copy_padded(std::string_view text) {
  padded_.clear();
  if (!padded_.try_extend(text.size() + simdjson::SIMDJSON_PADDING)) {
    return false;
  }
  if (!text.empty()) {
    std::memcpy(padded_.data(), text.data(), text.size());
  }
  std::memset(padded_.data() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
  return true;
}

Result<Document> JsonParser::State::parse_padded(std::string_view text, std::size_t depth_max) {
  // Grown in steps: simdjson alone would reallocate for every text longer than all before it.
  const bool grow = text.size() > parser_.capacity();
  const std::size_t capacity = text.size() > kKeptMaxBytes
                                   ? text.size()
                                   : std::bit_ceil(std::max(text.size(), kCapacityMinBytes));
  if (grow) {
    if (const simdjson::error_code error = parser_.allocate(capacity)) {
      return scan_error(text, error);
    }
  }
  ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(), padded_.size());
  if (const simdjson::error_code error = parser_.iterate(padded).get(document)) {
    return scan_error(text, error);
  }
  Reading reading(parser_, document, assembler_, scratch_, text, depth_max);
  if (reading.run()) {
    return assembler_.finish();
  }
  Error error = assembler_.failed() ? assembler_.failure() : error_at(text, reading.fault());
  assembler_.clear();
  return error;
}

Result<Document> JsonParser::State::parse(std::string_view text, const ParseOptions& options) {
  if (text.size() > options.size_bytes_max) {
    return Error(ErrorCode::too_large, "JSON text of " + std::to_string(text.size()) +
                                           " bytes is over the limit of " +
                                           std::to_string(options.size_bytes_max));
  }
  if (!copy_padded(text)) {
    return scan_error(text, simdjson::MEMALLOC);
  }
  Result<Document> document = parse_padded(as_text(padded_.bytes()).substr(0, text.size()),
                                           std::min(options.depth_max, kDepthMax));
  if (text.size() > kKeptMaxBytes) {
    parser_ = ondemand::parser();
    padded_ = Buffer();
    scratch_ = Buffer();
  }
  return document;
}

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}

JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;
JsonParser::~JsonParser() = default;

Result<Document> JsonParser::parse(std::string_view text, const ParseOptions& options) {
  return state_->parse(text, options);
}

Result<Document> parse_json(std::string_view text, const ParseOptions& options) {
  return JsonParser().parse(text, options);
}

}  // namespace rookery::value
