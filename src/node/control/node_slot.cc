#include "node/control/node_slot.h"

#include <utility>

namespace ulnet::node::control {

Result<void> NodeSlot::configure(const ConfigureOptions& options) {
  const std::scoped_lock changing(changing_);
  if (draining()) return fail(-ESHUTDOWN, "the daemon is ending");
  if (node() != nullptr) return {};
  auto started = start_(options);
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
  if (leaving != nullptr) leaving->stop(deadline);
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
