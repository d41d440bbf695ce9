// LNet's calls on a real node: each is one step of the shards that it asks. Source:
// spec/core-semantics.md 2 to 7, 15.
#include "node/node_impl.h"

namespace ulnet::node {

template <class Body>
Result<Body> NodeImpl::call(Body body) {
  core::ApiCall call{std::move(body)};
  if (auto done = street_.call(call); !done) return tl::unexpected<Error>(std::move(done.error()));
  return std::get<Body>(std::move(call.body));
}

Result<ProcessId> NodeImpl::get_id(unsigned index, bool large_ok) {
  return call(core::call::GetId{index, large_ok}).map([](auto&& c) { return c.id; });
}

Result<Distance> NodeImpl::dist(const Nid& target) {
  return call(core::call::Dist{target}).map([](auto&& c) { return c.distance; });
}

Result<MeHandle> NodeImpl::me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                                     MatchBits ignore, UnlinkMode unlink, InsertPosition position) {
  return call(core::call::MeAttach{portal, match_id, match, ignore, unlink, position})
      .map([](auto&& c) { return c.me; });
}

Result<MeHandle> NodeImpl::me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                        MatchBits match, MatchBits ignore, UnlinkMode unlink) {
  if (cpt >= cpts()) return fail(-ERANGE, "invalid CPT value");
  return call(core::call::MeAttach{portal, match_id, match, ignore, unlink, InsertPosition::kLocal,
                                   cpt})
      .map([](auto&& c) { return c.me; });
}

Result<MdHandle> NodeImpl::md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) {
  if (md.sink != nullptr) md.sink->md_added();
  auto made = call(core::call::MdAttach{me, md, unlink}).map([](auto&& c) { return c.md; });
  if (!made && md.sink != nullptr) md.sink->md_refused();
  return made;
}

Result<MdHandle> NodeImpl::md_bind(const MdSpec& md, UnlinkMode unlink) {
  if (md.sink != nullptr) md.sink->md_added();
  auto made = call(core::call::MdBind{md, unlink}).map([](auto&& c) { return c.md; });
  if (!made && md.sink != nullptr) md.sink->md_refused();
  return made;
}

Result<void> NodeImpl::md_unlink(MdHandle md) {
  core::ApiCall call{core::call::MdUnlink{md}};
  auto done = street_.call(call);
  // Another thread may be running the MD's handler; also for an MD that ended by itself a moment
  // ago.
  if (!OuterLoop::current().running()) street_.wait_for_strand(md);
  return done;
}

Result<void> NodeImpl::put(const PutRequest& request) {
  core::ApiCall call{core::call::Put{request}};
  return street_.call(call);
}

Result<void> NodeImpl::get(const GetRequest& request) {
  core::ApiCall call{core::call::Get{request}};
  return street_.call(call);
}

Result<void> NodeImpl::set_lazy_portal(Portal portal) {
  return call(core::call::SetLazy{portal}).map([](auto&&) {});
}

Result<void> NodeImpl::clear_lazy_portal(Portal portal) {
  return call(core::call::ClearLazy{portal}).map([](auto&&) {});
}

Result<PingReply> NodeImpl::ping(const PingRequest& request) {
  core::ApiCall call{core::call::Ping{request, street_.next_ticket()}};
  auto done = street_.call_and_wait(call);
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  if (done->status != 0)
    return tl::unexpected<Error>(explain_ping(request.target.nid, done->status));
  return std::move(done->ping);
}

Error NodeImpl::explain_ping(const Nid& target, int status) {
  const NetType type = target.net().type;
  if (!street_.has_driver(type)) return {status, {}};
  return {status, street_.with_driver(type, [&](lnd::Lnd& lnd) { return lnd.trouble(target); })};
}

void NodeImpl::after(std::chrono::nanoseconds delay, std::function<void()> fn) {
  const Instant at = now();
  const Duration limit = kNever - at - Duration(1);
  street_.hosts().timekeeper().after(at + std::clamp(Duration(delay), Duration::zero(), limit),
                                     std::move(fn));
}

Counters NodeImpl::counters() {
  return call(core::call::GetCounters{})
      .map([](auto&& c) { return c.counters; })
      .value_or(Counters{});
}

}  // namespace ulnet::node
