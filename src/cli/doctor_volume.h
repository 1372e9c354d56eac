// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

#include "doctor_report.h"

// Purpose. Tries on a folder's file system what the store does there, in a folder of its own that
// is gone afterwards. A server that runs in the folder is not disturbed but by some 3 MB of writes.

namespace rookery::cli {

// What is tried is named by findings of the areas "durability" and "file system"; a failure is a
// finding, too.
void examine_volume(os::Platform& platform, const std::string& folder, DoctorReport& report);

}  // namespace rookery::cli
