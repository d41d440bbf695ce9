// The NIDs that a human names for ping: patterns, and names of hosts. Source:
// spec/cli-lnetctl.md 3.10, 8.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// Asks the system for a host's address; written as a NID on net tcp. Waits. Prefers IPv4.
std::optional<Nid> resolve_host(const std::string& name);

using HostResolver = std::function<std::optional<Nid>(const std::string&)>;

/// The NIDs that the words name, in order: each word a list of NIDs, patterns or host names
/// ("node7@tcp"). -EINVAL with lnetctl's reason; -E2BIG for more than `limit`.
Result<std::vector<Nid>> nids_of_words(std::span<const std::string> words, std::size_t limit,
                                       const HostResolver& resolve);

}  // namespace ulnet::ctl
