// A file whose text is known late. It is opened before the work begins, and appears as a whole.
#pragma once

#include <string>
#include <string_view>

#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

class LateFile {
 public:
  /// Makes a temporary file beside `path`. The reason of an error names `path`. An empty path: no
  /// file is wanted, and nothing is made.
  static Result<LateFile> make(const std::string& path);
  LateFile(LateFile&& other) noexcept;
  LateFile& operator=(LateFile&&) = delete;
  /// Leaves the former file as it was, unless finish() has replaced it.
  ~LateFile();

  bool wanted() const { return !path_.empty(); }
  Result<void> finish(std::string_view text);

 private:
  LateFile(std::string path, std::string beside, int descriptor)
      : path_(std::move(path)), beside_(std::move(beside)), descriptor_(descriptor) {}
  std::string path_, beside_;
  int descriptor_;
};

}  // namespace ulnet::tools::fgr
