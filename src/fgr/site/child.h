// Runs a program and takes what it says, within a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct ChildSaid {
  int code = 0;  ///< its exit code; 128 and more: the signal that ended it
  std::string out, err;
};

/// The most that is taken of either text; a program that says more is ended.
inline constexpr std::size_t kChildTextMax = 8U << 20;

/// Whether there is such a program: a path, or a name in one of the folders of PATH.
bool can_run(const std::string& program);

/// -ENOENT (no such program), -ETIMEDOUT (it and what it started were ended), -E2BIG; -EINTR:
/// `given_up`, asked several times a second, has said so. Its standard input is empty. What it
/// leaves behind with its texts open (ssh with ControlPersist) is not waited for, and is ended if
/// it is of its process group.
Result<ChildSaid> run_child(const std::vector<std::string>& words, std::chrono::milliseconds time,
                            const std::function<bool()>& given_up = {});

}  // namespace ulnet::tools::fgr
