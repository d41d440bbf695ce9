#include "sim/checkers/path_explained.h"

#include "lnet/core/flow/explain_path.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void PathExplained::before_step(World&, const ShardStep& step) {
  explained_.reset();
  const auto request = own_request(step.input);
  // For a NID that the shard does not know, the explanation and the request would first make an
  // entry.
  if (!request || step.state.shut_down || step.state.peers.find(request->target) == nullptr) return;
  explained_.emplace();
  explained_->to = request->target;
  // The explanation has no visible effect: it may make the list of the peer's rails, as the request
  // then does.
  auto& state = const_cast<core::ShardState&>(step.state);
  core::Actions none;
  core::Step asked{state, step.now, none};
  core::explain_path(asked, *explained_);
}

void PathExplained::after_step(World& world, const ShardStep& step) {
  const auto request = own_request(step.input);
  if (!request || !explained_ || explained_->waits) return;
  const auto wrong = [&](const std::string& what) {
    violation(world, &step.node,
              "a request to " + request->target.to_string() + " " + what + "; explained: " +
                  (explained_->path_status != 0
                       ? std::string(explained_->path_reason)
                       : explained_->source.to_string() + " to " + explained_->hop.to_string()));
  };
  for (const core::Action& action : step.actions) {
    const Nid* hop = hop_of(step, action, *request);
    if (hop == nullptr) continue;
    if (explained_->path_status != 0 || *hop != explained_->hop)
      return wrong("goes to " + hop->to_string());
    const core::LocalNi* ni = step.state.nis.find(ni_of(action));
    // Without an NI the shard of the hop chooses it, and only that shard could explain the choice.
    const Nid source = ni == nullptr ? Nid::any() : ni->nid();
    if (source != explained_->source) return wrong("leaves by " + source.to_string());
  }
}

}  // namespace ulnet::sim
