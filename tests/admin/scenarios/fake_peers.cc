#include "fake_peers.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace ulnet::ctl::test {

namespace {

constexpr int kMultiRail = 1, kConfigured = 8, kLockPrimary = 1048576;

int state_of(const Tree& peer) { return peer.value("peer state", 0); }

Tree* find_ni(Tree& peer, const std::string& nid) {
  for (Tree& ni : peer["peer ni"])
    if (ni["nid"] == nid) return &ni;
  return nullptr;
}

Tree* find_with(Tree& peers, const std::string& nid) {
  for (Tree& peer : peers)
    if (find_ni(peer, nid) != nullptr) return &peer;
  return nullptr;
}

void erase(Tree& peers, const Tree* peer) {
  peers.erase(static_cast<std::size_t>(peer - &peers[0]));
}

Tree new_ni(const std::string& nid) {
  Tree ni = {{"nid", nid}, {"state", "NA"}};
  ni["health stats"] = {{"health value", 1000}};
  return ni;
}

Tree new_peer(const std::string& primary, const Tree& body) {
  const bool multi_rail = body.value("Multi-Rail", true);
  Tree peer = {{"primary nid", primary}, {"Multi-Rail", multi_rail}};
  peer["peer state"] =
      kConfigured + (multi_rail ? kMultiRail : 0) + (body.value("lock", false) ? kLockPrimary : 0);
  peer["peer ni"] = Tree::array({new_ni(primary)});
  return peer;
}

/// Removes the NID from every other peer. A configured peer keeps it, which is an error.
Result<void> take_from_others(Tree& peers, const std::string& nid) {
  Tree* const other = find_with(peers, nid);
  if (other == nullptr) return {};
  if ((state_of(*other) & kConfigured) != 0) return fail(-EEXIST, nid + " is of another peer");
  erase(peers, other);
  return {};
}

}  // namespace

Result<void> add_peer(Tree& peers, const Tree& body) {
  const std::string primary = body.at("primary nid").get<std::string>();
  if (primary == "0@lo") return {};
  Tree* const known = find_with(peers, primary);
  if (known != nullptr && (state_of(*known) & kConfigured) == 0) erase(peers, known);
  if (known != nullptr && find_with(peers, primary) != nullptr &&
      (*known)["primary nid"] != primary)
    return fail(-EEXIST, primary + " is not the primary NID of its peer");
  if (find_with(peers, primary) == nullptr) peers.push_back(new_peer(primary, body));
  for (const Tree& each : body.value("nids", Tree::array())) {
    const std::string nid = each.get<std::string>();
    if (find_ni(*find_with(peers, primary), nid) != nullptr) continue;
    if (auto taken = take_from_others(peers, nid); !taken) return taken;
    (*find_with(peers, primary))["peer ni"].push_back(new_ni(nid));
  }
  return {};
}

Result<void> del_peer(Tree& peers, const Tree& body) {
  const std::string primary = body.at("primary nid").get<std::string>();
  if (primary == "0@lo") return {};
  Tree* const peer = find_with(peers, primary);
  if (peer == nullptr) return fail(-ENOENT, "no such peer, or it has no such NID");
  if ((*peer)["primary nid"] != primary) return fail(-ENODEV, primary + " is no primary NID");
  const Tree nids = body.value("nids", Tree::array({primary}));
  for (const Tree& nid : nids)
    if (find_ni(*peer, nid) == nullptr) return fail(-ENOENT, "no such peer, or it has no such NID");
  const auto goes = [&](const Tree& ni) {
    return std::find(nids.begin(), nids.end(), ni["nid"]) != nids.end();
  };
  const bool whole = std::find(nids.begin(), nids.end(), primary) != nids.end();
  const bool locked = (state_of(*peer) & kLockPrimary) != 0 && !body.value("force", false);
  if (whole && !locked) return erase(peers, peer), Result<void>();
  Tree left = Tree::array();
  for (const Tree& ni : (*peer)["peer ni"])
    if (ni["nid"] == primary || (!whole && !goes(ni))) left.push_back(ni);
  (*peer)["peer ni"] = std::move(left);
  return {};
}

Result<void> set_peer(Tree& peers, const Tree& body) {
  const std::string nid = body.value("nid", std::string());
  Tree* const peer = nid.empty() ? nullptr : find_with(peers, nid);
  if (!nid.empty() && peer == nullptr) return fail(-ENOENT, "no peer has " + nid);
  if (body.contains("state")) (*peer)["peer state"] = body["state"];
  if (!body.contains("health")) return {};
  for (Tree& each : peers)
    for (Tree& ni : each["peer ni"])
      if (nid.empty() || ni["nid"] == nid) ni["health stats"]["health value"] = body["health"];
  return {};
}

}  // namespace ulnet::ctl::test
