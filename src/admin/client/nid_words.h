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

/// Asks the system for a host's address and returns it as a NID on net tcp. Prefers IPv4. Blocks.
std::optional<Nid> resolve_host(const std::string& name);

using HostResolver = std::function<std::optional<Nid>(const std::string&)>;

/// Returns the NIDs that the words name, in order. Each word is a list of NIDs, patterns or host
/// names ("node7@tcp"). -EINVAL with lnetctl's reason; -E2BIG for more than `limit`.
Result<std::vector<Nid>> nids_of_words(std::span<const std::string> words, std::size_t limit,
                                       const HostResolver& resolve);

/// Returns the section `nidlist`: the NIDs that the patterns match. -E2BIG: more NIDs than a
/// command may name. -EINVAL: a pattern that matches NIDs without end ("*@tcp").
Result<Tree> expansion_of(std::span<const wire::NidPattern> patterns);

/// Returns the NIDs of a peer, in the order written; host names are not allowed. -E2BIG: more NIDs
/// than a command may name. -ERANGE: a range that runs backwards.
Result<std::vector<Nid>> peer_nids(std::span<const std::string> words);
/// Returns the first part of the words that is neither a NID nor a pattern, without its net;
/// lnetctl names it in a line of its own. Empty: all parts are NIDs or patterns.
std::string unreadable_range(std::span<const std::string> words);
/// Checks that every address has a net. -EINVAL if not: `discover` assumes no net for it
/// (spec/cli-lnetctl.md 3.11).
Result<void> check_nets_named(std::span<const std::string> words);
/// Returns a hint for the user about words that are not NIDs: which of them has no net, or a net
/// that does not exist. Empty: no hint.
std::string hint_of_nids(std::span<const std::string> words);
/// Returns a peer's primary NID from a NID, or from a pattern that matches one NID. -EINVAL for
/// other words.
Result<Nid> primary_nid(const std::string& word);

/// Returns the NID of the text; nothing if `all` is true. -EINVAL for a wrong text.
Result<std::optional<Nid>> nid_or_all(std::string_view text, bool all);

}  // namespace ulnet::ctl
