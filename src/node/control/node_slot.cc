#include "node/control/node_slot.h"

#include <utility>

#include "conf/params.h"

namespace ulnet::node::control {

namespace {

/// All that a node could be started with again. A parameter that starts a global shows what that
/// has become, which `set` may have bent beyond what a parameter can say: such a one is left out.
std::map<std::string, std::string> params_to_keep(Node& node) {
  std::map<std::string, std::string> kept = node.params();
  std::erase_if(kept,
                [](const auto& entry) { return !conf::check_param(entry.first, entry.second); });
  return kept;
}

}  // namespace

Result<void> NodeSlot::configure(const ConfigureOptions& options) {
  const std::scoped_lock changing(changing_);
  if (draining()) return fail(-ESHUTDOWN, "the daemon is ending");
  if (node() != nullptr) return {};
  ConfigureOptions asked = options;
  asked.params = params_;
  auto started = start_(asked);
  if (!started) return tl::unexpected(started.error());
  const std::scoped_lock lock(mutex_);
  node_ = std::move(*started);
  return {};
}

Result<void> NodeSlot::unconfigure(std::chrono::nanoseconds deadline) {
  const std::scoped_lock changing(changing_);
  std::shared_ptr<Node> leaving;
  {
    const std::scoped_lock lock(mutex_);
    leaving = std::exchange(node_, nullptr);
  }
  if (leaving == nullptr) return {};
  params_ = params_to_keep(*leaving);
  leaving->stop(deadline);
  return {};
}

std::shared_ptr<Node> NodeSlot::node() const {
  const std::scoped_lock lock(mutex_);
  return node_;
}

void NodeSlot::drain() {
  const std::scoped_lock lock(mutex_);
  draining_ = true;
}

bool NodeSlot::draining() const {
  const std::scoped_lock lock(mutex_);
  return draining_;
}

}  // namespace ulnet::node::control
