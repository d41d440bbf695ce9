// The path that a shard would explain for a NID is the path of a user's next request to that NID:
// the same NI, and the same NID of the peer or of the router. When the shard explains that there is
// no path, the request has none. Source: spec/multirail.md 3, DESIGN.md 6.
#include <optional>

#include "lnet/core/flow/explain_path.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class PathExplained final : public Checker {
 public:
  PathExplained() : Checker("path as explained", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    explained_.reset();
    const auto request = own_request(step.input);
    // For a NID that the shard does not know, the explanation and the request would first make an
    // entry.
    if (!request || step.state.shut_down || step.state.peers.find(request->target) == nullptr)
      return;
    explained_.emplace();
    explained_->to = request->target;
    // The explanation has no visible effect: it may make the list of the peer's rails, as the
    // request then does.
    auto& state = const_cast<core::ShardState&>(step.state);
    core::Actions none;
    core::Step asked{state, step.now, none};
    core::explain_path(asked, *explained_);
  }

  void after_step(World& world, const ShardStep& step) override {
    const auto request = own_request(step.input);
    if (!request || !explained_ || explained_->waits) return;
    const auto wrong = [&](const std::string& what) {
      violation(world, &step.node, "a request to {} {}; explained: {}", request->target, what,
                explained_->path_status != 0
                    ? std::string(explained_->path_reason)
                    : explained_->source.to_string() + " to " + explained_->hop.to_string());
    };
    for (const core::Action& action : step.actions) {
      const Nid* hop = hop_of(step, action, *request);
      if (hop == nullptr) continue;
      if (explained_->path_status != 0 || *hop != explained_->hop)
        return wrong("goes to " + hop->to_string());
      const core::LocalNi* ni = step.state.nis.find(ni_of(action));
      // Without an NI the shard of the hop chooses it, and only that shard could explain the
      // choice.
      const Nid source = ni == nullptr ? Nid::any() : ni->nid();
      if (source != explained_->source) return wrong("leaves by " + source.to_string());
    }
  }

 private:
  /// The explanation before the step that begins the request; nothing: there is no explanation.
  std::optional<core::call::ExplainPath> explained_;
};

}  // namespace

std::unique_ptr<Checker> path_explained_checker() { return std::make_unique<PathExplained>(); }

}  // namespace ulnet::sim
