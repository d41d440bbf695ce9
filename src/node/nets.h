// The nets and NIs of a node: who exists, with which tunables, and the immutable snapshots that the
// shards get of it. A net is added driver first, snapshot second; removed snapshot first, driver
// second, so that no message ever meets an NI that is not there. Source:
// spec/cli-lnetctl.md 3.2, 3.3, 3.5, spec/multirail.md 2.1, captures of lnetctl's errors.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conf/model.h"
#include "core/config.h"
#include "node/settings.h"
#include "node/state.h"
#include "node/street.h"

namespace ulnet::node {

class Nets {
 public:
  using Log = void (*)(void* context, int level, const char* line);

  Nets(Street& street, Pid pid, bool prefer_large, Log log, void* log_context);

  // Any thread, one at a time (the node's configuration lock); not from handlers. They wait for
  // drivers. The reason of an error is what lnetctl shows, but for -EEXIST and -ENETDOWN of add():
  // there it is the cause, for which lnetctl has no words.
  /// 0@lo; first of all.
  Result<void> start_loopback(const Settings& settings);
  /// `trouble`: what the driver said when it could not, for which lnetctl has no words.
  Result<void> add(NetId net, const conf::NiItem& item, const Settings& settings,
                   std::string* trouble = nullptr);
  Result<void> del(NetId net, const std::optional<std::string>& interface);
  Result<void> del_nid(const Nid& nid);
  Result<void> set_ni(const std::optional<Nid>& nid, std::optional<int> health,
                      std::optional<int> conns_per_peer);
  Result<void> set_lnd_timeout(NetId net, int seconds, const core::Globals& globals);
  /// New globals: into a snapshot, and to the NIs whose time-out follows them.
  void apply(const core::Globals& globals);
  /// Stops every NI; messages have `grace` to end.
  void stop_all(Duration grace);
  /// Looks which NIs can carry traffic: their device is up, and their address is this machine's.
  /// Any thread, also while the configuration changes; not from handlers.
  void look_at_links() { look_at_links(std::nullopt); }

  /// Calls `changed` after an NI was added or removed, or its link came or went; in the place of
  /// the one before. It must not wait. Any thread.
  void on_change(std::function<void()> changed);

  /// Of every NI, without what the shard counts; any thread, never waits for a driver.
  struct Row {
    core::NiId id;
    NiShow show;
  };
  std::vector<Row> rows() const;

 private:
  struct Ni {
    core::NiId id;
    NetId net;
    std::string asked;   ///< the interface as the administrator named it
    std::string device;  ///< whose link it depends on; empty: none
    lnd::NiStarted started;
    std::int32_t dev_cpt = cpt::kAny;
    std::vector<std::uint32_t> cpts;
    bool link_up = true;

    bool goes_by(const std::string& name) const {
      return asked == name || started.interface == name;
    }
  };
  struct Net {
    core::NetTunables tunables;
  };

  Result<void> check_new(NetId net, const conf::NiItem& item, const Settings& settings) const;
  Result<void> start(NetId net, const conf::NiItem& item, const core::NetTunables& tunables,
                     std::string* trouble = nullptr);
  Result<void> remove(const std::vector<core::NiId>& ids);
  const Ni* find(NetId net, const std::string& interface) const;
  /// The time-out that an NI is told to use; 0: the driver's own.
  Duration timeout_of(NetType type) const;
  Result<void> tune(core::NiId id, const lnd::NiTuning& tuning);
  /// At all NIs, or at one of them.
  void look_at_links(std::optional<core::NiId> only);
  /// Hands the shards a new snapshot; returns when it is in force.
  void publish();
  void tell_change() const;
  void say(int level, const std::string& line) const;

  Street& street_;
  const Pid pid_;
  const bool prefer_large_;
  const Log log_;
  void* const log_context_;
  const std::uint64_t interface_cookie_;
  core::Globals globals_;
  std::uint64_t generation_ = 0;
  std::uint32_t last_id_ = 0;
  std::map<NetType, int>
      lnd_timeouts_;  // what `net set --lnd-timeout` said, by driver; 0: follow the globals

  std::mutex looking_;        // one look at a time: shards hear of changes in their order
  mutable std::mutex mutex_;  // guards writing, and reading outside the configuration lock
  std::vector<Ni> nis_;       // in net, NI order; 0@lo first
  std::map<NetId, Net> nets_;
  std::function<void()> changed_;
};

}  // namespace ulnet::node
