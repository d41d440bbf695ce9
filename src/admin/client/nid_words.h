// The NIDs that a user names for ping and for peers: lists, patterns and host names. Source:
// spec/cli-lnetctl.md 3.8, 3.10, 8.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// Asks the system for a host's address, and returns it as a NID on net tcp. Blocks. Prefers
/// IPv4.
std::optional<Nid> resolve_host(const std::string& name);

using HostResolver = std::function<std::optional<Nid>(const std::string&)>;

/// The NIDs that the words name, in order: each word a list of NIDs, patterns or host names
/// ("node7@tcp"). -EINVAL with lnetctl's reason; -E2BIG for more than `limit`.
Result<std::vector<Nid>> nids_of_words(std::span<const std::string> words, std::size_t limit,
                                       const HostResolver& resolve);

/// The section `nidlist`: the NIDs that the patterns stand for. -E2BIG for more than a command may
/// name, -EINVAL for a pattern that has no end ("*@tcp").
Result<Tree> expansion_of(std::span<const wire::NidPattern> patterns);

/// The NIDs of a peer, in the order written; host names are not allowed. -E2BIG for more than a
/// command may name, -ERANGE for a range that runs backwards.
Result<std::vector<Nid>> peer_nids(std::span<const std::string> words);
/// The first part of the words that is neither a NID nor a pattern, without its net: lnetctl names
/// it in a line of its own. Empty: all parts are.
std::string unreadable_range(std::span<const std::string> words);
/// -EINVAL if an address has no net: `discover` assumes none for it (spec/cli-lnetctl.md 3.11).
Result<void> check_nets_named(std::span<const std::string> words);
/// A hint for the user about words that are not NIDs: which of them has no net, or a net that does
/// not exist. Empty: no hint.
std::string hint_of_nids(std::span<const std::string> words);
/// A peer's primary NID: a NID, or a pattern that stands for one NID. -EINVAL.
Result<Nid> primary_nid(const std::string& word);

}  // namespace ulnet::ctl
