// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <string>

namespace rookery::bench {

// Purpose. The document that the benchmarks store: an order of about 0.7 KB, its numbers drawn from
// `random`, with a note of 300 bytes. bench/postgres.py builds the same one in SQL.
inline std::string order_json(std::mt19937_64& random) {
  const auto number = [&](std::uint64_t bound) { return std::to_string(random() % bound); };
  std::string text = R"({"Company":"companies/)" + number(1000) + R"(","Employee":"employees/)" +
                     number(100) + R"(","Freight":)" + number(1000) + "." + number(10) + "5" +
                     R"(,"OrderedAt":"2026-01-)" + std::to_string(10 + random() % 20) +
                     R"(T00:00:00.0000000","ShipTo":{"City":"City )" + number(500) +
                     R"(","Country":"Country )" + number(50) + R"(","PostalCode":")" +
                     std::to_string(10'000 + random() % 90'000) + R"("},"Lines":[)";
  for (int line = 0; line < 3; ++line) {
    text += line == 0 ? "{" : ",{";
    text += R"("Product":"products/)" + number(2000) + R"(","Quantity":)" + number(100) +
            R"(,"PricePerUnit":)" + number(300) + "}";
  }
  text += R"(],"Note":")";
  for (int i = 0; i < 300; i += 10) {
    text += std::to_string(1'000'000'000 + random() % 9'000'000'000);
  }
  text += R"(","@metadata":{"@collection":"Orders"}})";
  return text;
}

}  // namespace rookery::bench
