// The node put together: the public API on top of the runtime (shards and drivers), the
// administrator's calls on top of nets and settings.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "lnet/core/contract/lnet_calls.h"
#include "lnet/node/nets.h"
#include "lnet/node/node.h"
#include "lnet/node/runtime/runtime.h"
#include "lnet/node/settings.h"
#include "lnet/os/link_watch.h"
#include "ulnet/lifetime.hpp"

namespace ulnet::node {

class NodeImpl final : public core::LnetCalls<Node> {
 public:
  NodeImpl(const NodeOptions& options, Settings settings, Partitions partitions,
           std::uint32_t ping_sequence, std::vector<DriverRow> drivers, bool trial);
  ~NodeImpl() override;
  /// Inside a handler the node is destroyed later. If the handler runs on a thread that is in a
  /// call of a node, this thread destroys the node when that call ends. If it runs on one of the
  /// node's own threads, another thread does, once the handler has returned and the system has a
  /// thread for it.
  void operator delete(NodeImpl* node, std::destroying_delete_t);
  void* operator new(std::size_t size, std::align_val_t alignment);

  /// Starts 0@lo and, unless this is a trial node, the watch over links; called once, before
  /// anything else.
  Result<void> begin();

  // ulnet::Lnet (node_api.cc)
  std::uint32_t cpts() const override { return cpt_table().count(); }
  Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) override;
  Result<void> md_unlink(MdHandle md) override;
  Result<PingReply> ping(const PingRequest& request) override;
  Result<PingReply> discover(const Nid& nid, bool force) override;
  Result<void> on_local_nids(std::function<void()> changed) override;
  void debug_peer(const Nid& nid) override;
  void after(std::chrono::nanoseconds delay, std::function<void()> fn) override;
  bool progress(std::chrono::nanoseconds wait) override;
  bool polled() const override { return runtime_.polled(); }
  bool in_handler() const override { return OuterLoop::current().running(); }
  std::shared_ptr<Lifetime> lifetime() override { return lifetime_; }

  // ulnet::Node, node::Node (node_admin.cc; the changes: node_changes.cc)
  Result<void> add_networks(std::string_view networks) override;
  Result<void> stop(std::chrono::nanoseconds deadline) override;
  std::vector<Result<void>> change_all(std::span<conf::Change> changes) override;
  Result<void> answer(core::ApiCall& call) override;
  RoutingShow routing() override;
  std::map<std::string, std::string> params() override;
  void on_param(ParamWatch watch) override;
  void set_log_level(int level) override;
  void log(int level, const std::string& line) override { say(level, line); }
  NodeState state() override;
  void for_each_peer(const Nid& only, const TakePeer& take) override;
  std::shared_ptr<NodeEvents> events() override { return events_; }
  MemoryBudget& memory() override { return runtime_.memory(); }
  const cpt::Table& cpt_table() const override { return runtime_.partitions().table(); }
  std::uint32_t cpt_of_nid(const Nid& nid) override { return runtime_.hosts().shard_of(nid); }
  /// For tests: sets the function that returns the speeds of links from now on.
  void ask_for_link_speeds(Nets::LinkSpeed speed) { nets_.ask_for_speeds(std::move(speed)); }

 private:
  static constexpr const char* kWaitsInHandler = "a waiting call inside a handler";

  /// Held during an administrator's call, so that one runs at a time.
  class Configuring {
   public:
    explicit Configuring(NodeImpl& node) : lock_(node.configuring_) {}

