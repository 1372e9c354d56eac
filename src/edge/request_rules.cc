// SPDX-License-Identifier: Apache-2.0
#include "request_rules.h"

#include <string_view>
#include <utility>

#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

namespace rookery::edge {

namespace http = boost::beast::http;

namespace {

std::string_view to_view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Browsers say which site's page made a request; nothing but browsers sends these headers. A link
// that leads here is followed.
bool is_from_another_site(const BeastRequest& head) {
  const std::string_view site = to_view(head["Sec-Fetch-Site"]);
  if (!site.empty()) {
    const bool follows_link =
        (head.method() == http::verb::get || head.method() == http::verb::head) &&
        to_view(head["Sec-Fetch-Mode"]) == "navigate" &&
        to_view(head["Sec-Fetch-Dest"]) == "document";
    return site != "same-origin" && site != "none" && !follows_link;
  }
  const std::string_view origin = to_view(head[http::field::origin]);
  const std::size_t scheme = origin.find("://");
  return !origin.empty() &&
         (scheme == std::string_view::npos ||
          !api::equal_ignoring_case(origin.substr(scheme + 3), to_view(head[http::field::host])));
}

}  // namespace

std::optional<HeadRefusal> check_head(const BeastRequest& head) {
  if (head.version() != 11 && head.version() != 10) {
    return HeadRefusal{api::Fault::kBadRequest, "only HTTP/1.1 and HTTP/1.0 are spoken"};
  }
  const std::size_t hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() == 11)) {
    return HeadRefusal{api::Fault::kBadRequest, "exactly one Host header is needed"};
  }
  const std::size_t codings = head.count(http::field::transfer_encoding);
  if (codings > 0) {
    if (codings > 1 || head.version() == 10 || head.count(http::field::content_length) > 0) {
      return HeadRefusal{api::Fault::kBadRequest,
                         "Transfer-Encoding is ambiguous beside what else the headers say"};
    }
    if (!api::equal_ignoring_case(to_view(head[http::field::transfer_encoding]), "chunked")) {
      return HeadRefusal{api::Fault::kNotBuilt, "the only Transfer-Encoding taken is chunked"};
    }
  }
  const std::string_view encoding = to_view(head[http::field::content_encoding]);
  if (!encoding.empty() && !api::equal_ignoring_case(encoding, "identity")) {
    return HeadRefusal{
        api::Fault::kUnsupportedMedia,
        fmt::format("a request body with Content-Encoding '{}' is not taken", encoding)};
  }
  const std::string_view expect = to_view(head[http::field::expect]);
  if (!expect.empty() && !api::equal_ignoring_case(expect, "100-continue")) {
    return HeadRefusal{api::Fault::kExpectationFailed, "Expect can only be 100-continue"};
  }
  if (is_from_another_site(head)) {
    return HeadRefusal{api::Fault::kForbidden,
                       "a web page of another site made this request: such are not answered"};
  }
  return std::nullopt;
}

HeadRefusal refusal_of(const boost::system::error_code& error, const HttpLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {api::Fault::kHeadersTooLarge,
            fmt::format("the headers exceed {} bytes", limits.header_bytes_max)};
  }
  if (error == http::error::body_limit) {
    return {api::Fault::kTooLarge, fmt::format("the body exceeds {} bytes", limits.body_bytes_max)};
  }
  return {api::Fault::kBadRequest, "not an HTTP request: " + error.message()};
}

bool expects_continue(const BeastHead& head) {
  return head.version() == 11 &&
         api::equal_ignoring_case(to_view(head[http::field::expect]), "100-continue");
}

bool skip_empty_line(boost::beast::flat_buffer& buffer) {
  for (;;) {
    const auto data = buffer.data();
    const std::string_view text(static_cast<const char*>(data.data()), data.size());
    if (text.empty() || text == "\r") {
      return false;
    }
    if (!text.starts_with("\r\n")) {
      return true;
    }
    buffer.consume(2);
  }
}

std::optional<BeastRequest::header_type> head_before_trailers(const BeastRequest& head) {
  if (head.count(http::field::transfer_encoding) == 0) {
    return std::nullopt;
  }
  return head.base();
}

void drop_trailers(BeastRequest& message, std::optional<BeastRequest::header_type> head) {
  if (head.has_value()) {
    message.base() = *std::move(head);
  }
}

api::Request head_to_request(const BeastHead& head) {
  api::Request request = api::Request::make(to_view(head.method_string()), to_view(head.target()));
  for (const auto& field : head) {
    request.headers.add(to_view(field.name_string()), to_view(field.value()));
  }
  return request;
}

api::Request to_request(BeastRequest message) {
  api::Request request = head_to_request(message);
  request.body = std::move(message.body());
  return request;
}

}  // namespace rookery::edge
