// Parses the nodes that a word names: [PID-]NID, with lists and ranges in brackets. Source:
// spec/cli-lst.md 2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::lst {

/// The most nodes that one command may name.
inline constexpr std::size_t kIdsMax = 4096;

/// Returns the process ids that a word like "12345-10.1.1.[1-2]@tcp" names, as text, each once, in
/// the order written. -EINVAL with lst's sentence for a syntax error or an invalid NID; -E2BIG for
/// more than kIdsMax.
Result<std::vector<std::string>> expand_ids(std::string_view text);

}  // namespace ulnet::tools::lst
