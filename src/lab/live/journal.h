// A list of everything that a laboratory makes on the machine, each entry written before the thing
// is made. So `clean` finds everything even when the program that made it was killed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// A process, identified by its number and the time when it began, because numbers are used again.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start = 0;  ///< field 22 of /proc/PID/stat
  bool operator==(const ProcessId&) const = default;
};

/// The entries of a journal. A line that was not written to its end, or is not understood, is left
/// out.
struct Noted {
  std::vector<std::string> spaces;  ///< names of network namespaces
  struct Process {
    std::string node;
    ProcessId id;
    bool operator==(const Process&) const = default;
  };
  std::vector<Process> processes;
};
Noted read_journal(std::string_view text);

class Journal {
 public:
  /// Opens the file to append to it, and makes it if it is missing.
  static Result<Journal> open(const std::string& path);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  Result<void> note_space(std::string_view name);
  Result<void> note_process(std::string_view node, ProcessId id);

 private:
  Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Result<void> append(const std::string& line);
  std::string path_;
  int file_;
};

}  // namespace ulnet::tools::lab
