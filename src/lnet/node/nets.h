// The nets and NIs of a node: which exist, with which tunables, and the immutable snapshots of them
// that the shards get. An NI is started at its driver first and then put into a snapshot; it is
// removed in the reverse order. So no message uses an NI that its driver does not know. Source:
// spec/cli-lnetctl.md 3.2, 3.3, 3.5, spec/multirail.md 2.1, captures of lnetctl's errors.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lnet/config/model.h"
#include "lnet/core/contract/config.h"
#include "lnet/node/runtime/node_events.h"
#include "lnet/node/runtime/runtime.h"
#include "lnet/node/runtime/state.h"
#include "lnet/node/settings.h"

namespace ulnet::node {

class Nets {
 public:
  using Log = void (*)(void* context, int level, const char* line);

  /// `ping_sequence`: as in core::NodeConfig.
  Nets(Runtime& runtime, Pid pid, bool prefer_large, std::uint32_t ping_sequence, Log log,
       void* log_context, NodeEvents& events);

  // These are called by any thread, one at a time (under the node's configuration lock), and not
  // from handlers, because they wait for drivers. An error's reason is the text that lnetctl shows.
  // For -EEXIST and -ENETDOWN of add() lnetctl has no text, so the reason is the cause.
  /// Starts 0@lo; must be the first call.
  Result<void> start_loopback(const Settings& settings);
  /// Starts an NI. If its driver fails, `trouble` gets the driver's own words, which lnetctl does
  /// not show.
  Result<void> add(NetId net, const conf::NiItem& item, const Settings& settings,
                   std::string* trouble = nullptr);
  /// Announces that these NIs will be added together (conf::change::AddNi).
  void expect(std::vector<conf::NiRef> nis) { expected_ = std::move(nis); }
  Result<void> del(NetId net, const std::optional<std::string>& interface);
  Result<void> del_nid(const Nid& nid);
  Result<void> set_ni(const std::optional<Nid>& nid, std::optional<int> health,
                      const conf::LndTunables& tunables);
  Result<void> set_lnd_timeout(NetId net, int seconds, const core::Globals& globals);
  /// Publishes new globals in a snapshot, and gives the new time-out to the NIs whose time-out
  /// follows the globals.
  void apply(const core::Globals& globals);
  /// Publishes new selection policies in a snapshot.
  void apply(std::shared_ptr<const core::udsp::RuleList> udsp);
  /// Publishes in a snapshot whether and with what this node routes.
  void apply(const core::Routing& routing);
  /// Any thread.
  core::Routing routing() const;
  /// Adds a route at a random place (spec/multirail.md 9.2 has the errors). -E2BIG: the node has
  /// conf::kRoutesMax routes already.
  Result<void> add_route(const core::Route& route);
  /// As core::RouteList::del().
  Result<std::size_t> del_routes(std::optional<NetId> net, const std::optional<Nid>& gateway);
  bool has_routes() const { return routes_now().size() != 0; }
  bool is_gateway(const Nid& nid) const { return routes_now().has_gateway(nid); }
  /// Whether a NID of this node is `nid`.
  bool has_nid(const Nid& nid) const;
  bool has_net(NetId net) const { return nets_.contains(net); }
  /// Calls `changes`, which calls the functions above. The shards get one snapshot of all changes,
  /// at the end, and all shards use it when this returns. (They also get a snapshot earlier in
  /// three cases: when an NI is added after another was deleted, because the new NI may need the
  /// address of the deleted one; when a peer is deleted after an NI was; and when health is set.)
  void together(const std::function<void()>& changes);
  /// Inside together(): the shards get the deletions of NIs that are gathered so far, and all other
  /// changes.
  void publish_deleted() {
    if (!deleted_.empty()) settle();
  }
  /// Whether NIs of one net are at different partitions of a machine with several NUMA nodes, so
  /// that the location of memory matters. Any thread.
  bool distance_matters() const { return distance_matters_.load(std::memory_order_relaxed); }
  /// How many snapshots the shards have got. Any thread.
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
  /// Stops every NI; messages in flight have `grace` to end by themselves.
  void stop_all(Duration grace);
  /// Finds out which NIs can carry traffic (their device is up and their address is this machine's)
  /// and reports changes to the shards and the log. Any thread, also while the configuration
  /// changes; not from handlers. False: the system could not report the state of some NIs now. The
  /// links of a trial node always count as up.
  bool look_at_links() { return look_at_links(std::nullopt); }

  /// Returns the speed of a device's link in Mbit/s; the default is machine::link_speed_of.
  using LinkSpeed = std::function<std::optional<std::uint32_t>(const std::string& device)>;
  /// Uses `speed` from now on; for tests, since the test machine has no links of known speed.
  void ask_for_speeds(LinkSpeed speed);

  /// Calls `changed` whenever an NI was added or removed or the state of its link changed;
  /// replaces the function set before. `changed` must not wait. Any thread.
  void on_change(std::function<void()> changed);

