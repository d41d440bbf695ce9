// net add, del, show, set. Source: spec/cli-lnetctl.md 3.2 to 3.5.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/verbosity.h"
#include "admin/conf/yaml_in.h"
#include "admin/ulnetctl/command.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/cpt_list.h"
#include "lnet/config/modparams.h"
#include "lnet/config/ni_values.h"
#include "lnet/os/interfaces.h"

namespace ulnet::tools {

namespace {

int missing_network() {
  err("missing mandatory parameters in NI config: 'network'\n");
  return -EINVAL;
}

std::string option_of(const conf::LndTunable& tunable) {
  std::string option(tunable.name);
  std::ranges::replace(option, '_', '-');
  return option;
}

/// Reads all options of `net add` for the NIs except their names. Like lnetctl it ignores values
/// that are not numbers. For a number out of range it returns the command's exit code.
std::optional<int> read_ni_options(Session& session, const Arguments& args, conf::NiItem& ni) {
  ni.tunables.peer_timeout = args.number("peer-timeout");
  ni.tunables.peer_credits = args.number("peer-credits");
  ni.tunables.peer_buffer_credits = args.number("peer-buffer-credits");
  ni.tunables.credits = args.number("credits");
  for (const conf::LndTunable& tunable : lnd::all_ni_tunables()) {
    const std::string option = option_of(tunable);
    if (!args.has(option)) continue;
    const auto number = args.number(option);
    if (!number || !tunable.written().has(*number))
      return session.nested("ni", "add", -1, tunable.range.out_of_range, -1);
    ni.lnd_tunables.emplace(tunable.name, *number);
  }
  if (args.has("traffic-class") || args.has("auth-key"))
    err("--traffic-class and --auth-key are for kfi nets only: ignored\n");
  if (const auto cpt = args.value("cpt")) {
    if (auto cpts = conf::parse_cpt_list(*cpt))
      ni.cpts = std::move(*cpts);
    else if (cpts.error().code == -ERANGE)
      return session.failed("add", "net", {-ERANGE, "invalid CPT value"});
  }
  return std::nullopt;
}

/// Adds every NI with a request of its own, until one fails.
int add_all(Session& session, const std::string& net, std::span<const conf::NiItem> nis,
            const conf::NiItem& common) {
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  for (conf::NiItem ni : nis) {
    ni.tunables = common.tunables;
    ni.lnd_tunables = common.lnd_tunables;
    if (ni.cpts.empty()) ni.cpts = common.cpts;
    if (auto added = lnet.add_ni(net, ni); !added)
      return session.failed("add", "net", added.error());
    session.hint_of_answer();
  }
  return 0;
}

/// Adds the nets of all rules that match (spec/cli-lnetctl.md 9.3). A net that names no interfaces
/// gets the interfaces whose addresses match.
int add_by_rule(Session& session, const std::string& text, const conf::NiItem& common) {
  const auto rules = conf::parse_ip2nets(text);
  if (!rules) return session.failed("add", "net", rules.error());
  const auto interfaces = machine::local_interfaces();
  const auto nets = conf::match_ip2nets(conf::name_matching(*rules, interfaces), interfaces);
  if (!nets) return session.failed("add", "net", nets.error());
  for (const conf::NetItem& net : *nets) {
    if (const int code = add_all(session, net.net.to_string(), net.nis, common); code != 0)
      return code;
  }
  return 0;
}

/// Replaces the design document's --ip2nets. If --ip2nets were an option of its own, `--ip2n`,
/// which lnetctl takes, would be ambiguous.
void take_design_spelling(Words& words) {
  constexpr std::string_view kDesign = "--ip2nets";
  for (std::string& word : words)
    if (word == kDesign || word.starts_with(std::string(kDesign) + "="))
      word.erase(kDesign.size() - 1, 1);
}

int net_add(Session& session, const Command& self, Words words) {
  take_design_spelling(words);
  const Arguments args = arguments_of(session, self, words,
                                      {{"net", 'n', Option::kValue},
                                       {"if", 'i', Option::kValue},
                                       {"nid", 0, Option::kValue},
                                       {"ip2net", 'p', Option::kValue},
                                       {"peer-timeout", 't', Option::kValue},
                                       {"peer-credits", 'c', Option::kValue},
                                       {"peer-buffer-credits", 'b', Option::kValue},
                                       {"credits", 'r', Option::kValue},
                                       {"cpt", 's', Option::kValue},
                                       {"conns-per-peer", 'm', Option::kValue},
                                       {"skip-mr-route-setup", 'k', Option::kFlag},
                                       {"auth-key", 'a', Option::kValue},
                                       {"traffic-class", 'T', Option::kValue},
                                       {"tos", 0, Option::kValue}});
  if (args.has("net") && args.has("nid"))
    return out("--net is invalid with --nid option\n"), -EINVAL;
  conf::NiItem common;
  if (const auto code = read_ni_options(session, args, common)) return *code;
  if (const auto rule = args.value("ip2net")) return add_by_rule(session, *rule, common);
  if (const auto text = args.value("nid")) {
    const auto nid = Nid::parse(*text);
    if (!nid || nid->is_any()) return session.failed("add", "net", {-EINVAL, "cannot parse NID"});
    common.nid = *nid;
    return add_all(session, nid->net().to_string(), {&common, 1}, common);
  }
  const auto net = args.value("net");
  if (!net) return missing_network();
  const auto interfaces = args.value("if");
  if (!interfaces) return err("creating a local NI needs at least one interface\n"), -EINVAL;
  const auto nis = conf::parse_interface_list(*interfaces);
  if (!nis && nis.error().code == -ERANGE) return session.failed("add", "net", nis.error());
  if (!nis) return session.nested("ni", "add", -EINVAL, "bad interface list", -EINVAL);
  return add_all(session, *net, *nis, common);
}

int net_del(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(
      session, self, words,
      {{"net", 'n', Option::kValue}, {"nid", 0, Option::kValue}, {"if", 'i', Option::kValue}});
  const auto net = args.value("net");
  if (net && args.has("nid")) return out("--net is invalid with --nid option\n"), -EINVAL;
  const auto nid_text = args.value("nid");
  if (!net && !nid_text) return missing_network();
  std::vector<conf::NiItem> nis;
  if (const auto interfaces = args.value("if"); interfaces && net) {
    auto some = conf::parse_interface_list(*interfaces);
    if (!some) return session.nested("ni", "del", -EINVAL, "bad interface list", -EINVAL);
    nis = std::move(*some);
  }
  std::optional<Nid> nid;
  if (nid_text) {
    const auto parsed = Nid::parse(*nid_text);
    if (!parsed || parsed->is_any())
      return session.failed("del", "net", {-EINVAL, "cannot parse NID"});
    nid = *parsed;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  if (nid) return session.finish("del", "net", lnet.change(conf::change::DelNi{.nid = *nid}));
  if (nis.empty()) return session.finish("del", "net", lnet.del_ni(*net, std::nullopt));
  for (const conf::NiItem& ni : nis) {
    if (auto gone = lnet.del_ni(*net, ni.interface); !gone)
      return session.failed("del", "net", gone.error());
  }
  return 0;
}

int net_show(Session& session, const Command& self, Words words) {
  const Arguments args =
      arguments_of(session, self, words,
                   {{"net", 'n', Option::kValue}, {"verbose", 'v', Option::kLevel}, kJson});
  const auto net = args.value("net");
  const auto show_net = [&](ctl::LnetConfig& lnet) {
    const auto nets = lnet.show_net(net);
    return nets ? ctl::at_verbosity(*nets, args.level("verbose")) : nets;
  };
  return session.show_by(show_net, "net", args.has("json"));
}

/// The drivers' tunables that `net set` can set and that the command line names.
std::vector<conf::LndTunable> named_tunables(const Arguments& args) {
  std::vector<conf::LndTunable> named;
  for (const conf::LndTunable& tunable : lnd::all_ni_tunables())
    if (tunable.while_running && args.has(option_of(tunable))) named.push_back(tunable);
  return named;
}

/// Carries out `net set --net NET --lnd-timeout S`.
int set_lnd_timeout(Session& session, const std::string& net, const std::string& seconds_text) {
  const auto id = NetId::parse(net);
  if (!id)
    return session.nested("net", "set", -EINVAL, "\"Invalid network type: " + net + "\"", -EINVAL);
  const auto seconds = parse_number(seconds_text);
  if (!seconds || *seconds < 0 || *seconds > INT32_MAX) {
    return session.nested("net", "set", -EINVAL,
                          "\"Invalid LND timeout value '" + seconds_text + "', must be >= 0\"",
                          -EINVAL);
  }
  return session.change("set", "net",
                        conf::change::SetNi{.net = *id, .lnd_timeout = static_cast<int>(*seconds)});
}

int net_set(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"nid", 'n', Option::kValue},
                                       {"net", 0, Option::kValue},
                                       {"health", 't', Option::kValue},
                                       {"conns-per-peer", 'm', Option::kValue},
                                       {"lnd-timeout", 'l', Option::kValue},
                                       {"cpt", 's', Option::kValue},
                                       {"all", 'a', Option::kFlag}});
  if (args.has("cpt"))
    return session.failed("set", "net", {-EOPNOTSUPP, std::string(conf::kCptIsFixed)});
  const auto named = named_tunables(args);
  const bool of_nis = args.has("health") || !named.empty();
  if (const auto timeout = args.value("lnd-timeout")) {
    const auto net = args.value("net");
    if (!net)
      return session.nested("net", "set", -EINVAL,
                            "\"Specified --lnd-timeout without --net option\"", -EINVAL);
    if (const int code = set_lnd_timeout(session, *net, *timeout); code != 0) return code;
    if (!of_nis) return 0;
  }
  std::optional<Nid> nid;
  if (const auto text = args.value("nid")) {
    const auto parsed = Nid::parse(*text);
    if (!parsed || parsed->is_any()) return session.nested("net", "set", -EINVAL, "", -EINVAL);
    nid = *parsed;
  }
  const bool which = nid.has_value() != args.has("all");
  if (!which || !of_nis) {
    return session.nested("net", "set", -EINVAL, "\"Invalid option or missing argument\"", -EINVAL);
  }
  const auto health = args.number("health");
  if (args.has("health") && !health) {
    return session.nested("net", "set", -EINVAL, "\"Invalid option or missing argument\"", -EINVAL);
  }
  conf::LndTunables tunables;
  for (const conf::LndTunable& tunable : named) {
    const auto number = args.number(option_of(tunable));
    if (!number || !tunable.range.has(*number))
      return session.nested("net", "set", -1, tunable.range.out_of_range, -1);
    tunables.emplace(tunable.name, *number);
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  if (health) {
    const auto value = static_cast<std::int32_t>(conf::health_of(*health));
    if (auto set = lnet.change(conf::change::SetNi{.nid = nid, .health = value}); !set)
      return session.failed("set", "net", set.error());
  }
  if (tunables.empty()) return 0;
  return session.finish("set", "net",
                        lnet.change(conf::change::SetNi{.nid = nid, .tunables = tunables}));
}

constexpr Command kOfNets[] = {
    {"add",
     "net add: add a network\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--if: physical interface (e.g. eth0)\n"
     "\t--nid: bring up NI based on the address of the specified LNet NID\n"
     "\t--ip2net: specify networks based on IP address patterns\n"
     "\t--peer-timeout: time to wait before declaring a peer dead\n"
     "\t--peer-credits: define the max number of inflight messages\n"
     "\t--peer-buffer-credits: the number of buffer credits per peer\n"
     "\t--credits: Network Interface credits\n"
     "\t--cpt: CPU Partitions configured net uses (e.g. [0,1]\n"
     "\t--conns-per-peer: number of connections per peer\n"
     "\t--skip-mr-route-setup: do not add linux route for the ni\n"
     "\t--auth-key: Network authorization key (kfilnd only)\n"
     "\t--traffic-class: Traffic class (kfilnd only)\n"
     "\t--tos: IP's Type of Service\n",
     &net_add},
    {"del",
     "net del: delete a network\n"
     "\t--net: net name (e.g. tcp0)\n"
     "\t--nid: shutdown NI based on the address of the specified LNet NID\n"
     "\t--if: physical interface (e.g. eth0)\n",
     &net_del},
    {"show",
     "net show: show networks\n"
     "\t--net: net name (e.g. tcp0) to filter on\n"
     "\t--verbose: display detailed output per network. Optional argument of '2' outputs more "
     "stats\n",
     &net_show},
    {"set",
     "net set: set local NI specific parameter\n"
     "\t--nid: NI NID to set the value on\n"
     "\t--net: network to set the value on (e.g. tcp, o2ib, kfi)\n"
     "\t--lnd-timeout: set LND timeout (seconds) for LND used by --net argument\n"
     "\t--health: specify health value to set\n"
     "\t--conns-per-peer: number of connections per peer\n"
     "\t--all: set all NIs value to the one specified\n",
     &net_set},
};

}  // namespace

const std::span<const Command> kNetCommands = kOfNets;

}  // namespace ulnet::tools
