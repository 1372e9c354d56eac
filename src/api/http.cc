// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/http.h"

#include <algorithm>
#include <cstdint>

namespace rookery::api {

namespace {

char lower(char c) noexcept {
  return (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char l = lower(c);
  return (l >= 'a' && l <= 'f') ? l - 'a' + 10 : -1;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::string percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out.push_back(static_cast<char>(high * 16 + low));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i] == '+' && plus_is_blank ? ' ' : text[i]);
  }
  return out;
}

void HeaderList::set(std::string_view name, std::string_view value) {
  std::erase_if(fields_, [&](const Field& f) { return equal_ignoring_case(f.name, name); });
  add(name, value);
}

std::optional<std::string_view> HeaderList::find(std::string_view name) const noexcept {
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return std::nullopt;
}

QueryParameters QueryParameters::parse(std::string_view raw) {
  QueryParameters out;
  while (!raw.empty()) {
    const std::size_t end = std::min(raw.find('&'), raw.size());
    std::string_view part = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    while (!part.empty() && part.front() == '?') {
      part.remove_prefix(1);
    }
    if (part.empty()) {
      continue;
    }
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    out.fields_.push_back({percent_decode(name, true), percent_decode(value, true)});
  }
  return out;
}

std::optional<std::string_view> QueryParameters::find(std::string_view name) const noexcept {
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> QueryParameters::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.name, name)) {
      out.emplace_back(field.value);
    }
  }
  return out;
}

namespace {

class WholeBody final : public BodyStream {
 public:
  explicit WholeBody(std::string body) : body_(std::move(body)) {}

  void read(PartHandler done) noexcept override { done(std::exchange(body_, {})); }

 private:
  std::string body_;
};

}  // namespace

std::shared_ptr<BodyStream> make_body_stream(std::string body) {
  return std::make_shared<WholeBody>(std::move(body));
}

Request Request::make(std::string_view method, std::string_view target) {
  Request request;
  request.method = method;
  request.target = target;
  // The absolute form (a proxy's) names the host first; the path is what counts.
  std::string_view rest = target;
  if (const std::size_t scheme = rest.find("://");
      scheme != std::string_view::npos && rest.front() != '/') {
    const std::size_t slash = rest.find('/', scheme + 3);
    rest = slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
  }
  const std::size_t question = rest.find('?');
  request.path = percent_decode(rest.substr(0, question), false);
  if (question != std::string_view::npos) {
    request.query = QueryParameters::parse(rest.substr(question + 1));
  }
  return request;
}

}  // namespace rookery::api
