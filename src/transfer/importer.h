// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/transfer/transfer.h"

#include "batch_sender.h"
#include "document_maker.h"
#include "file_writer.h"
#include "import_batch.h"
#include "import_state.h"
#include "interrupt.h"
#include "progress.h"
#include "record_reader.h"
#include "server.h"
#include "verifier.h"

// Purpose. Records of a file into a database, in batches. While one is on its way the next is made.

namespace rookery::transfer {

// Invariant. The state file says only what the server has confirmed. A record gets the same id
// every time, and one that is there already is left alone, so a batch that is sent again changes
// nothing.
// Threads: one owner.
class Importer {
 public:
  // Borrows both.
  Importer(const ImportArguments& arguments, Interrupt& interrupt);

  // Errors: what ended the import; cancelled: the user did. The state is then good to go on with.
  [[nodiscard]] Result<void> run();

  // Every record became a document.
  [[nodiscard]] bool is_whole() const noexcept {
    return state_.reject_count == 0 && verified_.difference_count == 0;
  }

 private:
  [[nodiscard]] Result<void> open_input();
  [[nodiscard]] Result<void> load_state_file();
  [[nodiscard]] Result<void> skip_known();
  [[nodiscard]] Result<void> import_records();
  [[nodiscard]] Result<void> take(const Record& record);
  [[nodiscard]] Result<void> send_batch();
  [[nodiscard]] Result<void> confirm_batch();
  [[nodiscard]] Result<void> note_rejects(const std::vector<Reject>& rejects);
  [[nodiscard]] Result<void> verify();
  [[nodiscard]] std::string state_path() const;
  [[nodiscard]] std::string target(const DatabaseFacts& database) const;
  [[nodiscard]] Error ended_by(const Error& error) const;
  void show_progress();
  void print_summary() const;

  const ImportArguments& arguments_;
  Interrupt& interrupt_;
  const Server server_;
  DocumentMaker maker_;
  std::string format_;
  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<FileLock> lock_;  // of the state file
  std::unique_ptr<AppendedFile> rejects_;
  std::unique_ptr<Progress> progress_;
  std::optional<std::uint64_t> size_;
  std::uint64_t resumed_at_ = 0;

  ImportState state_;                 // what the server has confirmed
  ImportBatch batch_;                 // the next one
  std::uint64_t records_read_ = 0;    // with what is in batch_
  std::uint64_t hash_ = 0;            // of them
  std::uint64_t documents_made_ = 0;  // of them
  BatchSender sender_;
  VerifyCounts verified_;
};

}  // namespace rookery::transfer
