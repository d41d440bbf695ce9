// Runs a program and takes what it says, within a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct ChildSaid {
  int code = 0;  ///< its exit code; 128 and more: the signal that ended it
  std::string out, err;
};

/// The most that is taken of either text; a program that says more is ended.
inline constexpr std::size_t kChildTextMax = 64U << 20;

/// -ENOENT (no such program), -ETIMEDOUT (it and what it started were ended), -E2BIG. Its standard
/// input is empty.
Result<ChildSaid> run_child(const std::vector<std::string>& words, std::chrono::milliseconds time);

}  // namespace ulnet::tools::fgr
