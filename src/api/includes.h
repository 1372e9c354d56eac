// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "rookery/value/document.h"

// Purpose. Finds the ids that a document refers to along an include path: `companyId`,
// `customer.address`, `lines[].product` (a list is walked with or without its brackets), and
// `companyId(companies/)`, where the prefix is put before what is found.

namespace rookery::api {

// Calls `found` for each id, in document order, repeated ones too. Values that are neither strings
// nor whole numbers name nothing. The view passed lives during the call only.
void find_includes(value::View document, std::string_view path,
                   const std::function<void(std::string_view)>& found);

}  // namespace rookery::api
