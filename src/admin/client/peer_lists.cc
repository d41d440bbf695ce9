#include "admin/client/peer_lists.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "lnet/config/model.h"

namespace ulnet::ctl {

namespace {

bool has(std::span<const Nid> nids, const Nid& nid) {
  return std::ranges::find(nids, nid) != nids.end();
}

std::size_t number_of(std::span<const Nid> nids, const Nid& nid) {
  return static_cast<std::size_t>(std::ranges::find(nids, nid) - nids.begin());
}

struct Known {
  Nid primary;
  bool configured = false;
  std::vector<Nid> nids;
};

std::optional<Known> known_of(const Tree& peer) {
  const auto primary = Nid::parse(text_in(peer, "primary nid"));
  if (!primary) return std::nullopt;
  Known known{*primary, (number_in(peer, "peer state", 0) & kConfigured) != 0, {}};
  for (const Tree& ni : list_in(peer, "peer ni"))
    if (const auto nid = Nid::parse(text_in(ni, "nid"))) known.nids.push_back(*nid);
  return known;
}

/// Finds the peer of the first of these NIDs that a peer has.
std::optional<Known> find(const Tree& known, std::span<const Nid> nids) {
  for (const Nid& nid : nids)
    for (const Tree& item : list_in(known, "peer"))
      if (auto peer = known_of(item); peer && has(peer->nids, nid)) return peer;
  return std::nullopt;
}

}  // namespace

Error about_nid(std::size_t number, const Error& error) {
  return {error.code, "nid " + std::to_string(number) + ": " + error.reason};
}

Result<std::vector<Nid>> listed_nids(std::span<const std::string> words) {
  std::vector<Nid> nids;
  for (const std::string& word : words) {
    const auto nid = Nid::parse(word);
    if (!nid || nid->is_any())
      return tl::unexpected(about_nid(nids.size(), {-EINVAL, "'" + word + "' is not a NID"}));
    nids.push_back(*nid);
  }
  if (nids.size() > conf::kPeerNidsMax) return fail(-E2BIG, "specifies more NIDs than allowed");
  return nids;
}

std::vector<PeerListChange> replacing(const Tree& known, std::span<const Nid> nids) {
  std::vector<PeerListChange> changes;
  Nid primary = nids.front();
  const auto before = find(known, nids);
  if (before && before->configured && has(nids, before->primary)) {
    primary = before->primary;
    std::vector<Nid> gone = before->nids;
    std::erase_if(gone, [&](const Nid& nid) { return has(nids, nid); });
    if (!gone.empty())
      changes.push_back({.number = number_of(nids, primary),
                         .del = true,
                         .primary = primary,
                         .nids = std::move(gone)});
  } else if (before && before->configured) {
    changes.push_back({.number = 0, .del = true, .primary = before->primary});
  }
  changes.push_back({.number = number_of(nids, primary), .primary = primary});
  for (std::size_t i = 0; i < nids.size(); ++i)
    if (nids[i] != primary) changes.push_back({.number = i, .primary = primary, .nids = {nids[i]}});
  return changes;
}

std::vector<PeerListChange> deleting(const Tree& known, std::span<const Nid> nids) {
  const auto peer = find(known, nids);
  if (!peer) return {{.number = 0, .refused = Error{-ENOENT, "no peer has this NID"}}};
  std::vector<PeerListChange> changes;
  const bool all = std::ranges::all_of(peer->nids, [&](const Nid& nid) { return has(nids, nid); });
  std::vector<Nid> gone;
  for (std::size_t i = 0; i < nids.size(); ++i) {
    if (!has(peer->nids, nids[i]))
      changes.push_back(
          {.number = i, .refused = Error{-ENOENT, "the peer does not have this NID"}});
    else if (nids[i] == peer->primary && !all)
      changes.push_back(
          {.number = i,
           .refused =
               Error{-EBUSY, "the primary NID can only be deleted together with all other NIDs"}});
    else
      gone.push_back(nids[i]);
  }
  if (all) gone.clear();
  if (all || !gone.empty())
    changes.push_back({.number = 0, .del = true, .primary = peer->primary, .nids = gone});
  return changes;
}

}  // namespace ulnet::ctl
