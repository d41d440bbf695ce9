#include "sim/checkers/multi_rail_advertised.h"

#include <algorithm>
#include <string_view>

#include "sim/checkers/counted.h"
#include "sim/checkers/discovery_steps.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

bool advertises_both(const wire::PingInfo& info) {
  return info.has(wire::kPingMultiRail) && info.has(wire::kPingDiscovery);
}

}  // namespace

/// Whether the peer's reports do not count, or the node applies nothing from them.
bool MultiRailAdvertised::is_exempt(const Advertised& advertised, const core::Peer& peer) {
  constexpr std::uint32_t kDeclared = core::kPeerConfigured | core::kPeerLockPrimary;
  return peer.own || advertised.verified || (peer.state & kDeclared) != 0;
}

/// Notes the infos that have landed before the step, because their memory is gone after the step
/// that reads them.
void MultiRailAdvertised::before_step(World&, const ShardStep& step) {
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

void MultiRailAdvertised::after_step(World& world, const ShardStep& step) {
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
      violation(world, &step.node, note.nid.to_string() + ": noted an info that has not landed");
    else
      take_down(world, step, *landed, note.nid);
  }
  look_at_pushes(world, step);
}

void MultiRailAdvertised::take_down(World& world, const ShardStep& step, const Landed& landed,
                                    const Nid& peer) {
  Advertised& advertised = advertised_.of(step.node);
  const bool both = advertises_both(landed.info);
  advertised.both[peer] = both;
  if (both)
    for (const Nid& nid : core::nids_of(landed.info)) advertised.both[nid] = true;
  const core::Peer* known = step.state.directory.find(peer);
  if (both || known == nullptr || is_exempt(advertised, *known)) return;
  const auto wrong = [&](const char* what) {
    violation(world, &step.node,
              peer.to_string() + ": advertises no multi-rail or no discovery, and " + what);
  };
  if (known->has(core::kPeerMultiRail)) wrong("is treated as one that has both");
  if (known->nids().size() > 1) wrong("keeps its other NIDs");
}

void MultiRailAdvertised::look_at_pushes(World& world, const ShardStep& step) {
  const Advertised& advertised = advertised_.of(step.node);
  for (const core::Action& action : step.actions) {
    const core::Portal0Md* begun = begun_by(step.state, action);
    if (begun == nullptr || begun->kind != core::Portal0Md::Kind::kPush) continue;
    const core::Peer* peer = step.state.directory.find(begun->peer);
    if (peer == nullptr || is_exempt(advertised, *peer)) continue;
    const auto said = advertised.both.find(begun->target.nid);
    if (said == advertised.both.end() || !said->second)
      violation(world, &step.node,
                begun->target.nid.to_string() + ": is pushed to, and advertises no multi-rail");
  }
}

void MultiRailAdvertised::check_all(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    const SimNode& node = world.node(i);
    const core::ShardState* state = node.shard_state(core::kControlShard);
    if (state == nullptr || state->config == nullptr) continue;
    const Advertised& advertised = advertised_.of(node);
    state->directory.for_each([&](const core::Peer& peer) {
      if (is_exempt(advertised, peer)) return;
      const auto said = advertised.both.find(peer.primary);
      const bool both = said != advertised.both.end() && said->second;
      if (!peer.has(core::kPeerMultiRail) && peer.nids().size() > 1)
        violation(world, &node, peer.primary.to_string() + ": has NIDs, and no multi-rail");
      if (peer.has(core::kPeerMultiRail) && !both)
        violation(world, &node,
                  peer.primary.to_string() + ": has multi-rail, which it never advertised");
    });
  }
}

}  // namespace ulnet::sim
