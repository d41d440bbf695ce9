#include "lab/live/home.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "lab/live/stop_signal.h"
#include "lnet/os/process_name.h"
#include "lnet/os/socket_lock.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::chrono::milliseconds kLockPause{20};

tl::unexpected<Error> failed_at(const std::string& path, int code) {
  return fail(-code, path + ": " + std::strerror(code));
}

std::string holder(const std::string& name, pid_t pid) {
  const std::string program = pid > 0 ? node::program_of(pid) : "";
  return "laboratory " + name + " is being changed by process " + std::to_string(pid) +
         (program.empty() ? "" : " (" + program + ")");
}

}  // namespace

std::string folder_of_labs(const conf::PlaceEnvironment& environment) {
  if (environment.uid == 0) return "/run/ulnet-lab";
  if (!environment.xdg_runtime_dir.empty()) return environment.xdg_runtime_dir + "/ulnet-lab";
  return "/tmp/ulnet-lab-" + std::to_string(environment.uid);
}

std::string check_lab_name(std::string_view name) {
  if (conf::is_name(name)) return {};
  return "a laboratory's name has 1 to 64 letters, digits, '-', '_' and '.', and begins with a "
         "letter, a digit or '_'";
}

Result<void> prepare_folder(const std::string& folder, const conf::PlaceEnvironment& environment) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    const int code = errno;
    return fail(-code, folder + ": " + std::strerror(code) +
                           ": set XDG_RUNTIME_DIR to a folder of your own, or make that folder");
  }
  return check_folder(folder, environment);
}

Result<void> check_folder(const std::string& folder, const conf::PlaceEnvironment& environment) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) return failed_at(folder, errno);
  if (!S_ISDIR(found.st_mode))
    return fail(-ENOTDIR, folder +
                              " is not a folder: remove it, or set XDG_RUNTIME_DIR to a "
                              "folder of your own");
  if (found.st_uid != environment.uid || (found.st_mode & 022) != 0)
    return fail(-EPERM, folder +
                            " is not this user's alone: remove it, or set XDG_RUNTIME_DIR to "
                            "a folder of your own");
  return {};
}

bool Home::exists() const {
  struct stat found {};
  return ::lstat(folder().c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Result<void> Home::make() const {
  if (::mkdir(folder().c_str(), 0700) == 0) return {};
  return failed_at(folder(), errno);
}

Result<void> Home::remove() const {
  std::error_code error;
  std::filesystem::remove_all(folder(), error);  // removes links, never follows them
  if (error) return fail(-error.value(), folder() + ": " + error.message());
  return {};
}

std::vector<std::string> lab_names(const std::string& labs) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(labs, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.symlink_status(error).type() == std::filesystem::file_type::directory &&
        check_lab_name(name).empty())
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Lock> Lock::take(const Home& home, int seconds,
                        const std::function<void(const std::string&)>& waits,
                        const std::function<bool()>& stopped) {
  const auto environment = conf::place_environment();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (bool said = false;;) {
    if (const auto ready = prepare_folder(home.labs(), environment); !ready)
      return tl::unexpected(ready.error());
    auto lock = machine::LockFile::take(machine::lock_of(home.locked()), 0600);
    if (!lock && lock.error().code == -ENOENT) continue;  // the folder was removed meanwhile
    if (!lock) return tl::unexpected(lock.error());
    if (*lock) return Lock(home.labs(), std::move(**lock));
    const auto pid = machine::holder_of(home.locked());
    if (!pid) continue;  // the holder has just ended
    const std::string who = holder(home.name(), *pid);
    if (stopped()) return fail(-EINTR, "interrupted");
    if (std::chrono::steady_clock::now() >= end)
      return fail(-EBUSY, who + ": try again when it has ended");
    if (!said) waits(who + ": waiting for it");
    said = true;
    std::this_thread::sleep_for(kLockPause);
  }
}

Result<Lock> Lock::take(const Home& home, Progress& progress) {
  return take(
      home, kSeconds, [&](const std::string& who) { progress.say("ulnet-lab: " + who); },
      [] { return StopSignal::came() != 0; });
}

Lock::~Lock() {
  if (file_.release())
    ::rmdir(labs_.c_str());  // succeeds when the last laboratory and the last lock are gone
}

Result<std::string> read_whole(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return failed_at(path, errno);
  std::string text;
  char part[16384];
  for (;;) {
    const ssize_t got = ::read(file, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    const int code = errno;
    if (got <= 0) ::close(file);
    if (got < 0) return failed_at(path, code);
    if (got == 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

Result<void> write_whole(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed_at(fresh, errno);
  int code = 0;
  while (!text.empty() && code == 0) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote >= 0)
      text.remove_prefix(static_cast<std::size_t>(wrote));
    else if (errno != EINTR)
      code = errno;
  }
  ::close(file);
  if (code == 0 && ::rename(fresh.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return {};
  ::unlink(fresh.c_str());
  return failed_at(path, code);
}

}  // namespace ulnet::tools::lab
