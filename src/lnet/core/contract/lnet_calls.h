// Turns the calls of the public interface (ulnet/lnet.hpp) into the calls that shards answer
// (api.h). The node and the simulated node use it. Source: spec/core-semantics.md 2 to 7, 9, 15.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lnet/core/contract/api.h"
#include "ulnet/lnet.hpp"

namespace ulnet::core {

/// Lnet, answered by shards.
class LnetOfShards : public Lnet {
 public:
  /// Has the shards answer `call`, which then holds the results. An error has its reason.
  virtual Result<void> answer(ApiCall& call) = 0;
};

/// `Interface` is LnetOfShards, or derives from Lnet and declares the same answer(). The derived
/// class implements it and the calls that wait (md_unlink() too), need a clock, or drive the node.
template <class Interface>
class LnetCalls : public Interface {
 public:
  Result<ProcessId> get_id(unsigned index, bool large_ok) override {
    return ask(call::GetId{index, large_ok}).map([](auto&& c) { return c.id; });
  }
  Result<Distance> dist(const Nid& target) override {
    return ask(call::Dist{target}).map([](auto&& c) { return c.distance; });
  }

  Result<MeHandle> me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                             MatchBits ignore, UnlinkMode unlink,
                             InsertPosition position) override {
    return ask(call::MeAttach{portal, match_id, match, ignore, unlink, position}).map([](auto&& c) {
      return c.me;
    });
  }
  Result<MeHandle> me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                MatchBits match, MatchBits ignore, UnlinkMode unlink) override {
    if (cpt >= this->cpts()) return fail(-ERANGE, "invalid CPT value");
    return ask(call::MeAttach{portal, match_id, match, ignore, unlink, InsertPosition::kLocal, cpt})
        .map([](auto&& c) { return c.me; });
  }
  Result<MdHandle> md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) override {
    return counted(md, call::MdAttach{me, md, unlink});
  }
  Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) override {
    return counted(md, call::MdBind{md, unlink});
  }

  Result<void> put(const PutRequest& request) override { return command(call::Put{request}); }
  Result<void> get(const GetRequest& request) override { return command(call::Get{request}); }
  Result<void> set_lazy_portal(Portal portal) override { return command(call::SetLazy{portal}); }
  Result<void> clear_lazy_portal(Portal portal) override {
    return command(call::ClearLazy{portal});
  }

  bool is_peer_local(const Nid& nid) override {
    const auto answer = ask(call::IsPeerLocal{nid});
    return answer && answer->local;
  }
  bool has_local_net(NetId net) override {
    const auto answer = ask(call::HasLocalNet{net});
    return answer && answer->present;
  }
  Result<Nid> local_primary_nid() override {
    return ask(call::LocalPrimaryNid{}).map([](auto&& c) { return c.nid; });
  }
  Result<Nid> primary_nid(const Nid& nid) override {
    auto answer = ask(call::PrimaryNid{nid});
    // The result of the discovery does not matter. In a handler discover() fails, because a handler
    // cannot wait.
    if (answer && answer->unsettled && this->discover(nid, false))
      answer = ask(call::PrimaryNid{nid});
    return answer.map([](auto&& c) { return c.primary; });
  }
  Result<void> add_peer(std::span<const Nid> nids) override {
    return command(call::DeclarePeer{{nids.begin(), nids.end()}});
  }
  Result<void> peer_discovered(const Nid& nid) override {
    return command(call::PeerDiscovered{nid});
  }
  Result<std::vector<LocalNid>> local_nids() override {
    return ask(call::FetchNids{}).map([](auto&& c) { return std::move(c.nids); });
  }
  bool discovery_on() override {
    const auto answer = ask(call::PeerDiscoveryStatus{});
    return answer && answer->on;
  }
  Result<void> simulate_failure(const Nid& peer, std::int32_t messages) override {
    return command(call::Fail{peer, messages});
  }

  Counters counters() override {
    const auto answer = ask(call::GetCounters{});
    const GlobalStats g = answer ? answer->statistics : GlobalStats{};
    return {g.msgs_alloc, g.msgs_max,    g.errors,      g.send_count,   g.recv_count, g.route_count,
            g.drop_count, g.send_length, g.recv_length, g.route_length, g.drop_length};
  }

 protected:
  /// answer() for one kind of call: command() without results, ask() with them.
  template <class Body>
  Result<void> command(Body body) {
    ApiCall call{std::move(body)};
    return this->answer(call);
  }
  template <class Body>
  Result<Body> ask(Body body) {
    return core::ask(*this, std::move(body));
  }

 private:
  /// Passes a call that makes an MD to the shards, and returns the handle of the MD. Calls the
  /// sink's md_added() before that, because an event of the MD may come before the call returns.
  /// Calls md_refused() if the call fails.
  template <class Body>
  Result<MdHandle> counted(const MdSpec& md, Body body) {
    if (md.sink != nullptr) md.sink->md_added();
    auto made = ask(std::move(body)).map([](auto&& c) { return c.md; });
    if (!made && md.sink != nullptr) md.sink->md_refused();
    return made;
  }
};

}  // namespace ulnet::core
