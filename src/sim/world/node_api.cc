// LNet's calls on a simulated node: each is one step of every shard that it concerns
// (lnet/core/contract/lnet_calls.h). Source: spec/core-semantics.md 4.6, 15.
#include "sim/world/incarnation.h"
#include "sim/world/node.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

/// Records the end of the ping that ping() waits for.
struct Waiting final : PingSink {
  void on_ping(std::uint64_t, int ended, const PingReply& answer) override {
    status = ended;
    reply = answer;
    over = true;
  }
  bool over = false;
  int status = 0;
  PingReply reply;
};

}  // namespace

void SimNode::call(core::ApiCall& call) {
  if (incarnation_ != nullptr && state_ != State::kPaused) return incarnation_->call(call);
  call.status = incarnation_ == nullptr ? -ESHUTDOWN : -EAGAIN;
  call.reason = incarnation_ == nullptr ? "the node is down" : "the node is paused";
}

Result<void> SimNode::answer(core::ApiCall& api) {
  call(api);
  if (api.status != 0) return fail(api.status, api.reason);
  return {};
}

Result<void> SimNode::md_unlink(MdHandle md) {
  auto done = command(core::call::MdUnlink{md});
  if (incarnation_ != nullptr && state_ != State::kPaused) incarnation_->run_out(md);
  return done;
}

bool SimNode::in_handler() const {
  return world_.inside() || (incarnation_ != nullptr && incarnation_->running_deferred());
}

template <class Call>
Result<std::uint64_t> SimNode::begin(Call call, PingSink& sink) {
  if (incarnation_ == nullptr) return fail(-ESHUTDOWN, "the node is down");
  const std::uint64_t ticket = incarnation_->next_ticket();
  incarnation_->expect(ticket, &sink);
  call.ticket = ticket;
  const auto begun = command(std::move(call));
  if (begun) return ticket;
  incarnation_->expect(ticket, nullptr);
  return tl::unexpected<Error>(begun.error());
}

template <class Call>
Result<PingReply> SimNode::wait_for(Call call) {
  if (in_handler()) return fail(-EDEADLK, "a waiting call inside a handler");
  Waiting waiting;
  const std::uint32_t start = starts_;
  const auto ticket = begin(std::move(call), waiting);
  if (!ticket) return tl::unexpected<Error>(ticket.error());
  const bool& over = waiting.over;  // g++ warns when a template's lambda refers to a Waiting
  const Verdict verdict =
      world_.run_until([&](World&) { return over || starts_ != start || incarnation_ == nullptr; });
  if (!waiting.over) {
    if (incarnation_ != nullptr && starts_ == start) incarnation_->expect(*ticket, nullptr);
    return fail(verdict.reached() ? -ESHUTDOWN : -ETIMEDOUT, "the call did not end");
  }
  if (waiting.status != 0) return fail(waiting.status, "the peer was not reached");
  return std::move(waiting.reply);
}

Result<std::uint64_t> SimNode::start_ping(const PingRequest& request, PingSink& sink) {
  return begin(core::call::Ping{request}, sink);
}

Result<std::uint64_t> SimNode::start_discovery(const Nid& nid, bool force, PingSink& sink) {
  return begin(core::call::Discover{nid, force}, sink);
}

Result<PingReply> SimNode::ping(const PingRequest& request) {
  return wait_for(core::call::Ping{request});
}

Result<PingReply> SimNode::discover(const Nid& nid, bool force) {
  return wait_for(core::call::Discover{nid, force});
}

void SimNode::after(std::chrono::nanoseconds delay, std::function<void()> fn) {
  if (incarnation_ != nullptr)
    incarnation_->after(std::max(Duration(delay), Duration{}), std::move(fn));
}

bool SimNode::progress(std::chrono::nanoseconds wait) {
  if (in_handler()) return false;
  const std::uint64_t before = world_.steps();
  const Instant end = world_.now() + std::max(Duration(wait), Duration{});
  world_.run_until(
      [&](World& world) { return world.steps() != before || world.queue().next() > end; });
  if (world_.steps() == before && end > world_.now()) (void)world_.run_until(end);
  return world_.steps() != before;
}

}  // namespace ulnet::sim
