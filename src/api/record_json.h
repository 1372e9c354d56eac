// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/db/record.h"
#include "rookery/index/info.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

// Purpose. Database records and topologies as clients read them.

namespace rookery::api {

// One node never changes its topology. Greater than what a client starts with.
inline constexpr std::int64_t kTopologyEtag = 1;

// The topology of a database that lives on `node_tag` alone.
void write_topology(value::JsonWriter& writer, std::string_view node_tag,
                    const db::DatabaseRecord& record);
// The whole record: what the client stored, and what the server adds. The members that clients
// index without looking are always there. `indexes`: of the database, if it is open.
void write_record(value::JsonWriter& writer, std::string_view node_tag,
                  const db::DatabaseRecord& record, const std::vector<index::IndexInfo>& indexes);

// Refuses a record that asks for what is not built: to accept it silently would be a lie.
// Errors: not_supported, naming it.
[[nodiscard]] Result<void> check_record(value::View record);
[[nodiscard]] Result<void> check_settings(value::View settings);

}  // namespace rookery::api
