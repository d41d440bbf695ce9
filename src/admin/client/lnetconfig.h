// The operations of lnetctl as functions: the library on which ulnetctl is built. Names and
// meanings are those of Lustre's DLC API without the lustre_lnet_ prefix; results are values and
// trees. Source: spec/cli-lnetctl.md 3, 13.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/api/changes.h"
#include "admin/client/control_api.h"
#include "lnet/config/selection.h"

namespace ulnet::ctl {

/// Talks to one node over `api`, which must outlive this object. One thread at a time; every
/// call waits for the node.
class LnetConfig {
 public:
  explicit LnetConfig(ControlApi& api) : api_(api) {}

  /// Returns the interface to the node that this object uses. admin/client/batch.h collects changes
  /// and sends them together.
  ControlApi& api() { return api_; }

  /// Configures or unconfigures LNet: `lnet configure` and `lnet unconfigure`.
  Result<void> config_ni_system(bool up, bool load_ni_from_mod, bool large_nids = false);

  /// Makes a change (lnet/config/change.h). Its error is that of the node.
  template <class What>
  Result<void> change(const What& what) {
    return make(api::request_of(what));
  }
  /// Makes the change of a request (admin/api/changes.h).
  Result<void> make(const api::ChangeRequest& request);
  /// Adds one NI to the net with this name, or deletes the net or one interface of it. These
  /// functions check the name, so that the errors are always lnetctl's.
  Result<void> add_ni(const std::string& net, const conf::NiItem& ni);
  Result<void> del_ni(const std::string& net, const std::optional<std::string>& interface);
  /// Returns `{"net": [...]}`, complete (admin/client/verbosity.h). -ENOENT: the name is not a net;
  /// -ESRCH: the net is not configured.
  Result<Tree> show_net(const std::optional<std::string>& net);

  /// Returns `{"peer": [...]}`, at most `most` peers. -ENOENT: no peer has that NID.
  Result<Tree> show_peer(const std::optional<Nid>& nid, std::optional<std::size_t> most = {});
  /// Returns `{"peer list": [{"nid": …}]}`.
  Result<Tree> list_peer();

  /// Makes the daemon write the text to its log, whatever level its log has.
  Result<void> mark_log(const std::string& text);
  /// Makes the node write the peer's state to its log.
  Result<void> log_peer(const Nid& nid);

  /// Returns `{"route": [...]}`, with all keys.
  Result<Tree> show_route();
  struct RouteFilter {
    std::string net{};      ///< empty: routes to all nets
    std::string gateway{};  ///< a list of NIDs and patterns; empty: through all gateways
    bool details = false;   ///< all keys; else only net and gateway
    bool backup = false;    ///< the keys that make the route again
  };
  /// Returns those of the routes, with those of their keys. -EINVAL: a wrong list of gateways.
  Result<Tree> show_route(const RouteFilter& filter);
  /// Returns `{"routing": [...], "buffers": {...}}`; empty: the node has never routed. For a
  /// backup, returns only what makes another node such a router. If this node does not route, that
  /// is only the numbers of buffers that differ from the default.
  Result<Tree> show_routing(bool backup = false);
  Result<Tree> show_fault();
  Result<Tree> show_recovery();

  /// Returns `{"udsp": [...]}`: all rules, or the rule at `idx`; empty when no rule has that index.
  Result<Tree> show_udsp(std::optional<std::int64_t> idx = {});

  /// Returns `{"selection": [...]}`: the policies with this type, id and match, where given
  /// (conf::is_shown()).
  Result<Tree> show_selection(const conf::Selection& match, std::optional<std::int64_t> id);

  /// Returns `{"global": {...}}`.
  Result<Tree> show_globals();

  Result<Tree> show_stats();

  /// Returns `{"param": {name: {value, default, start_only, help, note}}}`; few parameters have a
  /// note.
  Result<Tree> show_params();

  /// Returns `{"cpt-of-nid": [{"nid": …, "cpt": n}]}`: the CPU partitions of peers, requested one
  /// by one.
  Result<Tree> cpt_of_nid(std::span<const Nid> nids);
  /// Returns `{"path": {…}}`: which path a message to `to` would take, and why
  /// (docs/CONTROL-API.md).
  Result<Tree> explain_path(const Nid& to, const std::optional<Nid>& from,
                            const std::optional<std::uint32_t>& cpt);
  /// Returns a runtime file of spec/core-semantics.md 16; -ENOENT: no such file.
  Result<std::string> show_file(const std::string& name);
  /// Returns ulnet's own counters: `{"drops": {…}, "driver": {…}, …}`.
  Result<Tree> show_counters();

  /// The result of a reload of the daemon's configuration.
  struct ReloadResult {
    int changes = 0;
    std::vector<Error> failures;
    std::vector<std::string> warnings;
  };
  Result<ReloadResult> reload();

  /// Returns the NIDs of this node, 0@lo first.
  Result<std::vector<std::string>> list_nids();

  struct FailedTarget {
    std::string nid;
    int code = 0;
    std::string hint;  ///< the probable cause in words; may be empty
  };
  /// The answers of the targets of a ping or of a discovery.
  struct PingResult {
    Tree good;  ///< `{"ping": [...]}` or `{"discover": [...]}`
    std::vector<FailedTarget> failed;
    /// Returns "ping" or "discover".
    const std::string& what() const { return good.begin().key(); }
  };
  /// Pings the NIDs, and waits up to `timeout_ms` for each. `with_times`: the answers have a key
  /// `rtt_us`.
  Result<PingResult> ping_nid(std::span<const Nid> nids, const std::optional<Nid>& source,
                              std::int64_t timeout_ms, bool with_times = false);
  /// Discovers each peer and waits for the end. With `force` it also discovers peers that are
  /// known.
  Result<PingResult> discover_nid(std::span<const Nid> nids, bool force);

 private:
  ControlApi& api_;
};

/// Returns the milliseconds that `ping --timeout SECONDS` means: a value that is not positive or is
/// above 180 means 180 s (spec/cli-lnetctl.md 3.10).
std::int64_t ping_timeout_ms(std::int64_t seconds);

}  // namespace ulnet::ctl
