// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/index/info.h"
#include "rookery/value/json.h"

// Purpose. Indexes as clients read them. Members that clients index without looking are always
// there.

namespace rookery::api {

// An IndexDefinition: what made the index, as far as it has such a form.
void write_index_definition(value::JsonWriter& writer, const index::IndexInfo& info);
// An AutoIndexDefinition of a database record.
void write_auto_index(value::JsonWriter& writer, const index::IndexInfo& info);
void write_index_statistics(value::JsonWriter& writer, const index::IndexInfo& info);
// The IndexInformation of ~/stats.
void write_index_information(value::JsonWriter& writer, const index::IndexInfo& info);
void write_indexing_error(value::JsonWriter& writer, const index::IndexingError& error);

}  // namespace rookery::api
