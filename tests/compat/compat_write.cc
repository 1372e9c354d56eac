// SPDX-License-Identifier: Apache-2.0
// usage: compat_write v1|v2 FOLDER. Writes a data directory as a process leaves it that is killed:
// what was answered is there, and the journals are still needed. Archive it with
//   tar -C FOLDER -czf tests/compat/files/v2-NAME.tar.gz .
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "rookery/os/platform.h"

#include "content_v1.h"
#include "content_v2.h"

namespace {

using rookery::Result;

Result<void> run(std::string_view version, const std::string& folder) {
  rookery::os::Platform& platform = rookery::os::real_platform();
  const std::string live = folder + ".live";
  {
    rookery::db::ServerOptions options;
    options.data_dir = live;
    options.reserve_bytes = 0;
    RK_TRY_ASSIGN(const auto server, rookery::db::Server::open(platform, std::move(options)));
    RK_TRY(version == "v1" ? rookery::compat::write_content_v1(*server)
                           : rookery::compat::write_content_v2(platform, *server));
    // While it is open: a copy is what a killed process leaves.
    std::filesystem::copy(live, folder, std::filesystem::copy_options::recursive);
    RK_TRY(server->close());
  }
  std::filesystem::remove_all(live);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view version = argc == 3 ? argv[1] : "";
  if (version != "v1" && version != "v2") {
    std::fputs("usage: compat_write v1|v2 FOLDER\n", stderr);
    return 2;
  }
  const Result<void> written = run(version, argv[2]);
  if (!written) {
    std::fprintf(stderr, "compat_write: %s\n", written.error().to_string().c_str());
    return 1;
  }
  return 0;
}