   private:
    const OuterLoop::Call in_call_;  // ends after the lock is released
    const std::lock_guard<std::mutex> lock_;
  };
  /// Calls the destructor and frees the memory. Not inside a handler.
  void destroy();
  /// Does what destroy() does on a new thread; for handlers on a node's own thread. `first`: this
  /// is the first attempt.
  void destroy_on_a_thread(bool first);
  /// Runs `change` as an administrator's call. -EDEADLK inside a handler, -ESHUTDOWN after
  /// stop().
  template <class Fn>
  Result<void> configure(Fn change) {
    if (in_handler()) return fail(-EDEADLK, kWaitsInHandler);
    const Configuring one(*this);
    if (stopped_) return fail(-ESHUTDOWN, "the node is stopped");
    return change();
  }
  /// Makes one change of change_all(). -ENOMEM: memory was short.
  Result<void> made(conf::Change& change);
  Result<void> make(const conf::change::AddNi& change);
  Result<void> make(const conf::change::DelNi& change);
  Result<void> make(const conf::change::SetNi& change);
  Result<void> make(const conf::change::AddPeer& change);
  Result<void> make(const conf::change::DelPeer& change);
  Result<void> make(const conf::change::SetPeer& change);
  Result<void> make(const conf::change::SetGlobals& change);
  Result<void> make(const conf::change::SetParams& change);
  Result<void> make(const conf::change::AddPolicy& change);
  Result<void> make(const conf::change::DelPolicy& change);
  Result<void> make(const conf::change::SetPolicies& change);
  Result<void> make(const conf::change::AddSelection& change);
  Result<void> make(const conf::change::DelSelection& change);
  Result<void> make(const conf::change::AddRoutes& change);
  Result<void> make(const conf::change::DelRoutes& change);
  Result<void> make(const conf::change::SetRouting& change);
  Result<void> make(conf::change::AddFault& change);
  Result<void> make(conf::change::DelFault& change);
  Result<void> make(const conf::change::ResetFaults& change);
  Result<void> make(const conf::change::ResetStats& change);
  /// Calls `edit` with a copy of the selection policies. The result comes into force, and applies
  /// to nets and NIDs that come later too. After an error nothing has changed.
  template <class Edit>
  Result<void> edit_policies(Edit edit);
  /// Whether a route that nodes of a site may share is for this node. If its gateway is this node,
  /// the node becomes a router.
  bool is_for_this_node(const conf::RouteItem& route);
  void route(const core::Routing& routing);
  /// Checks that no route needs the peer or its NIDs. -EBUSY: the peer that has this primary NID,
  /// or one of these NIDs, is the gateway of a route (spec/multirail.md 2.2).
  Result<void> check_no_gateway(const Nid& primary, const std::vector<Nid>& nids);
  Result<void> add_all(std::string_view networks);
  void watch_links();
  Result<void> set_global(const std::string& name, std::int64_t value);
  Result<void> set_param(const std::string& name, const std::string& value);
  /// Why a ping ended with `status`, as far as the configuration or the driver shows.
  Error explain_ping(const PingRequest& request, int status);
  /// Why routers did not bring an answer from a target on a net that this node is not on; empty:
  /// routers are not the reason.
  std::string explain_routes(const Nid& target, int status);
  /// The fault rule of this node that may have made a ping of `target` fail; empty: no rule
  /// matches.
  std::string explain_faults(const Nid& target, int status);
  void say(int level, const std::string& line) const;
  static void write_note(void* self, const core::Note& note);
  /// All NIDs of the peer that this node knows.
  std::vector<Nid> nids_of_peer(const Nid& nid);

  const NodeOptions options_;
  const std::shared_ptr<Lifetime> lifetime_ = std::make_shared<Lifetime>();
  const std::uint64_t started_unix_ns_;
  // Written under configuring_ and settings_lock_, read under one of them.
  Settings settings_;
  ParamWatch param_watch_;  // guarded by configuring_
  const std::shared_ptr<NodeEvents> events_ = std::make_shared<NodeEvents>();
  Runtime runtime_;
  Nets nets_;
  LinkWatch link_watch_;
  // Serialises administrators' calls; held while a call waits for drivers.
  std::mutex configuring_;
  mutable std::mutex settings_lock_;  // held briefly
  bool stopped_ = false;              // guarded by configuring_
  // Routes of other nodes that the present change_all() has skipped; guarded by configuring_.
  std::size_t skipped_routes_ = 0;
  std::atomic<bool> routing_was_on_{false};
};

/// Why the discovery of the peer that has this NID failed, if the status (-errno) says it; else
/// nothing: its ping failed.
std::optional<Error> explain_discovery(const Nid& nid, int status);

}  // namespace ulnet::node
