// LNet and its NIs. Source: spec/cli-lnetctl.md 3.1 to 3.5, 4.1, 4.10.
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include "admin/client/nid_words.h"
#include "admin/client/tree_fields.h"
#include "admin/client/verbosity.h"
#include "admin/dlc/descriptors.h"
#include "admin/dlc/library.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/modparams.h"
#include "lnet/config/ni_values.h"
#include "lnet/os/interfaces.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::dlc {

namespace {

/// Adds the NIs one after the other, until one fails.
Result<void> add_nis(LnetConfig& lnet, const conf::NetItem& net) {
  for (const conf::NiItem& ni : net.nis)
    if (auto added = lnet.change(AddNi{net.net, ni}); !added) return added;
  return {};
}

Result<void> add_nets(LnetConfig& lnet, const std::vector<conf::NetItem>& nets,
                      const conf::NiItem& common) {
  for (conf::NetItem net : nets) {
    for (conf::NiItem& ni : net.nis) give_common(ni, common);
    if (auto added = add_nis(lnet, net); !added) return added;
  }
  return {};
}

/// Returns the nets of all rules that match (spec/cli-lnetctl.md 9.3). A net that names no
/// interfaces gets the interfaces whose addresses match.
Result<std::vector<conf::NetItem>> nets_of_text(const char* ip2net) {
  auto rules = conf::parse_ip2nets(ip2net);
  if (!rules) return tl::unexpected(rules.error());
  const auto interfaces = machine::local_interfaces();
  return conf::match_ip2nets(conf::name_matching(*rules, interfaces), interfaces);
}

Result<std::vector<conf::NetItem>> nets_of_rule(const lustre_lnet_ip2nets* ip2nets) {
  const auto rule = rule_of(ip2nets);
  if (!rule) return tl::unexpected(rule.error());
  return conf::apply_ip2nets({&*rule, 1}, machine::local_interfaces());
}

Result<void> delete_nis(LnetConfig& lnet, const lustre_lnet_nw_descr& nw) {
  if (nw.nid[0] != 0) {
    const auto nid = Nid::parse(nw.nid);
    if (!nid || nid->is_any()) return fail(-EINVAL, "cannot parse NID");
    return lnet.change(DelNi{.nid = *nid});
  }
  if (nw.net[0] == 0) return fail(-EFAULT, "missing mandatory parameter: network");
  if (nw.interfaces == nullptr) return lnet.del_ni(nw.net, std::nullopt);
  for (const auto* one = nw.interfaces; one != nullptr; one = one->next)
    if (auto gone = lnet.del_ni(nw.net, one->name); !gone) return gone;
  return {};
}

/// Shows one queue of the control API's answer, unless it is empty.
int show_queue(const char* queue, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "recovery", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) {
    auto both = lnet.show_recovery();
    if (!both) return both;
    Tree one = Tree::object();
    one[queue] = ctl::field_in(*both, queue);
    if (one[queue].is_null()) one.erase(queue);
    return Result<Tree>(std::move(one));
  });
}

}  // namespace

}  // namespace ulnet::dlc

using namespace ulnet;
using namespace ulnet::dlc;