  /// Every NI as configured, without the counters that shards keep. Any thread; never waits for a
  /// driver.
  struct Row {
    core::NiId id;
    NiShow show;
  };
  std::vector<Row> rows() const;
  /// The selection policies in force; not null. Any thread.
  std::shared_ptr<const core::udsp::RuleList> udsp() const;

 private:
  struct Ni {
    core::NiId id;
    NetId net;
    std::string asked;   ///< the interface as the administrator named it
    std::string device;  ///< the device on whose link it depends; empty: it depends on none
    lnd::NiStarted started;
    std::int32_t dev_cpt = cpt::kAny;
    std::vector<std::uint32_t> cpts;
    core::NiLink link = core::NiLink::kUp;
    std::optional<std::uint32_t> first_speed;  ///< the first known speed of its link, Mbit/s
    bool listed = false;                       ///< a device had its address at some look
    bool published = false;                    ///< the shards know it

    bool goes_by(const std::string& name) const {
      return asked == name || started.interface == name;
    }
  };
  struct Net {
    core::NetTunables tunables;
    std::vector<std::uint32_t> owners;  ///< the partitions that own its peers; empty: all
  };

  Result<void> check_new(NetId net, const conf::NiItem& item, const Settings& settings) const;
  Result<void> start(NetId net, const conf::NiItem& item, const core::NetTunables& tunables,
                     std::string* trouble = nullptr);
  Result<void> remove(const std::vector<core::NiId>& ids);
  const core::RouteList& routes_now() const {
    return next_routes_ != nullptr ? *next_routes_ : *routes_;
  }
  /// The routes for changes: the shards get them with the next snapshot.
  core::RouteList& routes_to_change();
  /// Deletes the routes by gateways on nets that this node no longer has.
  void del_routes_of_lost_nets();
  /// The CPTs that the NI is bound to; all CPTs if it is bound to none.
  std::vector<std::uint32_t> cpts_of(const Ni& ni) const;
  /// Returns the partitions that own a net's peers, when `first` is its first NI. Forgets the NIs
  /// of the net that expect() announced.
  std::vector<std::uint32_t> owners_with(const Ni& first);
  /// The time-out that a driver is given for its NIs; 0: the driver uses its own.
  Duration timeout_of(NetType type) const;
  Result<void> tune(core::NiId id, const lnd::NiTuning& tuning);
  /// Looks at all NIs, or only at this one.
  bool look_at_links(std::optional<core::NiId> only);
  /// Gives the shards a new snapshot, at once or at the end of together().
  void publish();
  /// Gives the shards the changes that they do not have yet; all shards use them when this returns.
  /// Then does what had to wait for that: stops deleted NIs and reports the changes to the log and
  /// to watchers.
  void settle();
  void give_snapshot();
  bool has_nets_with_far_nis() const;
  void stop_deleted();
  void notify_change() const;
  void say(int level, const std::string& line) const {
    if (log_ != nullptr) log_(log_context_, level, line.c_str());
  }

  /// Writes the line to the log, and sends it as an event about the NI to those who watch the node.
  void report(int level, const Nid& ni, const std::string& line) const;
  void report_removed(const Ni& ni) const;

  Runtime& runtime_;
  const Pid pid_;
  const bool prefer_large_;
  const Log log_;
  void* const log_context_;
  NodeEvents& events_;
  const std::uint64_t interface_cookie_;
  const std::uint32_t ping_sequence_;
  core::Globals globals_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> distance_matters_{false};
  std::uint32_t last_id_ = 0;
  // The values of `net set --lnd-timeout`, in seconds, by driver; 0: follow the globals.
  std::map<NetType, int> lnd_timeouts_;
  std::vector<conf::NiRef> expected_;
  std::shared_ptr<const core::RouteList> routes_ = core::RouteList::none();  // the shards have them
  std::shared_ptr<core::RouteList> next_routes_;  // null: the routes have not changed
  std::mt19937_64 places_;                        // where new routes go; its seed is logged
  bool seeded_ = false;
  bool gathering_ = false;    // true inside together()
  bool unpublished_ = false;  // a snapshot is due
  // New NIs and their log lines; settle() reports them once the shards have the snapshot.
  std::vector<std::pair<Nid, std::string>> news_;
  // Not stopped yet, because the shards do not know yet that they are gone.
  std::vector<Ni> deleted_;

  // Serialises look_at_links(): shards get changes in the order in which the node saw them.
  std::mutex looking_;
  LinkSpeed link_speed_;  // guarded by looking_
  // Held to write the following, and to read it outside the configuration lock.
  mutable std::mutex mutex_;
  std::vector<Ni> nis_;  // in net, NI order; 0@lo first
  std::map<NetId, Net> nets_;
  std::function<void()> changed_;
  core::Routing routing_;
  std::shared_ptr<const core::udsp::RuleList> udsp_ = core::udsp::RuleList::none();
};

}  // namespace ulnet::node
