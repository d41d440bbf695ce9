// No message leaves by an NI whose device has failed while LNet may choose a path by one that
// works. Such a path is another NI of the net; for a request to a peer with multi-rail, a net on
// which the peer has a healthy NID, and a router where no NI on a net of the peer works; for a
// message through a router, another router.
//
// Messages that waited for a credit when the NI failed count as well; those that a delay rule held
// then do not: they go on (11.3). The checker ignores a source that the caller has named, the one
// NI that a peer without multi-rail sees, the NID to which an answer and a recovery ping go, and
// nodes with policies. Source: spec/multirail.md 3.1 to 3.4.
#include <vector>

#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/chosen_path.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether an NI of the net works and its health is not 0. LNet rates a net whose best health is 0
/// like one whose NIs have failed (spec/multirail.md 3.2 A 3).
bool is_rated_better(const core::ShardState& state, NetId net) {
  const core::LocalNet* local = state.nis.find(net);
  return local != nullptr && std::ranges::any_of(local->nis, [](const core::LocalNi* ni) {
           return !ni->fatal && ni->health > 0;
         });
}

/// Whether the NID is healthy, and was when the step began: the health of a NID may change within a
/// step.
bool is_well(const ShardStep& step, const Nid& nid) {
  const core::PeerNid* known = step.state.peers.find(nid);
  if (known != nullptr && known->health != core::kHealthMax) return false;
  return !has_been_full(step, nid);
}

/// Whether working NIs reach the gateway on every net of its NIDs that this node is on.
bool works_for(const core::ShardState& state, const Nid& gateway) {
  const core::PeerNid* known = state.peers.find(gateway);
  if (known == nullptr || !known->multi_rail()) return state.nis.works(gateway.net());
  return std::ranges::all_of(known->peer_entry->nids, [&](const Nid& nid) {
    return state.nis.find(nid.net()) == nullptr || state.nis.works(nid.net());
  });
}

/// A gateway to the net that a working NI reaches; null: no such gateway exists, or it is the
/// router from which the message comes.
const Nid* other_gateway(const core::ShardState& state, NetId net, const Nid* from) {
  for (const core::RouteEntry& route : routes_to(state, net)) {
    const core::GatewayEntry& entry = route.gateway->entry;
    if (!entry.reaches(net) || state.nis.find(entry.gateway.net()) == nullptr) continue;
    if (from != nullptr && core::is_of_gateway(state.peers, entry.gateway, *from)) continue;
    if (works_for(state, entry.gateway)) return &entry.gateway;
  }
  return nullptr;
}

struct FailedKind {
  /// Whether the peer that gets the message has multi-rail; for a message that this node forwards,
  /// whether the next hop has it.
  bool multi_rail = false;
  bool answer = false;
  bool routed = false;
  bool internal = false;
  bool direct = false;  ///< the message ends at the hop
};

bool has_multi_rail(const core::ShardState& state, const Nid& nid) {
  const core::PeerNid* known = state.peers.find(nid);
  return known != nullptr && known->multi_rail();
}

FailedKind kind_of_path(const core::ShardState& state, const ShownPath& path) {
  return {has_multi_rail(state, path.msg.routed ? path.hop : path.header.dest_nid), goes_back(path),
          path.msg.routed, path.msg.internal, path.hop == path.header.dest_nid};
}

/// Calls `fn` for each outgoing message that a delay rule holds.
template <class Fn>
void for_each_held(const core::ShardState& state, Fn&& fn) {
  if (state.fault_holds.size() == 0) return;
  state.messages.for_each([&](Handle, const core::Msg& msg) {
    if (msg.outgoing && msg.state == core::MsgState::kDelayed) fn(msg);
  });
}

/// Whether LNet chooses the NI.
bool is_free(const ShownPath& path, const FailedKind& kind) {
  // Without multi-rail the peer sees one NI (spec/multirail.md 3.4).
  if (kind.routed) return kind.multi_rail;
  if (kind.answer) return kind.multi_rail && path.msg.rx.value == 0;
  return path.msg.source.is_any() && (kind.multi_rail || kind.internal);
}

