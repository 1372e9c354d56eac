// SPDX-License-Identifier: Apache-2.0
// usage: compat_write FOLDER. Writes a data directory as a process leaves it that is killed: what
// was answered is there, and the journals are still needed. Archive it with
//   tar -C FOLDER -czf tests/compat/files/v1-NAME.tar.gz .
#include <cstdio>
#include <filesystem>
#include <string>

#include "rookery/os/platform.h"

#include "content_v1.h"

namespace {

using rookery::Result;

Result<void> run(const std::string& folder) {
  const std::string live = folder + ".live";
  {
    rookery::db::ServerOptions options;
    options.data_dir = live;
    options.reserve_bytes = 0;
    RK_TRY_ASSIGN(const auto server,
                  rookery::db::Server::open(rookery::os::real_platform(), std::move(options)));
    RK_TRY(rookery::compat::write_content_v1(*server));
    // While it is open: a copy is what a killed process leaves.
    std::filesystem::copy(live, folder, std::filesystem::copy_options::recursive);
    RK_TRY(server->close());
  }
  std::filesystem::remove_all(live);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: compat_write FOLDER\n", stderr);
    return 2;
  }
  const Result<void> written = run(argv[1]);
  if (!written) {
    std::fprintf(stderr, "compat_write: %s\n", written.error().to_string().c_str());
    return 1;
  }
  return 0;
}
