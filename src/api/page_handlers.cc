// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "handlers.h"
#include "page_files.h"

// The page for people at GET /, and the files that it is made of.

namespace rookery::api {

namespace {

// Nothing from anywhere else, no inline script or style, no frame around it, and no text that
// becomes markup: a document that holds a script is text like any other.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".html")) {
    return "text/html; charset=utf-8";
  }
  return name.ends_with(".js") ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8";
}

}  // namespace

Result<Response> get_page(Call& call) {
  constexpr std::string_view kFolder = "/page/";
  std::string_view name = call.request().path;
  name = name.starts_with(kFolder) ? name.substr(kFolder.size()) : "index.html";
  const auto files = page_files();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const PageFile& one) { return one.name == name; });
  if (file == files.end()) {
    return Error(ErrorCode::not_found, "the page has no such file");
  }
  Response response;
  response.body = file->content;
  response.content_type = content_type_of(name);
  response.headers.add("Content-Security-Policy", kPolicy);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("X-Frame-Options", "DENY");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.add("Cross-Origin-Resource-Policy", "same-origin");
  // It belongs to the program that serves it: a newer one has a newer page.
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace rookery::api
