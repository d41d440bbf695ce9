// LNet's calls on a simulated node: each is one step of the shard. Source: spec/core-semantics.md 2
// to 7, 15.
#include "sim/life.h"
#include "sim/node.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

/// Sets a flag when the ping that it waits for is over.
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
  if (life_ != nullptr && state_ != State::kPaused) return life_->call(call);
  call.status = life_ == nullptr ? -ESHUTDOWN : -EAGAIN;
  call.reason = life_ == nullptr ? "the node is down" : "the node is paused";
}

template <class Body>
Result<Body> SimNode::answered(Body body) {
  core::ApiCall api;
  api.body.emplace<Body>(std::move(body));
  call(api);
  if (api.status != 0) return fail(api.status, api.reason);
  return std::get<Body>(std::move(api.body));
}

Result<ProcessId> SimNode::get_id(unsigned index, bool large_ok) {
  return answered(core::call::GetId{index, large_ok}).map([](auto&& c) { return c.id; });
}

Result<Distance> SimNode::dist(const Nid& target) {
  return answered(core::call::Dist{target}).map([](auto&& c) { return c.distance; });
}

Result<MeHandle> SimNode::me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                                    MatchBits ignore, UnlinkMode unlink, InsertPosition position) {
  return answered(core::call::MeAttach{portal, match_id, match, ignore, unlink, position})
      .map([](auto&& c) { return c.me; });
}

Result<MeHandle> SimNode::me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                       MatchBits match, MatchBits ignore, UnlinkMode unlink) {
  if (cpt >= cpts()) return fail(-ERANGE, "invalid CPT value");
  return answered(core::call::MeAttach{portal, match_id, match, ignore, unlink,
                                       InsertPosition::kLocal, cpt})
      .map([](auto&& c) { return c.me; });
}

Result<MdHandle> SimNode::md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) {
  if (md.sink != nullptr) md.sink->md_added();
  auto made = answered(core::call::MdAttach{me, md, unlink}).map([](auto&& c) { return c.md; });
  if (!made && md.sink != nullptr) md.sink->md_refused();
  return made;
}

Result<MdHandle> SimNode::md_bind(const MdSpec& md, UnlinkMode unlink) {
  if (md.sink != nullptr) md.sink->md_added();
  auto made = answered(core::call::MdBind{md, unlink}).map([](auto&& c) { return c.md; });
  if (!made && md.sink != nullptr) md.sink->md_refused();
  return made;
}

Result<void> SimNode::md_unlink(MdHandle md) {
  auto done = answered(core::call::MdUnlink{md}).map([](auto&&) {});
  if (life_ != nullptr && state_ != State::kPaused) life_->run_out(md);
  return done;
}

Result<void> SimNode::put(const PutRequest& request) {
  return answered(core::call::Put{request}).map([](auto&&) {});
}

Result<void> SimNode::get(const GetRequest& request) {
  return answered(core::call::Get{request}).map([](auto&&) {});
}

Result<void> SimNode::set_lazy_portal(Portal portal) {
  return answered(core::call::SetLazy{portal}).map([](auto&&) {});
}

Result<void> SimNode::clear_lazy_portal(Portal portal) {
  return answered(core::call::ClearLazy{portal}).map([](auto&&) {});
}

Result<std::uint64_t> SimNode::start_ping(const PingRequest& request, PingSink& sink) {
  if (life_ == nullptr) return fail(-ESHUTDOWN, "the node is down");
  const std::uint64_t ticket = life_->next_ticket();
  life_->expect(ticket, &sink);
  const auto begun = answered(core::call::Ping{request, ticket});
  if (begun) return ticket;
  life_->expect(ticket, nullptr);
  return tl::unexpected<Error>(begun.error());
}

Result<PingReply> SimNode::ping(const PingRequest& request) {
  if (world_.inside() || (life_ != nullptr && life_->settling()))
    return fail(-EDEADLK, "a waiting call inside a handler");
  Waiting waiting;
  const std::uint32_t life = life_number_;
  const auto ticket = start_ping(request, waiting);
  if (!ticket) return tl::unexpected<Error>(ticket.error());
  const Verdict verdict = world_.run_until(
      [&](World&) { return waiting.over || life_number_ != life || life_ == nullptr; });
  if (!waiting.over) {
    if (life_ != nullptr && life_number_ == life) life_->expect(*ticket, nullptr);
    return fail(verdict.reached() ? -ESHUTDOWN : -ETIMEDOUT, "the ping did not end");
  }
  if (waiting.status != 0) return fail(waiting.status, "");
  return std::move(waiting.reply);
}

void SimNode::after(std::chrono::nanoseconds delay, std::function<void()> fn) {
  if (life_ != nullptr) life_->after(std::max(Duration(delay), Duration{}), std::move(fn));
}

Counters SimNode::counters() {
  return answered(core::call::GetCounters{})
      .map([](auto&& c) { return c.counters; })
      .value_or(Counters{});
}

bool SimNode::progress(std::chrono::nanoseconds wait) {
  if (world_.inside() || (life_ != nullptr && life_->settling())) return false;
  const std::uint64_t before = world_.steps();
  const Instant end = world_.now() + std::max(Duration(wait), Duration{});
  world_.run_until(
      [&](World& world) { return world.steps() != before || world.queue().next() > end; });
  if (world_.steps() == before && end > world_.now()) (void)world_.run_until(end);
  return world_.steps() != before;
}

}  // namespace ulnet::sim
