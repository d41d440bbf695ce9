// For tests: a temporary folder for one test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ulnet {

/// The constructor makes an empty folder for this user alone; the destructor removes it with its
/// contents.
class TempFolder {
 public:
  TempFolder() {
    std::string name = testing::TempDir() + "ulnet-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be made");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path of a file in the folder.
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace ulnet