extern "C" {

int lustre_lnet_config_ni_system(bool up, bool load_ni_from_mod, int seq_no, cYAML** err_rc) {
  return change({"configure", "lnet", seq_no, err_rc},
                [&](LnetConfig& lnet) { return lnet.config_ni_system(up, load_ni_from_mod); });
}

int lustre_lnet_config_ni(const lustre_lnet_nw_descr* nw_descr, const lustre_lnet_cpts* global_cpts,
                          const char* ip2net, const lustre_lnet_tunables* tunables, int seq_no,
                          cYAML** err_rc) {
  return change({"add", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto common = common_of(tunables, global_cpts);
    if (!common) return tl::unexpected(common.error());
    const auto nets = ip2net != nullptr ? nets_of_text(ip2net) : nets_of_descr(nw_descr);
    if (!nets) return tl::unexpected(nets.error());
    return add_nets(lnet, *nets, *common);
  });
}

int lustre_lnet_config_ip2nets(const lustre_lnet_ip2nets* ip2nets,
                               const lustre_lnet_tunables* tunables,
                               const lustre_lnet_cpts* global_cpts, int seq_no, cYAML** err_rc) {
  return change({"add", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto common = common_of(tunables, global_cpts);
    if (!common) return tl::unexpected(common.error());
    const auto nets = nets_of_rule(ip2nets);
    if (!nets) return tl::unexpected(nets.error());
    return add_nets(lnet, *nets, *common);
  });
}

int lustre_lnet_resolve_ip2nets_rule(const lustre_lnet_ip2nets* ip2nets,
                                     char (*nids)[LUSTRE_LNET_NIDSTR_SIZE], unsigned int* count,
                                     char* err_str, size_t err_size) {
  const int code = local({"add", "net", -1, nullptr}, [&]() -> Result<void> {
    const auto nets = nets_of_rule(ip2nets);
    if (!nets) return tl::unexpected(nets.error());
    return write_nids(nids_of(*nets, machine::local_interfaces()), nids, count);
  });
  if (code != 0 && err_str != nullptr && err_size > 0)
    copy_text(ulnet_lnetconfig_last_error(), err_str, err_size);
  return code;
}

int lustre_lnet_del_ni(const lustre_lnet_nw_descr* nw_descr, int seq_no, cYAML** err_rc) {
  return change({"del", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (nw_descr == nullptr) return fail(-EFAULT, "missing mandatory parameter: network");
    return delete_nis(lnet, *nw_descr);
  });
}

int lustre_lnet_show_net(const char* net, int detail, int seq_no, cYAML** show_rc, cYAML** err_rc,
                         bool backup) {
  return show({"show", "net", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) {
    auto tree = lnet.show_net(net == nullptr ? std::nullopt : std::optional<std::string>(net));
    if (!tree) return tree;
    return Result<Tree>(backup ? ctl::backup_of_nets(*tree, machine::local_interfaces())
                               : ctl::at_verbosity(*tree, detail));
  });
}

int lustre_lnet_config_ni_healthv(int value, bool all, const char* ni_nid, int seq_no,
                                  cYAML** err_rc) {
  return change({"set", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto which = ctl::nid_or_all(text_of(ni_nid), all);
    if (!which) return tl::unexpected(which.error());
    return lnet.change(
        SetNi{.nid = *which, .health = static_cast<std::int32_t>(conf::health_of(value))});
  });
}

int lustre_lnet_config_ni_conns_per_peer(int value, bool all, const char* ni_nid, int seq_no,
                                         cYAML** err_rc) {
  return change({"set", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto which = ctl::nid_or_all(text_of(ni_nid), all);
    if (!which) return tl::unexpected(which.error());
    SetNi change{.nid = *which, .tunables = {{"conns_per_peer", value}}};
    const auto net_of = *which ? std::optional((*which)->net()) : std::nullopt;
    if (auto fit = lnd::check_ni_tunables(net_of, change.tunables); !fit) return fit;
    return lnet.change(std::move(change));
  });
}

int lustre_lnet_config_lnd_timeout(int timeout, const char* net, int seq_no, cYAML** err_rc) {
  return change({"set", "net", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const std::string name = text_of(net);
    const auto id = NetId::parse(name);
    if (!id) return fail(-EINVAL, "Invalid network type: " + name);
    if (timeout < 0)
      return fail(-EINVAL,
                  "Invalid LND timeout value '" + std::to_string(timeout) + "', must be >= 0");
    return lnet.change(SetNi{.net = *id, .lnd_timeout = timeout});
  });
}

int lustre_lnet_show_local_ni_recovq(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_queue("Local NI recovery", seq_no, show_rc, err_rc);
}

int lustre_lnet_show_peer_ni_recovq(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_queue("Peer NI recovery", seq_no, show_rc, err_rc);
}

}  // extern "C"
