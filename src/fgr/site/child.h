// Runs a program and takes its output, within a time limit.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct ChildSaid {
  int code = 0;  ///< its exit code; 128 and more: 128 + the signal that ended it
  std::string out, err;
};

/// The most text that is taken from either output; a program that writes more is ended.
inline constexpr std::size_t kChildTextMax = 8U << 20;

/// Whether the program exists: a path, or a name in one of the folders of PATH.
bool can_run(const std::string& program);

/// Runs the program and returns its output. -ENOENT (no such program), -ETIMEDOUT (the program and
/// its children were ended), -E2BIG; -EINTR: `given_up`, called several times a second, returned
/// true. The program's standard input is empty. A process that the program leaves behind with its
/// outputs open (ssh with ControlPersist) is not waited for, and is ended if it is in the program's
/// process group.
Result<ChildSaid> run_child(const std::vector<std::string>& words, std::chrono::milliseconds time,
                            const std::function<bool()>& given_up = {});

}  // namespace ulnet::tools::fgr
