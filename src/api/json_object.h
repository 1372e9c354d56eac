// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "rookery/api/http.h"
#include "rookery/value/json.h"

// Purpose. An answer of one JSON object, whose members `write` writes.

namespace rookery::api {

inline Response json_object(const std::function<void(value::JsonWriter&)>& write,
                            int status = 200) {
  std::string body;
  value::JsonWriter writer(body);
  writer.begin_object();
  write(writer);
  writer.end_object();
  return Response::json(std::move(body), status);
}

}  // namespace rookery::api
