// A peer without multi-rail always sees the same NI of a node: the one by which the node's first
// message to it left, until a caller names another NI, or that NI or the peer's entry is deleted.
// Source: spec/multirail.md 3.1, 3.4.
#include <algorithm>
#include <optional>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// A request for which the shard itself has to choose the NI.
struct Begun {
  Nid target;
  MdHandle md{};          ///< a request of this shard, or
  core::MsgTicket msg{};  ///< a message of another shard
};

/// The request that the step begins to transmit; nothing if it begins none, or if the NI is given.
std::optional<Begun> begun_in(const core::Input& input) {
  if (const auto* in = shard_msg_in<core::shard_msg::Transmit>(input))
    return in->internal || in->path.ni.value != 0
               ? std::nullopt
               : std::optional(Begun{in->path.hop.nid, {}, in->msg});
  const auto own = own_request(input);
  return own ? std::optional(Begun{own->target, own->md, {}}) : std::nullopt;
}

/// The NI that a peer behind routers has seen, as this shard keeps it; null: it has seen no NI that
/// is up.
const core::LocalNi* ni_seen_through_router(const core::ShardState& state, const Nid& target) {
  const auto seen = state.routes.seen_sources.find(target);
  const core::LocalNi* ni =
      seen == state.routes.seen_sources.end() ? nullptr : state.nis.find(seen->second);
  return ni != nullptr && ni->phase == core::NiPhase::kUp ? ni : nullptr;
}

bool is_begun_message(const core::Msg& msg, const Begun& begun) {
  if (begun.msg) return msg.remote.msg == begun.msg;
  return msg.md != nullptr && msg.md->handle == begun.md && msg.tries == 0;
}

class OneSource final : public Checker {
 public:
  OneSource() : Checker("one source for a peer", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    before_ = {};
    const auto begun = begun_in(step.input);
    if (begun)
      if (const core::LocalNi* ni = ni_seen_through_router(step.state, begun->target))
        if (leads_to(step.state, ni->nid().net(), begun->target.net())) before_ = ni->config.id;
    const core::PeerNi* peer = begun ? step.state.peers.find_ni(begun->target) : nullptr;
    if (peer == nullptr) return;
    const core::LocalNi* ni = step.state.nis.find(peer->fixed_source);
    if (ni != nullptr && ni->phase == core::NiPhase::kUp) before_ = peer->fixed_source;
  }

  void after_step(World& world, const ShardStep& step) override {
    const auto begun = begun_in(step.input);
    if (!begun || begun->target.is_loopback()) return;
    for (const core::Action& action : step.actions) {
      const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action);
      const core::Msg* away = shard_msg == nullptr ? nullptr : step.state.find(shard_msg->msg);
      if (away != nullptr && is_begun_message(*away, *begun) &&
          shard_msg->path.hop.nid != begun->target)
        return look_far(world, step, begun->target, shard_msg->path.ni);
      const auto* send = std::get_if<core::Send>(&action);
      const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
      if (msg == nullptr || !is_begun_message(*msg, *begun)) continue;
      if (send->hop.nid != begun->target) return look_far(world, step, begun->target, send->ni);
      if (msg->peer->multi_rail()) return;
      const bool kept = before_.value == 0 || before_ == send->ni;
      if (!kept || msg->peer->fixed_source != send->ni)
        violation(world, &step.node, "{} sees {}{}", send->hop.nid, send->header.src_nid,
                  kept ? ", which this node does not keep for it" : ", but saw another NI before");
    }
  }

 private:
  /// Checks that a request to a peer behind routers leaves by the NI that the peer has seen.
  void look_far(World& world, const ShardStep& step, const Nid& target, core::NiId ni) {
    const core::PeerNid* known = step.state.peers.find(target);
    if (known == nullptr || known->multi_rail()) return;
    const auto seen = step.state.routes.seen_sources.find(target);
    const bool kept = seen != step.state.routes.seen_sources.end() && seen->second == ni;
    if (!kept || (before_.value != 0 && before_ != ni))
      violation(world, &step.node, "{}, behind routers, sees an NI that is not {}", target,
                kept ? "the one that it saw before" : "the one that this node keeps for it");
  }
  /// The NI that the peer of the message begun in this step has seen so far; 0: none.
  core::NiId before_;
};

}  // namespace

std::unique_ptr<Checker> one_source_checker() { return std::make_unique<OneSource>(); }

}  // namespace ulnet::sim
