// SPDX-License-Identifier: Apache-2.0
#include "byte_source.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rookery::transfer {

namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

Error read_error(std::string_view name, ErrorCode code) {
  const char* reason = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread
  return {code, fmt::format("'{}' cannot be read: {}", name, reason)};
}

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, std::string name, const Interrupt& interrupt)
      : descriptor_(descriptor),
        name_(std::move(name)),
        interrupt_(interrupt),
        buffer_(kReadBytes, '\0') {}

  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) {
      ::close(descriptor_);
    }
  }

  Result<std::string_view> next() override {
    for (;;) {
      if (!interrupt_.wait_readable(descriptor_)) {
        return Error(ErrorCode::cancelled, "interrupted");
      }
      const ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
      if (count >= 0) {
        return std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
      }
      if (errno != EINTR) {
        return read_error(name_, ErrorCode::io);
      }
    }
  }

 private:
  const int descriptor_;
  const std::string name_;
  const Interrupt& interrupt_;
  std::string buffer_;
};

// Texts that begin like this are not what they are taken for, and every record would be told to be
// wrong.
Result<void> check_encoding(std::string_view begin) {
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")) {
    return Error(ErrorCode::malformed, "the input is UTF-16: it must be UTF-8 (iconv converts it)");
  }
  if (begin.starts_with("\x1F\x8B")) {
    return Error(ErrorCode::malformed,
                 "the input is compressed: unpack it (gzip -dc FILE | rookery import - ...)");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path,
                                                const Interrupt& interrupt) {
  if (path == "-") {
    return std::unique_ptr<ByteSource>(
        std::make_unique<FileSource>(STDIN_FILENO, "the standard input", interrupt));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return read_error(path, ErrorCode::not_found);
  }
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(descriptor, path, interrupt));
}

std::optional<std::uint64_t> source_size(const std::string& path) {
  struct stat info {};

  const bool known =
      (path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info)) == 0 &&
      S_ISREG(info.st_mode);
  return known ? std::optional(static_cast<std::uint64_t>(info.st_size)) : std::nullopt;
}

Result<std::string_view> TextParts::next() {
  RK_TRY_ASSIGN(const std::string_view first, peek());
  if (!std::exchange(first_is_given_, true) && !first.empty()) {
    return first;
  }
  first_.clear();
  first_.shrink_to_fit();
  mark_bytes_ = 0;
  return read();
}

Result<std::string_view> TextParts::peek() {
  // A pipe may give the mark byte by byte, and no text with it.
  while (!first_is_known_ && first_.size() <= kUtf8Mark.size()) {
    RK_TRY_ASSIGN(const std::string_view part, read());
    if (part.empty()) {
      break;
    }
    first_ += part;
  }
  if (!std::exchange(first_is_known_, true)) {
    RK_TRY(check_encoding(first_));
    mark_bytes_ = first_.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  }
  return std::string_view(first_).substr(mark_bytes_);
}

Result<std::string_view> TextParts::read() {
  RK_TRY_ASSIGN(const std::string_view part, source_->next());
  taken_ += part.size();
  return part;
}

}  // namespace rookery::transfer
