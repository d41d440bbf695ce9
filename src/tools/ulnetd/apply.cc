#include "tools/ulnetd/apply.h"

#include <algorithm>

namespace ulnet::tools {

namespace {

std::string named(const conf::NiRef& ref) {
  return ref.ni.nid ? ref.ni.nid->to_string() : ref.net.to_string() + "(" + ref.ni.interface + ")";
}

bool same_ni(const conf::NiItem& a, const conf::NiItem& b) {
  return a.interface == b.interface && a.nid == b.nid;
}

void take_out(conf::Config& config, const conf::NiRef& ref) {
  for (conf::NetItem& net : config.nets)
    if (net.net == ref.net)
      std::erase_if(net.nis, [&](const conf::NiItem& ni) { return same_ni(ni, ref.ni); });
  std::erase_if(config.nets, [](const conf::NetItem& net) { return net.nis.empty(); });
}

void put_in(conf::Config& config, const conf::NiRef& ref) {
  for (conf::NetItem& net : config.nets)
    if (net.net == ref.net) return net.nis.push_back(ref.ni);
  config.nets.push_back({.net = ref.net, .nis = {ref.ni}});
}

class Applying {
 public:
  Applying(node::Node& node, const conf::Config& from, const conf::Config& to)
      : node_(node), from_(from) {
    outcome_.now = to;
  }

  Outcome run() {
    const conf::Difference difference = conf::difference(from_, outcome_.now);
    for (const auto& [name, value] : difference.params) set_param(name, value);
    for (const conf::NiRef& ref : difference.del) remove(ref);
    for (const conf::NiRef& ref : difference.add) add(ref);
    for (const conf::NiRef& ref : difference.set) set(ref);
    for (const auto& [name, value] : difference.globals) set_global(name, value);
    return std::move(outcome_);
  }

 private:
  /// Counts a success; keeps a failure with what it was about.
  bool note(const Result<void>& result, const std::string& what) {
    if (result) {
      ++outcome_.changes;
      return true;
    }
    outcome_.failures.push_back({result.error().code, what + ": " + result.error().reason});
    return false;
  }
  template <class Map>
  static void put_back(Map& now, const Map& before, const std::string& name) {
    const auto at = before.find(name);
    if (at == before.end())
      now.erase(name);
    else
      now[name] = at->second;
  }

  void set_param(const std::string& name, const std::string& value) {
    const auto set = node_.set_param(name, value);
    if (!set && set.error().code == -EBUSY) {
      outcome_.postponed.push_back(name);
      return;
    }
    if (!note(set, "parameter " + name)) put_back(outcome_.now.params, from_.params, name);
  }
  void remove(const conf::NiRef& ref) {
    const auto removed =
        ref.ni.nid ? node_.nid_del(*ref.ni.nid) : node_.net_del(ref.net, ref.ni.interface);
    // Somebody may have removed it by hand: then it is as wished.
    const bool gone =
        !removed && (removed.error().code == -ENODEV || removed.error().code == -EINVAL ||
                     removed.error().code == -ENOENT);
    if (!gone && !note(removed, "removing " + named(ref))) put_in(outcome_.now, ref);
  }
  void add(const conf::NiRef& ref) {
    if (!note(node_.net_add(ref.net, ref.ni), "adding " + named(ref))) take_out(outcome_.now, ref);
  }
  void set(const conf::NiRef& ref) {
    const auto nid = nid_of(ref);
    const Result<void> done =
        nid ? node_.ni_set(nid, {}, ref.ni.lnd_tunables.conns_per_peer.value_or(0))
            : Result<void>(fail(-ENODEV, "it is not up"));
    if (note(done, "conns_per_peer of " + named(ref))) return;
    take_out(outcome_.now, ref);  // the next attempt finds it different again
    for (const conf::NetItem& net : from_.nets)
      for (const conf::NiItem& ni : net.nis)
        if (net.net == ref.net && same_ni(ni, ref.ni)) put_in(outcome_.now, {net.net, ni});
  }
  void set_global(const std::string& name, std::int64_t value) {
    if (!note(node_.set_global(name, value), "global " + name))
      put_back(outcome_.now.globals, from_.globals, name);
  }

  std::optional<Nid> nid_of(const conf::NiRef& ref) {
    if (ref.ni.nid) return ref.ni.nid;
    for (const node::NiShow& ni : node_.state().nis)
      if (ni.net == ref.net && ni.interface == ref.ni.interface) return ni.nid;
    return {};
  }

  node::Node& node_;
  const conf::Config& from_;
  Outcome outcome_;
};

}  // namespace

Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to) {
  return Applying(node, from, to).run();
}

}  // namespace ulnet::tools
