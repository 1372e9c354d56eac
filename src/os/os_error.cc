// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/os_error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace rookery::os {
namespace {

ErrorCode code_of(int os_errno) noexcept {
  switch (os_errno) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::no_space;
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
      return ErrorCode::already_exists;
    case EMFILE:
    case ENFILE:
      return ErrorCode::too_many;
    case ENOMEM:
      return ErrorCode::out_of_memory;
    case EOPNOTSUPP:
      return ErrorCode::not_supported;
    default:
      return ErrorCode::io;
  }
}

}  // namespace

Error os_error(std::string_view call, std::string_view path, int os_errno) {
  const char* name = strerrorname_np(os_errno);
  const char* sentence = strerrordesc_np(os_errno);
  std::string text(path);
  text.append(": ").append(call).append(": ");
  text.append(name != nullptr ? name : "errno " + std::to_string(os_errno));
  if (sentence != nullptr) {
    text.append(" (").append(sentence).append(")");
  }
  return {code_of(os_errno), std::move(text), os_errno};
}

}  // namespace rookery::os
