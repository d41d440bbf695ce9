// The log's file. The sink appends to it, and refuses a symbolic link in its place, which another
// user may have put into a folder like /tmp.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// Opens `path` to append to it. /dev/stdout, /dev/stderr and /dev/fd/N name the descriptors of
  /// this process: open() duplicates them, even if another process opened their files. -ELOOP:
  /// `path` itself is a symbolic link; a folder in it may be one. Other errors are the system's.
  static Result<std::shared_ptr<FileSink>> open(const std::string& path);

  explicit FileSink(int descriptor) : descriptor_(descriptor) {}
  ~FileSink() override;

 protected:
  /// A line that cannot be written (for example because the disk is full) is lost, because that
  /// must not end the node.
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  const int descriptor_;
};

}  // namespace ulnet::tools
