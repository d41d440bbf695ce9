// LNet's calls on a real node: each call is one step of every shard that it concerns
// (lnet/core/contract/lnet_calls.h). Source: spec/core-semantics.md 4.6, 15.
#include <algorithm>
#include <system_error>
#include <thread>

#include "lnet/node/node_impl.h"
#include "lnet/node/runtime/log_levels.h"

namespace ulnet::node {
namespace {

/// How long to wait before asking the system again for a thread that it could not give.
constexpr std::chrono::milliseconds kUntilAskedAgain{100};

/// The error of a ping in words, when neither the configuration nor the driver gives a better
/// reason.
std::string explain(const PingRequest& request, int status) {
  const std::string target = request.target.nid.to_string();
  switch (status) {
    case -ETIMEDOUT:
      return "no answer from " + target;
    case -EHOSTUNREACH:
      return "this node has no path to " + target;
    case -EPROTO:
      return "the answer of " + target + " is invalid";
    case -ESHUTDOWN:
      return "the node is shutting down";
    default:
      return "the ping of " + target + " failed: " + std::generic_category().message(-status);
  }
}

}  // namespace

Result<void> NodeImpl::answer(core::ApiCall& call) {
  const OuterLoop::Call in_call;
  return runtime_.call(call);
}

Result<MdHandle> NodeImpl::md_bind(const MdSpec& md, UnlinkMode unlink) {
  // Only a bound MD is sent by an NI that LNet chooses; answers leave by the NI of their request.
  if (md.cpt >= 0 || !nets_.distance_matters()) return LnetCalls::md_bind(md, unlink);
  MdSpec placed = md;
  for (const iovec& fragment : md.fragments) {
    if (fragment.iov_len == 0) continue;
    placed.cpt = runtime_.partitions().cpt_of_memory(fragment.iov_base);
    break;
  }
  return LnetCalls::md_bind(placed, unlink);
}

Result<void> NodeImpl::md_unlink(MdHandle md) {
  const OuterLoop::Call in_call;
  auto done = command(core::call::MdUnlink{md});
  // Another thread may be running this MD's handler, even if the MD has just unlinked itself.
  if (!in_handler()) runtime_.wait_for_strand(md);
  return done;
}

Result<PingReply> NodeImpl::ping(const PingRequest& request) {
  const OuterLoop::Call in_call;
  core::ApiCall call{core::call::Ping{request, runtime_.next_ticket()}};
  auto done = runtime_.call_and_wait(call);
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  if (done->status != 0) return tl::unexpected<Error>(explain_ping(request, done->status));
  return std::move(done->ping);
}

std::optional<Error> explain_discovery(const Nid& nid, int status) {
  if (status == -EPERM)
    return Error{status, nid.to_string() + " is configured with other NIDs than it reports"};
  if (status == -ENOENT)
    return Error{
        status,
        "another peer had this NID, or it was deleted meanwhile; now no peer has it: try again"};
  return std::nullopt;
}

Result<PingReply> NodeImpl::discover(const Nid& nid, bool force) {
  const OuterLoop::Call in_call;
  core::ApiCall call{core::call::Discover{nid, force, runtime_.next_ticket()}};
  auto done = runtime_.call_and_wait(call);
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  if (auto why = explain_discovery(nid, done->status)) return tl::unexpected<Error>(*why);
  const PingRequest request{.target = {nid, Pid::any()}};
  if (done->status != 0) return tl::unexpected<Error>(explain_ping(request, done->status));
  return std::move(done->ping);
}

Error NodeImpl::explain_ping(const PingRequest& request, int status) {
  const Nid& target = request.target.nid;
  const NetId net = target.net();
  const auto rows = nets_.rows();
  const auto none = [&](auto fits) { return std::none_of(rows.begin(), rows.end(), fits); };
  const bool from_one = !request.source.is_any();
  if (status == -EINVAL && from_one &&
      none([&](const Nets::Row& row) { return row.show.nid == request.source; }))
    return {status, request.source.to_string() + " is not one of this node's NIDs"};
  if (std::string why = explain_faults(target, status); !why.empty())
    return {status, std::move(why)};
  if (std::string why = explain_routes(target, status); !why.empty())
    return {status, std::move(why)};
  if (status == -EHOSTUNREACH && from_one && request.source.net() != net)
    return {status, request.source.to_string() + " is on another net"};
  std::string why;
  if (runtime_.has_driver(net.type))
    why =
        runtime_.with_driver(net.type, [&](lnd::Lnd& lnd) { return lnd.trouble(target, status); });
  return {status, why.empty() ? explain(request, status) : std::move(why)};
}

std::string NodeImpl::explain_faults(const Nid& target, int status) {
  if (status != -EIO && status != -ETIMEDOUT) return {};
  const auto rows = nets_.rows();
  const auto between = [&](const core::FaultNids& one, const core::FaultNids& other) {
    return one.match(target) && std::any_of(rows.begin(), rows.end(), [&](const Nets::Row& row) {
             return other.match(row.show.nid);
           });
  };
  for (const core::FaultRow& row :
       ask(core::call::FaultShow{}).value_or(core::call::FaultShow{}).rows) {
    const core::FaultRule& rule = row.rule;
    const bool of_pings =
        rule.messages == 0 || (rule.messages & (core::kFaultGet | core::kFaultReply)) != 0;
    if (row.hits == 0 || !of_pings ||
        (!between(rule.destination, rule.source) && !between(rule.source, rule.destination)))
      continue;
    const std::string kind = to_string(rule.kind);
    return "a fault rule of this node hits its messages (" + kind + " " + rule.source.to_string() +
           " -> " + rule.destination.to_string() + ", " + std::to_string(row.hits) +
           " so far): see 'ulnetctl fault " + kind + " show'";
  }
  return {};
}

std::string NodeImpl::explain_routes(const Nid& target, int status) {
  const NetId net = target.net();
  for (const Nets::Row& row : nets_.rows())
    if (row.show.net == net) return {};
  const std::vector<core::RouteRow> all = routes_of(*this).routes;
  const auto leads_there = [&](const core::RouteRow& row) { return row.route.net == net; };
  const auto is_used = [&](const core::RouteRow& row) { return leads_there(row) && row.up(); };
  const bool any_up = std::ranges::any_of(all, is_used);
  if (status == -ETIMEDOUT && any_up)
    return "no answer from " + target.to_string() +
           ", which is behind routers: 'trace' shows which routers answer";
  if (status != -EHOSTUNREACH || any_up) return {};
  for (const core::RouteRow& row : all)
    if (leads_there(row))
      return "no route to " + net.to_string() + " is up: " + row.route.gateway.to_string() + ": " +
             core::to_string(row.trouble);
  return "this node has no net " + net.to_string() + ", and no route to it";
}

Result<void> NodeImpl::on_local_nids(std::function<void()> changed) {
  const OuterLoop::Call in_call;
  if (const auto nids = local_nids(); !nids) return tl::unexpected<Error>(nids.error());
  nets_.on_change([this, changed = std::move(changed)] {
    if (changed) after({}, changed);
  });
  return {};
}

void NodeImpl::debug_peer(const Nid& nid) {
  const OuterLoop::Call in_call;  // a handler that runs in ask() may destroy the node
  core::call::Show show;
  show.want_nis = false;
  show.peer = nid;
  const auto shown = ask(std::move(show));
  if (!shown || shown->peers.empty())
    return say(kInfo, "peer " + nid.to_string() + ": the node does not know it");
  for (const core::PeerShow& peer : shown->peers)
    for (const core::PeerNiShow& ni : peer.nis)
      say(kInfo, "peer " + peer.primary.to_string() + " at " + ni.nid.to_string() + ": " +
                     ni.state + ", health " + std::to_string(ni.health_value) + ", credits " +
                     std::to_string(ni.available_tx_credits) + " of " +
                     std::to_string(ni.max_ni_tx_credits) + " (fewest " +
                     std::to_string(ni.min_tx_credits) + "), " +
                     std::to_string(ni.tx_q_num_of_buf) + " bytes queued");
}

void NodeImpl::after(std::chrono::nanoseconds delay, std::function<void()> fn) {
  const Instant at = now();
  const Duration limit = kNever - at - Duration(1);
  runtime_.hosts().timekeeper().after(at + std::clamp(Duration(delay), Duration::zero(), limit),
                                      std::move(fn));
}

bool NodeImpl::progress(std::chrono::nanoseconds wait) {
  const OuterLoop::Call in_call;
  return runtime_.progress(wait);
}

// Not inlined: g++ 12 does not see that a destroying delete matches it.
[[gnu::noinline]] void* NodeImpl::operator new(std::size_t size, std::align_val_t alignment) {
  return ::operator new(size, alignment);
}

void NodeImpl::operator delete(NodeImpl* node, std::destroying_delete_t) {
  OuterLoop& loop = OuterLoop::current();
  if (!loop.running()) return node->destroy();
  // This thread runs a handler, and the node cannot end before its handlers have returned.
  if (!loop.after_calls([node] { node->destroy(); })) node->destroy_on_a_thread(true);
}

void NodeImpl::destroy() {
  this->~NodeImpl();
  ::operator delete (this, std::align_val_t{alignof(NodeImpl)});
}

void NodeImpl::destroy_on_a_thread(bool first) {
  try {
    std::thread([this] { destroy(); }).detach();
  } catch (const std::system_error& problem) {
    if (first)
      say(kWarning, std::string("a handler destroys the node, which runs on until the system has a "
                                "thread to end it: ") +
                        problem.what());
    // The timers of a node that was stopped do not run: such a node stays in memory and does
    // nothing.
    after(kUntilAskedAgain, [this] { destroy_on_a_thread(false); });
  }
}

}  // namespace ulnet::node
