// The files of a laboratory: a folder of its own, with its record, its journal, and the sockets,
// configurations and logs of its nodes. A lock beside the folder lets one command at a time change
// the laboratory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/conf/places.h"
#include "lnet/os/socket_lock.h"
#include "text/shell/progress.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Returns the folder of this user's laboratories: /run/ulnet-lab for root, else
/// $XDG_RUNTIME_DIR/ulnet-lab, else /tmp/ulnet-lab-UID.
std::string folder_of_labs(const conf::PlaceEnvironment& environment);

/// Returns why a laboratory cannot have this name, which is also a file name. Empty: the name is
/// good.
std::string check_lab_name(std::string_view name);

/// Makes the folder if it is missing. Checks that it belongs to this user alone and is not a link:
/// in a place like /tmp another user could have prepared it.
Result<void> prepare_folder(const std::string& folder, const conf::PlaceEnvironment& environment);

/// Checks the folder without making it. -ENOENT: it does not exist.
Result<void> check_folder(const std::string& folder, const conf::PlaceEnvironment& environment);

/// The paths of one laboratory.
class Home {
 public:
  /// `labs` is folder_of_labs().
  Home(std::string labs, std::string name) : labs_(std::move(labs)), name_(std::move(name)) {}

  const std::string& labs() const { return labs_; }
  const std::string& name() const { return name_; }
  std::string folder() const { return labs_ + "/" + name_; }
  std::string record() const { return folder() + "/lab.json"; }
  std::string journal() const { return folder() + "/journal"; }
  /// The lock of the laboratory is machine::lock_of() this name.
  std::string locked() const { return labs_ + "/." + name_; }
  std::string socket(std::string_view node) const { return of(node, ".sock"); }
  std::string config(std::string_view node) const { return of(node, ".yaml"); }
  std::string module_parameters(std::string_view node) const { return of(node, ".conf"); }
  std::string log(std::string_view node) const { return of(node, ".log"); }

  bool exists() const;
  /// Makes the folder, mode 0700. -EEXIST: it exists.
  Result<void> make() const;
  /// Removes the folder with its contents, and the folder of laboratories when this was the last
  /// one.
  Result<void> remove() const;

 private:
  std::string of(std::string_view node, std::string_view ending) const {
    return folder() + "/" + std::string(node) + std::string(ending);
  }
  std::string labs_, name_;
};

/// Returns the names of all laboratories that have a folder, in alphabetical order.
std::vector<std::string> lab_names(const std::string& labs);

/// The right to change a laboratory, while the object exists. The lock is a file that is held open,
/// so it ends with the process. The last holder removes the file.
class Lock {
 public:
  /// How long a command waits for another one that is changing the laboratory.
  static constexpr int kSeconds = 60;

  /// Takes the lock. Waits for another holder for up to `seconds`, and calls `waits` once with a
  /// sentence that names the holder. -EBUSY when this time is over, with the same sentence; -EINTR
  /// when `stopped` returns true.
  static Result<Lock> take(const Home& home, int seconds,
                           const std::function<void(const std::string&)>& waits,
                           const std::function<bool()>& stopped);
  /// Does the same for kSeconds: reports on `progress` that it waits, and stops at a StopSignal.
  static Result<Lock> take(const Home& home, Progress& progress);

  Lock(Lock&&) noexcept = default;
  Lock& operator=(Lock&&) = delete;
  ~Lock();

 private:
  Lock(std::string labs, machine::LockFile file) : labs_(std::move(labs)), file_(std::move(file)) {}
  std::string labs_;
  machine::LockFile file_;
};

/// Reads a file as a whole, not through a symbolic link. Errors name the file.
Result<std::string> read_whole(const std::string& path);
/// Replaces a file, mode 0600, so that readers find either the old text or the new one.
Result<void> write_whole(const std::string& path, std::string_view text);

}  // namespace ulnet::tools::lab
