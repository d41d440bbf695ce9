// A node's entry of a peer has the features that the peer reported last. Only a peer that reports
// multi-rail and discovery has multi-rail in the directory, has several NIDs there, and gets
// pushes; each NID of any other peer is a peer by itself. A peer that has reported both, and then
// reports less, is deleted with all its NIDs.
//
// The checker ignores peers that an administrator or a service has declared. It also ignores all
// peers of a node whose discovery only verifies, or did so at some time: such a node keeps its
// entries, whatever peers reported meanwhile. Source: spec/multirail.md 4.1, 4.2, 4.4, 4.9,
// spec/wire-lnet.md 5, 6.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

bool advertises_both(const wire::PingInfo& info) {
  return info.has(wire::kPingMultiRail) && info.has(wire::kPingDiscovery);
}

class MultiRailAdvertised final : public Checker {
 public:
  MultiRailAdvertised() : Checker("multi-rail as advertised", kBeforeStep | kAfterStep) {}

  /// Notes the infos that have landed before the step, because their memory is gone after the step
  /// that reads them.
  void before_step(World&, const ShardStep& step) override {
    if (step.shard != core::kControlShard) return;
    landed_.clear();
    overtaken_ = drops(step.state, core::DropReason::kInfoOld);
    using Kind = core::Portal0Md::Kind;
    step.state.portal0.mds.for_each([&](Handle self, const core::Portal0Md& md) {
      const bool asked_for = md.kind == Kind::kPeerPing;
      if (!asked_for && md.kind != Kind::kPushTarget && md.kind != Kind::kRouterCheck) return;
      if (md.bytes.empty() || md.bytes.front() == std::byte{0}) return;  // no info has arrived yet
      if (auto info = wire::decode_ping_info(md.bytes))
        landed_.push_back({self, asked_for, std::move(*info)});
    });
  }

  void after_step(World& world, const ShardStep& step) override {
    if (step.shard != core::kControlShard) return;
    if (const auto* config = std::get_if<core::Config>(&step.input))
      advertised_.of(step.node).verified |=
          config->snapshot->globals.discovery == core::kDiscoveryVerifies;
    for (const core::Note& note : notes_about(step, core::Note::About::kDiscovery)) {
      const std::string_view text = note.text;
      const bool asked_for = text == "ping answered, NIDs {}";
      if (!asked_for && text != "its info came, NIDs {}") continue;
      const auto landed = std::ranges::find_if(landed_, [&](const Landed& each) {
        return each.asked_for == asked_for && step.state.portal0.mds.find(each.md) == nullptr;
      });
      if (overtaken_ != drops(step.state, core::DropReason::kInfoOld)) continue;
      if (landed == landed_.end())
        violation(world, &step.node, "{}: noted an info that has not landed", note.nid);
      else
        take_down(world, step, *landed, note.nid);
    }
    look_at_pushes(world, step);
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      const core::ShardState* state = node.shard_state(core::kControlShard);
      if (state == nullptr || state->config == nullptr) continue;
      const Advertised& advertised = advertised_.of(node);
      state->directory.for_each([&](const core::Peer& peer) {
        if (is_exempt(advertised, peer)) return;
        const auto said = advertised.both.find(peer.primary);
        const bool both = said != advertised.both.end() && said->second;
        if (!peer.has(core::kPeerMultiRail) && peer.nids().size() > 1)
          violation(world, &node, "{}: has NIDs, and no multi-rail", peer.primary);
        if (peer.has(core::kPeerMultiRail) && !both)
          violation(world, &node, "{}: has multi-rail, which it never advertised", peer.primary);
      });
    }
  }

 private:
  /// An info that has landed in memory of the control shard.
  struct Landed {
    Handle md;  ///< the Portal0Md, which is removed in the step that reads the info
    /// Requested by a ping of discovery; otherwise pushed, or read by a check of a gateway.
    bool asked_for = false;
    wire::PingInfo info;
  };
  struct Advertised {
    std::map<Nid, bool> both;  ///< whether the last info of a NID's peer reported both features
    bool verified = false;     ///< discovery only verified at some time
  };

  /// Whether the peer's reports do not count, or the node applies nothing from them.
  static bool is_exempt(const Advertised& advertised, const core::Peer& peer) {
    constexpr std::uint32_t kDeclared = core::kPeerConfigured | core::kPeerLockPrimary;
    return peer.own || advertised.verified || (peer.state & kDeclared) != 0;
  }

  void take_down(World& world, const ShardStep& step, const Landed& landed, const Nid& peer) {
    Advertised& advertised = advertised_.of(step.node);
    const bool both = advertises_both(landed.info);
    advertised.both[peer] = both;
    if (both)
      for (const Nid& nid : core::nids_of(landed.info)) advertised.both[nid] = true;
    const core::Peer* known = step.state.directory.find(peer);
    if (both || known == nullptr || is_exempt(advertised, *known)) return;
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "{}: advertises no multi-rail or no discovery, and {}", peer,
                what);
    };
    if (known->has(core::kPeerMultiRail)) wrong("is treated as one that has both");
    if (known->nids().size() > 1) wrong("keeps its other NIDs");
  }

  void look_at_pushes(World& world, const ShardStep& step) {
    const Advertised& advertised = advertised_.of(step.node);
    for (const core::Action& action : step.actions) {
      const core::Portal0Md* begun = begun_by(step.state, action);
      if (begun == nullptr || begun->kind != core::Portal0Md::Kind::kPush) continue;
      const core::Peer* peer = step.state.directory.find(begun->peer);
      if (peer == nullptr || is_exempt(advertised, *peer)) continue;
      const auto said = advertised.both.find(begun->target.nid);
      if (said == advertised.both.end() || !said->second)
        violation(world, &step.node, "{}: is pushed to, and advertises no multi-rail",
                  begun->target.nid);
    }
  }
  PerNode<Advertised> advertised_;
  std::vector<Landed> landed_;   ///< the infos that had landed before the step
  std::uint64_t overtaken_ = 0;  ///< the number of refused old infos, before the step
};

}  // namespace

std::unique_ptr<Checker> multi_rail_advertised_checker() {
  return std::make_unique<MultiRailAdvertised>();
}

}  // namespace ulnet::sim
