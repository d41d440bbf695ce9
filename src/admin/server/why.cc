#include "admin/server/why.h"

#include <algorithm>
#include <string_view>

#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

// Bits of `peer state` (spec/multirail.md 1.1).
constexpr std::uint32_t kRediscover = 32, kDiscovering = 64, kMarkDeletion = 262144,
                        kMarkDeleted = 524288;

/// Returns the peer's NIDs that are on a net of this node.
std::vector<const core::PeerNiShow*> reachable(const core::PeerShow& peer,
                                               const std::vector<NiShow>& nis) {
  std::vector<const core::PeerNiShow*> found;
  for (const core::PeerNiShow& peer_ni : peer.nis)
    if (std::ranges::any_of(nis, [&](const NiShow& ni) { return ni.net == peer_ni.nid.net(); }))
      found.push_back(&peer_ni);
  return found;
}

std::string nets_of(const core::PeerShow& peer) {
  std::vector<NetId> nets;
  for (const core::PeerNiShow& peer_ni : peer.nis)
    if (std::ranges::find(nets, peer_ni.nid.net()) == nets.end()) nets.push_back(peer_ni.nid.net());
  std::string text;
  for (const NetId net : nets) text += (text.empty() ? "" : ", ") + net.to_string();
  return text;
}

/// Whether an NI of this node on the net of the NID can send.
bool has_sender(const core::PeerNiShow& peer_ni, const std::vector<NiShow>& nis) {
  return std::ranges::any_of(
      nis, [&](const NiShow& ni) { return ni.net == peer_ni.nid.net() && ni.up; });
}

bool is_down(const core::PeerNiShow& peer_ni) { return std::string_view(peer_ni.state) == "down"; }

}  // namespace

std::string why_unused(const core::PeerShow& peer, const std::vector<NiShow>& nis) {
  if ((peer.state_bits & (kMarkDeletion | kMarkDeleted)) != 0) return "it is being deleted";
  auto rails = reachable(peer, nis);
  if (rails.empty())
    return "no common net: it has NIDs on " + nets_of(peer) + ", where this node has no interface";
  if (std::ranges::none_of(rails, [&](const auto* rail) { return has_sender(*rail, nis); }))
    return "all interfaces of this node on its nets are down";
  std::erase_if(rails, [&](const auto* rail) { return !has_sender(*rail, nis); });
  if (std::ranges::all_of(rails, [](const auto* rail) { return is_down(*rail); }))
    return "all its interfaces on common nets are down";
  if (std::ranges::all_of(rails, [](const auto* rail) { return rail->health_value <= 0; }))
    return "all its interfaces on common nets are unhealthy: their health is 0. The node still "
           "sends messages to them, which may fail; recovery pings them, and raises their health "
           "when they answer";
  if ((peer.state_bits & kDiscovering) != 0)
    return "its discovery is under way, and messages wait until it ends";
  if (peer.discovery_error != 0 && (peer.state_bits & kRediscover) != 0)
    return "its discovery has failed: " + system_text(peer.discovery_error) + " (" +
           std::to_string(peer.discovery_error) + "); the next message or 'discover' tries again";
  return {};
}

}  // namespace ulnet::node::control
