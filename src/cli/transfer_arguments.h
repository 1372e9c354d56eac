// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "rookery/transfer/transfer.h"

// Purpose. rookery import, export and compare, as the command line has them.

namespace rookery::cli {

struct TransferCommandLine {
  transfer::ImportArguments import;
  transfer::ExportArguments export_;
  transfer::CompareArguments compare;
};

// `line` and `exit_code` outlive `app`.
void add_transfer_commands(CLI::App& app, TransferCommandLine& line, int& exit_code);

}  // namespace rookery::cli
