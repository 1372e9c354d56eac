// SPDX-License-Identifier: Apache-2.0
#include "response_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "rookery/api/version.h"

namespace rookery::edge {

namespace {

constexpr auto kReasons = std::to_array<std::pair<int, std::string_view>>({
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {425, "Too Early"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
});

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  static_cast<void>(error);  // twenty digits hold any 64-bit number
  out.append(digits.data(), end);
}

void append_safe(std::string& out, std::string_view text) {
  const bool clean = std::none_of(text.begin(), text.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (clean) {
    out += text;
    return;
  }
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return static_cast<unsigned char>(c) >= ' '; });
}

}  // namespace

std::string_view reason_phrase(int status) noexcept {
  const auto* found = std::find_if(kReasons.begin(), kReasons.end(),
                                   [status](const auto& row) { return row.first == status; });
  return found == kReasons.end() ? std::string_view("Unknown") : found->second;
}

bool status_has_no_body(int status) noexcept {
  return status == 204 || status == 304 || (status >= 100 && status < 200);
}

void append_head(std::string& out, const api::Response& response, const HeadOptions& options) {
  out += options.http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\nRaven-Server-Version: ";
  out += api::kProtocolVersion;
  if (!options.date.empty()) {
    out += "\r\nDate: ";
    out += options.date;
  }
  for (const api::Field& field : response.headers) {
    out += "\r\n";
    append_safe(out, field.name);
    out += ": ";
    append_safe(out, field.value);
  }
  if (!options.keep_alive) {
    out += "\r\nConnection: close";
  } else if (options.http_1_0) {
    out += "\r\nConnection: keep-alive";
  }
  if (response.stream != nullptr) {
    out += "\r\nContent-Type: ";
    append_safe(out, response.content_type);
    // HTTP/1.0 knows no chunks: there the end of the connection is the end of the body.
    out += options.http_1_0 ? "" : "\r\nTransfer-Encoding: chunked";
  } else if (!status_has_no_body(response.status)) {
    if (!response.body.empty()) {
      out += "\r\nContent-Type: ";
      append_safe(out, response.content_type);
    }
    out += "\r\nContent-Length: ";
    append_number(out, response.body.size());
  }
  out += "\r\n\r\n";
}

void append_chunk_head(std::string& out, std::size_t size_bytes) {
  std::array<char, 16> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), size_bytes, 16);
  static_cast<void>(error);  // sixteen digits hold any 64-bit number
  out.append(digits.data(), end);
  out += "\r\n";
}

}  // namespace rookery::edge
