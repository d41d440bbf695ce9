#include "ctl/yaml_apply.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conf/params.h"
#include "ctl/tree_fields.h"
#include "ctl/verbosity.h"

namespace ulnet::ctl {

namespace {

constexpr int kShowLevel = 4;
constexpr std::size_t kNidsMax = 1024;

const char* operation_of(ImportMode mode) {
  switch (mode) {
    case ImportMode::kAdd:
    case ImportMode::kExec:
      return "add";
    case ImportMode::kDel:
      return "del";
    case ImportMode::kShow:
      return "show";
  }
  return "import";
}

/// Applies items, with an overload for each kind that returns whether it succeeded.
class Apply {
 public:
  Apply(LnetConfig& lnet, ImportMode mode, std::span<const conf::LocalInterface> interfaces,
        const HostResolver& resolve, const ImportSink& sink)
      : lnet_(lnet), mode_(mode), interfaces_(interfaces), resolve_(resolve), sink_(sink) {}

  bool take(const conf::Item& item) {
    place_ = item.place;
    return std::visit(*this, item.what);
  }

  bool operator()(const conf::Problem& problem) {
    sink_.error(operation_of(mode_), "import", problem);
    return false;
  }

  bool operator()(const conf::NetEntry& entry) {
    const conf::NetItem& net = entry.item;
    // lo is always there; exports show it.
    const bool lo = net.net == NetId::loopback();
    switch (mode_) {
      case ImportMode::kAdd:
        return lo || net_result(net, add_net(net));
      case ImportMode::kDel:
        return lo || net_result(net, del_net(net));
      case ImportMode::kShow:
        return show("net", lnet_.show_net(net.net.to_string()));
      case ImportMode::kExec:
        return true;
    }
    return true;
  }

  bool operator()(const conf::Ip2NetsEntry& entry) {
    if (mode_ != ImportMode::kAdd) return true;
    const auto nets = conf::apply_ip2nets(entry.rules, interfaces_);
    if (!nets) return (*this)(conf::Problem{place_, nets.error().code, nets.error().reason});
    bool good = true;
    for (const conf::NetItem& net : *nets) good &= net_result(net, add_net(net));
    return good;
  }

  bool operator()(const conf::GlobalEntry& entry) {
    if (mode_ == ImportMode::kExec) return true;
    if (mode_ == ImportMode::kShow) return show("global", lnet_.show_globals());
    bool good = true;
    for (const auto& [name, wanted, place] : entry.values) {
      const conf::GlobalSetting* setting = conf::find_global(name);
      const std::int64_t value =
          mode_ == ImportMode::kDel && setting != nullptr ? setting->initial : wanted;
      if (auto ok = lnet_.config_global(name, value); !ok) good = failed(name, ok.error(), place);
    }
    return good;
  }

  bool operator()(const conf::ParamEntry& entry) {
    if (mode_ == ImportMode::kExec) return true;
    if (mode_ == ImportMode::kShow) return show("param", lnet_.show_params());
    const auto now = lnet_.show_params();
    if (!now) return failed("param", now.error());
    bool good = true;
    for (const auto& [name, wanted, place] : entry.values) {
      const conf::Param* param = conf::find_param(name);
      const auto value = mode_ == ImportMode::kDel && param != nullptr
                             ? Result<std::string>(std::string(param->initial))
                             : conf::check_param(name, wanted);
      if (!value) {
        good = failed("param", value.error(), place);
        continue;
      }
      // A value that is in force already is not set: a file may repeat what the node was started
      // with.
      const bool already = text_in(field_in(field_in(*now, "param"), name), "value") == *value;
      const bool leave = mode_ == ImportMode::kDel && param->start_only;
      if (already || leave) continue;
      if (auto ok = lnet_.config_param(name, *value); !ok)
        good = failed("param", ok.error(), place);
    }
    return good;
  }

