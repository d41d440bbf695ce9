#include "conf/diff.h"

#include <algorithm>

#include "conf/params.h"

namespace ulnet::conf {

namespace {

/// Gathers a configuration from a document's items, one overload per kind.
class Gather {
 public:
  Gather(Config& config, std::span<const LocalInterface> interfaces)
      : config_(config), interfaces_(interfaces) {}

  Result<void> operator()(const Problem& problem) { return fail(problem.code, problem.reason); }
  Result<void> operator()(const NetEntry& entry) { return add_net(entry.item); }
  Result<void> operator()(const Ip2NetsEntry& entry) {
    auto nets = apply_ip2nets(entry.rules, interfaces_);
    if (!nets) return tl::unexpected(nets.error());
    for (const NetItem& net : *nets) {
      if (auto ok = add_net(net); !ok) return ok;
    }
    return {};
  }
  Result<void> operator()(const GlobalEntry& entry) {
    for (const auto& [name, value] : entry.values) {
      const GlobalSetting* setting = find_global(name);
      if (setting == nullptr) return fail(-EINVAL, "invalid key '" + name + "'");
      if (value < setting->min || value > setting->max) {
        return fail(-EINVAL,
                    "invalid value '" + std::to_string(value) + "' for key '" + name + "'");
      }
      config_.globals.insert_or_assign(name, value);
    }
    return {};
  }
  Result<void> operator()(const ParamEntry& entry) {
    for (const auto& [name, text] : entry.values) {
      auto value = check_param(name, text);
      if (!value) return tl::unexpected(value.error());
      config_.params.insert_or_assign(name, std::move(*value));
    }
    return {};
  }
  // A peer that traffic alone makes again needs no configuration.
  Result<void> operator()(const PeerEntry& entry) {
    const bool plain =
        !entry.multi_rail &&
        (entry.nids.empty() || (entry.nids.size() == 1 && entry.nids.front() == entry.primary));
    return plain ? Result<void>() : fail(-ENOSYS, "configured peers are not built yet");
  }
  Result<void> operator()(const RouteEntry&) { return fail(-ENOSYS, "routes are not built yet"); }
  Result<void> operator()(const RoutingEntry&) { return fail(-ENOSYS, "routing is not built yet"); }
  Result<void> operator()(const UdspEntry&) {
    return fail(-ENOSYS, "selection policies are not built yet");
  }
  Result<void> operator()(const StatisticsEntry&) { return {}; }
  Result<void> operator()(const ExecEntry&) { return {}; }

 private:
  Result<void> add_net(const NetItem& item) {
    if (item.net == NetId::loopback()) return {};  // always there; exports show it
    auto at = std::find_if(config_.nets.begin(), config_.nets.end(),
                           [&](const NetItem& n) { return n.net == item.net; });
    if (at == config_.nets.end()) at = config_.nets.insert(at, NetItem{item.net, {}});
    std::vector<NiItem> nis = item.nis;
    if (nis.empty()) {
      const LocalInterface* first = first_usable(interfaces_);
      if (first == nullptr)
        return fail(-ENODEV, "net '" + item.net.to_string() + "': no usable interface");
      nis.push_back({.interface = first->name});
    }
    for (NiItem& ni : nis) {
      NiItem settled = settle(std::move(ni), interfaces_);
      const auto same = [&](const NiItem& n) {
        return n.interface == settled.interface && n.nid == settled.nid;
      };
      if (std::any_of(at->nis.begin(), at->nis.end(), same)) {
        return fail(-EEXIST, "net '" + item.net.to_string() + "' names the same NI twice");
      }
      at->nis.push_back(std::move(settled));
    }
    return {};
  }

  Config& config_;
  std::span<const LocalInterface> interfaces_;
};

std::vector<NiRef> flat(const Config& config) {
  std::vector<NiRef> all;
  for (const NetItem& net : config.nets) {
    for (const NiItem& ni : net.nis) all.push_back({net.net, ni});
  }
  return all;
}

const NiRef* find_same(const std::vector<NiRef>& all, const NiRef& wanted) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const NiRef& r) {
    return r.net == wanted.net && r.ni.interface == wanted.ni.interface &&
           r.ni.nid == wanted.ni.nid;
  });
  return at == all.end() ? nullptr : &*at;
}

/// Equal but for conns_per_peer.
bool same_but_conns(NiItem a, const NiItem& b) {
  a.lnd_tunables.conns_per_peer = b.lnd_tunables.conns_per_peer;
  return a == b;
}

/// What of `to` differs from `from`; what `to` no longer names becomes what `initial` says.
template <class Map, class Initial>
Map changed(const Map& from, const Map& to, Initial&& initial) {
  Map out;
  for (const auto& [name, value] : from) {
    if (!to.contains(name) && value != initial(name)) out.insert_or_assign(name, initial(name));
  }
  for (const auto& [name, value] : to) {
    const auto at = from.find(name);
    if (at == from.end() || at->second != value) out.insert_or_assign(name, value);
  }
  return out;
}

}  // namespace

Result<Config> to_config(const Document& document, std::span<const LocalInterface> interfaces) {
  Config config;
  Gather gather(config, interfaces);
  for (const Item& item : document.items) {
    if (auto ok = std::visit(gather, item.what); !ok) {
      return fail(ok.error().code,
                  "line " + std::to_string(item.place.line) + ": " + ok.error().reason);
    }
  }
  return config;
}

Difference difference(const Config& from, const Config& to) {
  Difference out;
  out.params = changed(from.params, to.params, [](const std::string& name) {
    const Param* param = find_param(name);
    return std::string(param == nullptr ? std::string_view() : param->initial);
  });
  out.globals = changed(from.globals, to.globals, [](const std::string& name) {
    const GlobalSetting* setting = find_global(name);
    return setting == nullptr ? std::int64_t{0} : setting->initial;
  });
  const std::vector<NiRef> before = flat(from);
  const std::vector<NiRef> after = flat(to);
  for (const NiRef& old : before) {
    if (find_same(after, old) == nullptr) out.del.push_back(old);
  }
  for (const NiRef& wanted : after) {
    const NiRef* old = find_same(before, wanted);
    if (old == nullptr) {
      out.add.push_back(wanted);
    } else if (old->ni == wanted.ni) {
      continue;
    } else if (same_but_conns(old->ni, wanted.ni)) {
      out.set.push_back(wanted);
    } else {
      out.del.push_back(*old);
      out.add.push_back(wanted);
    }
  }
  return out;
}

}  // namespace ulnet::conf
