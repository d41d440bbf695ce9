#include "admin/server/node_slot.h"

#include <algorithm>
#include <utility>

#include "lnet/config/params.h"

namespace ulnet::node::control {

namespace {

/// How long the selftest may take to end its RPCs in flight.
constexpr std::chrono::nanoseconds kSelftestTime = std::chrono::seconds(2);

tl::unexpected<Error> ending() { return fail(-ESHUTDOWN, "the daemon is ending"); }

/// Returns the parameters with which the next node can be started. A parameter that gives a global
/// its first value shows the global's present value. `set` may have given the global a value that
/// the parameter cannot have; then the parameter is left out.
std::map<std::string, std::string> params_to_keep(Node& node) {
  std::map<std::string, std::string> kept = node.params();
  std::erase_if(kept,
                [](const auto& entry) { return !conf::check_param(entry.first, entry.second); });
  return kept;
}

}  // namespace

Result<void> NodeSlot::configure(const ConfigureOptions& options) {
  const auto started = start(options);
  if (!started) return tl::unexpected(started.error());
  if (*started == nullptr) return {};
  // A caller that removes or stops the node does not wait for its gateways.
  const auto gives_up = [&] { return draining() || node() != *started; };
  wait_for_first_checks(**started, Mode::kShared, gives_up);
  if (draining()) return ending();
  return {};
}

Result<std::shared_ptr<Node>> NodeSlot::start(const ConfigureOptions& options) {
  const std::scoped_lock changing(changing_);
  if (draining()) return ending();
  if (node() != nullptr) return nullptr;
  ConfigureOptions asked = options;
  asked.params = params_;
  asked.ping_sequence = ping_sequence_;
  auto started = start_(asked);
  if (!started) return tl::unexpected(started.error());
  const std::scoped_lock lock(mutex_);
  node_ = std::move(*started);
  return node_;
}

Result<void> NodeSlot::unconfigure(std::chrono::nanoseconds deadline) {
  const std::scoped_lock changing(changing_);
  std::shared_ptr<Node> leaving;
  {
    const std::scoped_lock lock(mutex_);
    leaving = std::exchange(node_, nullptr);
  }
  if (leaving == nullptr) return {};
  stop_selftest(deadline);
  params_ = params_to_keep(*leaving);
  leaving->stop(deadline);
  ping_sequence_ = totals(*leaving).ping_sequence;
  selftest_ = nullptr;
  return {};
}

Result<std::shared_ptr<NodeService>> NodeSlot::selftest() {
  const std::scoped_lock changing(changing_);
  if (draining()) return ending();
  const auto running = node();
  if (running == nullptr) return fail(-ENETDOWN, "Unspecific failure");
  if (selftest_ == nullptr) {
    auto started = start_selftest_(running);
    if (!started) return tl::unexpected(started.error());
    selftest_ = std::move(*started);
    running->on_param([selftest = std::weak_ptr(selftest_)](const auto& name, const auto& value) {
      if (const auto still = selftest.lock()) still->set_param(name, value);
    });
  }
  return selftest_;
}

void NodeSlot::stop_selftest(std::chrono::nanoseconds deadline) {
  if (selftest_ != nullptr) selftest_->stop(std::min(deadline, kSelftestTime));
}

void NodeSlot::stop(std::chrono::nanoseconds deadline) {
  const std::scoped_lock changing(changing_);
  stop_selftest(deadline);
  if (const auto running = node()) running->stop(deadline);
  selftest_ = nullptr;
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