  bool operator()(const conf::PeerEntry& entry) {
    if (mode_ == ImportMode::kExec) return true;
    if (mode_ == ImportMode::kShow) {
      const auto nid = Nid::parse(entry.primary);
      if (!nid) return failed("peer", nid.error());
      return show("peer", lnet_.show_peer(*nid));
    }
    if (mode_ == ImportMode::kDel) return del_peer(entry);
    // A peer that traffic makes needs no configuration.
    return entry.made_by_traffic() || not_built("peer");
  }
  bool operator()(const conf::RouteEntry&) {
    return mode_ == ImportMode::kExec || not_built("route");
  }
  bool operator()(const conf::RoutingEntry& entry) {
    // Deleting means no routing and default buffers, which is so in this version.
    const bool is_so = mode_ == ImportMode::kExec || mode_ == ImportMode::kDel || entry.is_off();
    return is_so || not_built(entry.buffers ? "buffers" : "routing");
  }
  bool operator()(const conf::UdspEntry& entry) {
    switch (mode_) {
      case ImportMode::kAdd:
        return add_udsp(entry.rule);
      case ImportMode::kDel:
        return del_udsp(entry);
      case ImportMode::kShow:
        return show("udsp", lnet_.show_udsp(entry.idx));
      case ImportMode::kExec:
        return true;
    }
    return true;
  }

  bool operator()(const conf::SelectionEntry& entry) {
    if (mode_ == ImportMode::kExec) return true;
    const conf::Selection& selection = entry.selection;
    if (mode_ == ImportMode::kShow)
      return show("selection", lnet_.show_selection(selection, entry.id));
    const auto done = mode_ == ImportMode::kDel ? lnet_.del_selection(selection, entry.id)
                                                : lnet_.add_selection(selection);
    const bool there = mode_ == ImportMode::kAdd && !done && done.error().code == -EALREADY;
    return done || there || failed("selection", done.error(), place_);
  }

  /// Only ulnetd reads this section, when it starts; the running node has nothing of it.
  bool operator()(const conf::DaemonEntry&) {
    if (mode_ == ImportMode::kAdd)
      sink_.note({place_, "Ignoring 'daemon': ulnetd reads it when it starts"});
    return true;
  }

  bool operator()(const conf::StatisticsEntry&) {
    return mode_ != ImportMode::kShow || show("statistics", lnet_.show_stats());
  }

  bool operator()(const conf::ExecEntry& entry) {
    if (mode_ != ImportMode::kExec) return true;
    if (entry.discover) return not_built("discover");
    const auto nids = nids_of_words(entry.nids, kNidsMax, resolve_);
    if (!nids) return manage_failed(nids.error());
    std::optional<Nid> source;
    if (entry.source) {
      const auto parsed = Nid::parse(*entry.source);
      if (!parsed) return manage_failed(parsed.error());
      source = *parsed;
    }
    const auto result =
        lnet_.ping_nid(*nids, source, entry.timeout_s ? ping_timeout_ms(*entry.timeout_s) : 1000);
    if (!result) return manage_failed(result.error());
    sink_.pinged(*result);
    return result->failed.empty();
  }