/// A better path that the message could have taken; empty: there was no better path.
std::string better_way(const ShardStep& step, const ShownPath& path, const FailedKind& kind) {
  const core::ShardState& state = step.state;
  const NetId net = path.hop.net();
  if (state.nis.works(net)) return "another NI of the net";
  if (path.msg.recovery || is_of_other_shard(path)) return {};
  if (!kind.direct) {
    if (kind.routed && path.msg.from == nullptr) return {};
    const Nid* from = kind.routed ? &path.msg.from->nid : nullptr;
    const Nid* other = other_gateway(state, path.header.dest_nid.net(), from);
    return other == nullptr ? std::string() : "the gateway " + other->to_string();
  }
  if (kind.routed || !kind.multi_rail) return {};
  const std::vector<Nid>& nids = state.peers.find(path.header.dest_nid)->peer_entry->nids;
  for (const Nid& nid : nids)
    if (is_rated_better(state, nid.net()) && is_well(step, nid)) return nid.to_string();
  if (std::ranges::any_of(nids, [&](const Nid& nid) { return state.nis.works(nid.net()); }))
    return {};
  for (const Nid& nid : nids)
    if (const Nid* other = other_gateway(state, nid.net(), nullptr))
      return "the gateway " + other->to_string();
  return {};
}

class FailedNiAvoided final : public Checker {
 public:
  FailedNiAvoided() : Checker("failed NI avoided", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    held_.clear();
    for_each_held(step.state, [&](const core::Msg& msg) { held_.push_back(msg.self); });
    pushes_ = Nid::any();
    const auto* landed = std::get_if<core::PayloadLanded>(&step.input);
    const core::Msg* in = landed == nullptr ? nullptr : step.state.find(landed->msg);
    if (in != nullptr && !has_multi_rail(step.state, in->header.src_nid))
      pushes_ = in->header.src_nid;
  }

  void after_step(World& world, const ShardStep& step) override {
    Late& late = late_.of(step.node, step.shard);
    note_late(step, late);
    const auto was_held = [&](const core::Msg& msg) {
      return std::ranges::find(held_, msg.self) != held_.end();
    };
    for (const core::Action& action : step.actions)
      if (const auto path = path_of(step, action); path && !was_held(path->msg))
        look_at(world, step, late, *path);
    for_each_held(step.state, [&](const core::Msg& msg) {
      if (!was_held(msg)) look_at(world, step, late, {msg, msg.ni, msg.hop.nid, msg.header});
    });
  }

 private:
  /// Messages from other shards that came after the NI of their path had failed: the shard that
  /// chose the path had not yet got the new health of the NI.
  using Late = PerMessage<bool>;

  static void note_late(const ShardStep& step, Late& late) {
    const auto* shard_msg = shard_msg_in<core::shard_msg::Transmit>(step.input);
    if (shard_msg == nullptr) return;
    const core::LocalNi* ni = step.state.nis.find(shard_msg->path.ni);
    if (ni != nullptr && ni->fatal)
      late.add(shard_msg->msg, true);
    else
      late.erase(shard_msg->msg);
  }

  void look_at(World& world, const ShardStep& step, Late& late, const ShownPath& path) const {
    if (path.ni == nullptr || !path.ni->fatal || path.ni->net == nullptr) return;
    if (is_of_other_shard(path) && late.find(path.msg.remote.msg) != nullptr) return;
    if (!step.state.config->udsp->entries().empty()) return;
    const FailedKind kind = kind_of_path(step.state, path);
    if (!is_free(path, kind) || (kind.answer && path.header.dest_nid == pushes_)) return;
    const std::string other = better_way(step, path, kind);
    if (other.empty()) return;
    violation(world, &step.node, "a message to {} leaves by {}, which has failed, and not by {}",
              path.header.dest_nid, path.ni->nid(), other);
  }
  PerNode<Late> late_;
  std::vector<core::MsgTicket> held_;  ///< those that delay rules held before the step
  /// The sender of the message that lands in this step, if that peer had no multi-rail before;
  /// otherwise Nid::any(). The message may be a push that turns the peer into one with multi-rail:
  /// its ACK leaves before the push is read (core-semantics.md 6.3).
  Nid pushes_;
};

}  // namespace

std::unique_ptr<Checker> failed_ni_avoided_checker() { return std::make_unique<FailedNiAvoided>(); }

}  // namespace ulnet::sim
