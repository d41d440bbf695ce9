// Files that the user names.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

/// Closes a file, but not the standard streams.
struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Reads the file's text. Reading stops when the text is longer than a document may be.
Result<std::string> read_all(std::FILE* file);

}  // namespace ulnet::tools
