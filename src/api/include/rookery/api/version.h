// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Purpose. What this server calls itself.

namespace rookery::api {

inline constexpr std::string_view kProductName = "rookery";
inline constexpr std::string_view kProductVersion = "0.1.0";
// The protocol level that the official clients are told, in the header Raven-Server-Version of
// every response: they choose request forms by it.
inline constexpr std::string_view kProtocolVersion = "5.4.113";
inline constexpr std::string_view kProtocolVersionShort = "5.4";
inline constexpr int kProtocolBuild = 54;

}  // namespace rookery::api