 private:
  bool failed(std::string_view entity, const Error& error, conf::Place place = {}) {
    sink_.error(operation_of(mode_), entity, {place, error.code, error.reason});
    return false;
  }
  bool manage_failed(const Error& error) {
    sink_.error("manage", "ping", {{}, error.code, error.reason});
    return false;
  }
  bool not_built(std::string_view entity) {
    return failed(entity, {-ENOSYS, "'" + std::string(entity) + "' is not built yet in ulnet"},
                  place_);
  }
  /// Exports list the peers that traffic made, too. If such a peer has gone meanwhile there is
  /// nothing to delete.
  bool del_peer(const conf::PeerEntry& entry) {
    const auto primary = primary_nid(entry.primary);
    if (!primary) return failed("peer", primary.error(), place_);
    const auto nids =
        entry.nids.empty() ? Result<std::vector<Nid>>(std::vector<Nid>()) : peer_nids(entry.nids);
    if (!nids) return failed("peer", nids.error(), place_);
    const auto gone = lnet_.del_peer(*primary, *nids, false);
    if (gone || (gone.error().code == -ENOENT && entry.made_by_traffic())) return true;
    return failed("peer", gone.error());
  }
  /// Rules are appended in the order of the file; of one that is there already nothing is said
  /// (spec/multirail.md 10.2).
  bool add_udsp(const core::udsp::Rule& rule) {
    const auto added = lnet_.add_udsp(rule, {});
    if (added || added.error().code == -EALREADY) return true;
    return failed("udsp", added.error(), place_);
  }
  /// The file numbers the rules as the list was before this import: each rule that is deleted
  /// moves those behind it.
  bool del_udsp(const conf::UdspEntry& entry) {
    if (!entry.idx) return failed("udsp", {-EINVAL, "no value specified for key 'idx'"}, place_);
    const auto moved = std::count_if(gone_udsps_.begin(), gone_udsps_.end(),
                                     [&](std::int64_t gone) { return gone < *entry.idx; });
    const bool again = std::count(gone_udsps_.begin(), gone_udsps_.end(), *entry.idx) != 0;
    const auto gone = again || *entry.idx < 0 ? Result<void>(fail(-ENOENT, "there is no such rule"))
                                              : lnet_.del_udsp(*entry.idx - moved);
    if (!gone) return failed("udsp", gone.error(), place_);
    gone_udsps_.push_back(*entry.idx);
    return true;
  }
  bool show(const char* section, const Result<Tree>& tree) {
    if (!tree) return failed(section, tree.error());
    const std::string_view name = section;
    sink_.shown(section, name == "net" || name == "peer" ? at_verbosity(*tree, kShowLevel) : *tree);
    return true;
  }
  /// lnetctl reports a failed net twice: what the node said, and which item it was.
  bool net_result(const conf::NetItem& net, const Result<void>& result) {
    if (result) return true;
    failed("net", result.error());
    return failed("import",
                  {-EINVAL, "Failed to configure NI on net '" + net.net.to_string() + "' rc = -22"},
                  place_);
  }

  /// Adds every NI, also after one has failed; returns the first error.
  Result<void> add_net(const conf::NetItem& net) {
    if (net.nis.empty()) return fail(-EINVAL, "creating a local NI needs at least one interface");
    Result<void> all;
    for (const conf::NiItem& ni : net.nis) {
      auto one = lnet_.config_ni(net.net.to_string(), conf::settle(ni, interfaces_));
      if (!one && all) all = one;
    }
    return all;
  }
  Result<void> del_net(const conf::NetItem& net) {
    const std::string name = net.net.to_string();
    if (net.nis.empty()) return lnet_.del_ni(name, std::nullopt);
    Result<void> all;
    for (const conf::NiItem& ni : net.nis) {
      auto one = ni.nid ? lnet_.del_ni(*ni.nid) : lnet_.del_ni(name, ni.interface);
      if (!one && all) all = one;
    }
    return all;
  }

  LnetConfig& lnet_;
  ImportMode mode_;
  std::span<const conf::LocalInterface> interfaces_;
  const HostResolver& resolve_;
  const ImportSink& sink_;
  conf::Place place_;                     // of the item at hand
  std::vector<std::int64_t> gone_udsps_;  // deleted so far, as the file numbers them
};

}  // namespace

bool yaml_apply(LnetConfig& lnet, const conf::Document& document, ImportMode mode,
                std::span<const conf::LocalInterface> interfaces, const HostResolver& resolve,
                const ImportSink& sink) {
  for (const conf::Note& note : document.notes) sink.note(note);
  Apply apply(lnet, mode, interfaces, resolve, sink);
  bool good = true;
  std::size_t done = 0;
  for (const conf::Item& item : document.items) {
    good &= apply.take(item);
    sink.progress(++done, document.items.size());
  }
  return good;
}

}  // namespace ulnet::ctl
