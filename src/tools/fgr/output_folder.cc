#include "tools/fgr/output_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const fs::path& path, int error) {
  return fail(-error, path.string() + ": " + std::strerror(error));
}

Result<void> write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return failed(path.parent_path(), error.value());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wxe"),
                                                             std::fclose);
  if (file == nullptr) return failed(path, errno);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    return failed(path, errno);
  return {};
}

/// A folder that is removed with all that is in it, unless its name is taken away.
struct Temporary {
  fs::path path;
  ~Temporary() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

}  // namespace

Result<void> write_folder(const fs::path& folder, const std::vector<plan::OutputFile>& files,
                          bool replace) {
  // Without the slash with which people end a folder's name: the new one is made beside it.
  const fs::path wanted = folder.has_filename() ? folder : folder.parent_path();
  std::error_code error;
  const bool there = fs::exists(wanted, error);
  if (there && !fs::is_directory(wanted, error))
    return fail(-ENOTDIR, wanted.string() + " is no folder");
  if (there && !fs::is_empty(wanted, error) && !replace)
    return fail(-EEXIST, wanted.string() + " is there already: --force replaces it");
  std::string name = wanted.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return failed(wanted, errno);
  Temporary fresh{name};
  ::chmod(name.c_str(), 0755);
  for (const plan::OutputFile& file : files)
    if (auto written = write_file(fresh.path / file.path, file.text); !written) return written;
  if (!there) {
    if (std::rename(name.c_str(), wanted.c_str()) != 0) return failed(wanted, errno);
    fresh.path.clear();
    return {};
  }
  // Both names are exchanged in one step; what was there before goes with the temporary one.
  if (::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, wanted.c_str(), RENAME_EXCHANGE) != 0)
    return failed(wanted, errno);
  return {};
}

}  // namespace ulnet::tools::fgr
