// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include "rookery/api/errors.h"
#include "rookery/api/http.h"
#include "rookery/edge/http_server.h"

// Purpose. What of HTTP this server takes. Whatever two parsers could read in two ways is refused:
// that is how a request is smuggled past a proxy. Nor is what a web page of another site made a
// browser send: there is no access control that would know it from its user.
// Source: RFC 9112 sections 3, 6 and 11; W3C Fetch Metadata Request Headers.

namespace rookery::edge {

using BeastHead = boost::beast::http::request_header<>;
using BeastRequest = boost::beast::http::request<boost::beast::http::string_body>;

struct HeadRefusal {
  api::Fault fault;
  std::string message;
};

// What is wrong with a request's head, beyond its syntax.
[[nodiscard]] std::optional<HeadRefusal> check_head(const BeastRequest& head);
[[nodiscard]] HeadRefusal refusal_of(const boost::system::error_code& error,
                                     const HttpLimits& limits);
[[nodiscard]] bool expects_continue(const BeastHead& head);
// Drops the empty lines that may stand before a request line. False if more bytes are needed first.
[[nodiscard]] bool skip_empty_line(boost::beast::flat_buffer& buffer);
// A head as it was before a chunked body. What comes behind such a body joins the headers as it is
// parsed, unseen by check_head(): a second Host, a condition that nobody sent. The message takes
// its head back when it is whole (RFC 9110 section 6.5.1).
[[nodiscard]] std::optional<BeastRequest::header_type> head_before_trailers(
    const BeastRequest& head);
void drop_trailers(BeastRequest& message, std::optional<BeastRequest::header_type> head);
// Without a body.
[[nodiscard]] api::Request head_to_request(const BeastHead& head);
[[nodiscard]] api::Request to_request(BeastRequest message);

}  // namespace rookery::edge
