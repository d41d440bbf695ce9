#include "fgr/output/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <system_error>

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const fs::path& path, int error) {
  return fail(-error, path.string() + ": " + std::strerror(error));
}

/// Writes the file. Returns 0, or the errno of the failure.
int write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return error.value();
  std::FILE* const file = std::fopen(path.c_str(), "wxe");
  if (file == nullptr) return errno;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int full = errno;
  if (std::fclose(file) != 0) return errno;
  return written ? 0 : full;
}

/// While it exists, signals that would end the process wait, so that the work that it has begun is
/// either finished or removed.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    for (const int each : {SIGHUP, SIGINT, SIGTERM}) ::sigaddset(&wanted, each);
    ::pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

/// Returns the first entry of the folder that the files would not replace; empty: there is no such
/// entry.
std::string stranger_in(const fs::path& folder, const std::vector<plan::OutputFile>& files) {
  std::set<std::string> own;
  for (const plan::OutputFile& file : files) own.insert(fs::path(file.path).begin()->string());
  std::set<std::string> others;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (std::string name = at->path().filename().string(); !own.contains(name))
      others.insert(std::move(name));
  return others.empty() ? std::string() : *others.begin();
}

/// A folder that is removed with its contents, unless its name is cleared.
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
  // Removes a slash at the end of the folder's name, because the new folder is made beside it.
  const fs::path wanted = folder.has_filename() ? folder : folder.parent_path();
  std::error_code error;
  const bool there = fs::exists(wanted, error);
  if (there && !fs::is_directory(wanted, error))
    return fail(-ENOTDIR, wanted.string() + " is no folder");
  if (there && !fs::is_empty(wanted, error) && !replace)
    return fail(-EEXIST, wanted.string() + " is there already: --force replaces it");
  if (const std::string stranger = there ? stranger_in(wanted, files) : ""; !stranger.empty())
    return fail(
        -EEXIST,
        fmt::format(
            "{} has '{}', which is not one of these files: move it away, or name another folder",
            wanted.string(), stranger));
  const SignalsWait wait;
  std::string name = wanted.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return failed(wanted, errno);
  Temporary fresh{name};
  ::chmod(name.c_str(), 0755);
  for (const plan::OutputFile& file : files)
    if (const int number = write_file(fresh.path / file.path, file.text); number != 0)
      return failed(wanted / file.path, number);
  if (!there) {
    if (std::rename(name.c_str(), wanted.c_str()) != 0) return failed(wanted, errno);
    fresh.path.clear();
    return {};
  }
  // One step exchanges both names; the former contents are removed with the temporary name.
  if (::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, wanted.c_str(), RENAME_EXCHANGE) != 0)
    return failed(wanted, errno);
  return {};
}

}  // namespace ulnet::tools::fgr
