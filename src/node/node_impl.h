// The node, assembled: the public API on top of the street, the administrator's calls on top of
// nets and settings.
#pragma once

#include <mutex>

#include "node/link_watch.h"
#include "node/nets.h"
#include "node/node.h"
#include "node/settings.h"
#include "node/street.h"

namespace ulnet::node {

class NodeImpl final : public Node {
 public:
  NodeImpl(const NodeOptions& options, Settings settings, Partitions partitions);
  ~NodeImpl() override;

  /// 0@lo and the watch over links; once, before anything else.
  Result<void> begin();

  // ulnet::Lnet (node_api.cc)
  Result<ProcessId> get_id(unsigned index, bool large_ok) override;
  Result<Distance> dist(const Nid& target) override;
  Result<MeHandle> me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                             MatchBits ignore, UnlinkMode unlink, InsertPosition position) override;
  std::uint32_t cpts() const override { return cpt_table().count(); }
  Result<MeHandle> me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                MatchBits match, MatchBits ignore, UnlinkMode unlink) override;
  Result<MdHandle> md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) override;
  Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) override;
  Result<void> md_unlink(MdHandle md) override;
  Result<void> put(const PutRequest& request) override;
  Result<void> get(const GetRequest& request) override;
  Result<void> set_lazy_portal(Portal portal) override;
  Result<void> clear_lazy_portal(Portal portal) override;
  Result<PingReply> ping(const PingRequest& request) override;
  void after(std::chrono::nanoseconds delay, std::function<void()> fn) override;
  Counters counters() override;
  bool progress(std::chrono::nanoseconds wait) override { return street_.progress(wait); }
  bool polled() const override { return street_.polled(); }

  // ulnet::Node, node::Node (node_admin.cc)
  Result<void> add_networks(std::string_view networks) override;
  void stop(std::chrono::nanoseconds deadline) override;
  Result<void> net_add(NetId net, const conf::NiItem& ni) override;
  Result<void> net_del(NetId net, const std::optional<std::string>& interface) override;
  Result<void> nid_del(const Nid& nid) override;
  Result<void> ni_set(const std::optional<Nid>& nid, std::optional<int> health,
                      std::optional<int> conns_per_peer) override;
  Result<void> net_set_lnd_timeout(NetId net, int seconds) override;
  Result<void> set_global(const std::string& name, std::int64_t value) override;
  Result<void> set_param(const std::string& name, const std::string& value) override;
  std::map<std::string, std::string> params() override;
  void on_param(ParamWatch watch) override;
  void set_log_level(int level) override;
  NodeState state() override;
  void reset_stats() override;
  const cpt::Table& cpt_table() const override { return street_.partitions().table(); }
  std::uint32_t cpt_of_nid(const Nid& nid) override { return street_.hosts().shard_of(nid); }

 private:
  template <class Body>
  Result<Body> call(Body body);
  /// Why an administrator's call cannot be made now: inside a handler, or after stop().
  Result<void> may_configure() const;
  /// A reason in the words that `ping` fails with, when the driver knows more.
  Error explain_ping(const Nid& target, int status);
  void say(int level, const std::string& line) const;
  static void write_note(void* self, const core::Note& note);

  const NodeOptions options_;
  const std::uint64_t started_unix_ns_;
  Settings settings_;       // guarded by configuring_ for writing and settings_lock_
  ParamWatch param_watch_;  // guarded by configuring_
  Street street_;
  Nets nets_;
  LinkWatch link_watch_;
  std::mutex
      configuring_;  // one administrator's call at a time; may be held while drivers are waited for
  mutable std::mutex settings_lock_;  // held briefly
  bool stopped_ = false;              // guarded by configuring_
};

}  // namespace ulnet::node
