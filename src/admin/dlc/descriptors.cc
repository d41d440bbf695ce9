#include "admin/dlc/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "admin/conf/yaml_in.h"
#include "admin/dlc/library.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/cpt_list.h"
#include "lnet/config/ni_values.h"

namespace ulnet::dlc {

namespace {

Result<std::vector<std::uint32_t>> cpts_of(const lustre_lnet_cpts& cpts) {
  if (cpts.count > LUSTRE_LNET_CPTS_MAX) return fail(-ERANGE, "invalid CPT value");
  return std::vector<std::uint32_t>(cpts.cpt, cpts.cpt + cpts.count);
}

std::optional<std::int32_t> given(std::int32_t value) {
  return value == LUSTRE_LNET_NOT_GIVEN ? std::nullopt : std::optional(value);
}

Result<std::vector<conf::NiItem>> nis_of(const lustre_lnet_intf_descr* list) {
  std::vector<conf::NiItem> nis;
  for (; list != nullptr; list = list->next) {
    auto cpts = cpts_of(list->cpts);
    if (!cpts) return tl::unexpected(cpts.error());
    conf::NiItem ni;
    ni.interface = list->name;
    ni.cpts = std::move(*cpts);
    nis.push_back(std::move(ni));
  }
  return nis;
}

/// Returns the first address of the interface as a NID on `net`, preferably a small NID.
/// `interface` may be an address itself.
std::optional<Nid> nid_on(NetId net, const std::string& interface,
                          std::span<const conf::LocalInterface> interfaces) {
  const auto here = std::ranges::find(interfaces, interface, &conf::LocalInterface::name);
  if (here == interfaces.end()) {
    const auto address = Nid::parse(interface + "@" + net.to_string());
    return address ? std::optional(*address) : std::nullopt;
  }
  if (here->addresses.empty()) return std::nullopt;
  const auto small = std::ranges::find_if(here->addresses, &Nid::is_small);
  return conf::on_net(small != here->addresses.end() ? *small : here->addresses.front(), net);
}

/// Adds an item to the end of a list of the C interface; -EINVAL for a text that is too long.
template <class Item, std::size_t kSize>
Result<Item*> append(Item** list, char (Item::*text)[kSize], std::string_view value) {
  if (value.empty() || value.size() >= kSize) return fail(-EINVAL, "an empty or too long name");
  Item* const item = new Item{};
  copy_text(value, item->*text, kSize);
  while (*list != nullptr) list = &(*list)->next;
  *list = item;
  return item;
}

template <class Item>
void free_list(Item** list) {
  if (list == nullptr) return;
  for (Item* item = *list; item != nullptr;) {
    Item* const next = item->next;
    delete item;
    item = next;
  }
  *list = nullptr;
}

}  // namespace

Result<std::vector<conf::NetItem>> nets_of_descr(const lustre_lnet_nw_descr* nw) {
  if (nw == nullptr || (nw->net[0] == 0 && nw->nid[0] == 0))
    return fail(-EFAULT, "missing mandatory parameter: network");
  auto nis = nis_of(nw->interfaces);
  if (!nis) return tl::unexpected(nis.error());
  std::optional<NetId> net;
  if (nw->net[0] != 0) {
    const auto parsed = conf::parse_settable_net(nw->net);
    if (!parsed) return tl::unexpected(parsed.error());
    net = *parsed;
  }
  if (nw->nid[0] != 0) {
    const auto nid = Nid::parse(nw->nid);
    if (!nid || nid->is_any()) return fail(-EINVAL, "cannot parse NID");
    if (net.value_or(nid->net()) != nid->net() || !nis->empty())
      return fail(-EINVAL, "a NID already names its net and interface: give no others");
    net = nid->net();
    nis->emplace_back().nid = *nid;
  }
  if (nis->empty()) return fail(-EINVAL, "creating a local NI needs at least one interface");
  return std::vector<conf::NetItem>{{*net, std::move(*nis)}};
}

Result<conf::Ip2NetsRule> rule_of(const lustre_lnet_ip2nets* ip2nets) {
  if (ip2nets == nullptr) return fail(-EFAULT, "missing mandatory parameter: rule");
  const auto net = conf::parse_settable_net(ip2nets->nw.net);
  if (!net) return tl::unexpected(net.error());
  auto interfaces = nis_of(ip2nets->nw.interfaces);
  if (!interfaces) return tl::unexpected(interfaces.error());
  conf::Ip2NetsRule rule;
  rule.net = *net;
  rule.interfaces = std::move(*interfaces);
  for (const auto* range = ip2nets->ranges; range != nullptr; range = range->next) {
    auto pattern = wire::AddressPattern::parse_ip(range->pattern);
    if (!pattern) return tl::unexpected(pattern.error());
    rule.ip_ranges.push_back(std::move(*pattern));
  }
  return rule;
}

Result<conf::NiItem> common_of(const lustre_lnet_tunables* tunables, const lustre_lnet_cpts* cpts) {
  conf::NiItem common;
  if (tunables != nullptr) {
    common.tunables = {given(tunables->peer_timeout), given(tunables->peer_credits),
                       given(tunables->peer_buffer_credits), given(tunables->credits)};
    if (const auto conns = given(tunables->conns_per_peer))
      common.lnd_tunables.emplace("conns_per_peer", *conns);
    if (const auto tos = given(tunables->tos)) common.lnd_tunables.emplace("tos", *tos);
    for (const auto& [name, value] : common.lnd_tunables) {
      const conf::NumberRange range = lnd::find_ni_tunable({}, name)->written();
      if (!range.has(value)) return fail(-EINVAL, std::string(range.out_of_range));
    }
  }
  if (cpts != nullptr) {
    auto numbers = cpts_of(*cpts);
    if (!numbers) return tl::unexpected(numbers.error());
    common.cpts = std::move(*numbers);
  }
  return common;
}

void give_common(conf::NiItem& ni, const conf::NiItem& common) {
  ni.tunables = common.tunables;
  ni.lnd_tunables = common.lnd_tunables;
  if (ni.cpts.empty()) ni.cpts = common.cpts;
}

std::vector<Nid> nids_of(std::span<const conf::NetItem> nets,
                         std::span<const conf::LocalInterface> interfaces) {
  std::vector<Nid> nids;
  for (const conf::NetItem& net : nets)
    for (const conf::NiItem& ni : net.nis)
      if (const auto nid = nid_on(net.net, ni.interface, interfaces)) nids.push_back(*nid);
  return nids;
}

Result<void> write_nids(std::span<const Nid> from, char (*to)[LUSTRE_LNET_NIDSTR_SIZE],
                        unsigned int* count) {
  if (count == nullptr || (to == nullptr && *count > 0))
    return fail(-EFAULT, "missing mandatory parameter: NIDs");
  if (from.size() > *count) return fail(-E2BIG, "the array is too small for all NIDs");
  for (std::size_t i = 0; i < from.size(); ++i)
    copy_text(from[i].to_string(), to[i], LUSTRE_LNET_NIDSTR_SIZE);
  *count = static_cast<unsigned int>(from.size());
  return {};
}

void copy_text(std::string_view from, char* to, std::size_t size) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = 0;
}

}  // namespace ulnet::dlc

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

/// Runs a call that has neither a node nor a tree: sets only the code and
/// ulnet_lnetconfig_last_error().
int plain(const std::function<Result<void>()>& work) {
  return local({"add", "net", -1, nullptr}, work);
}
Result<void> is_null() { return fail(-EINVAL, "a pointer that must not be NULL is NULL"); }

}  // namespace

extern "C" {

void lustre_lnet_init_nw_descr(lustre_lnet_nw_descr* nw_descr) {
  if (nw_descr != nullptr) *nw_descr = {};
}

int lustre_lnet_add_intf_descr(lustre_lnet_intf_descr** list, const char* name,
                               const lustre_lnet_cpts* cpts) {
  return plain([&]() -> Result<void> {
    if (list == nullptr) return is_null();
    const auto item = append(list, &lustre_lnet_intf_descr::name, text_of(name));
    if (!item) return tl::unexpected(item.error());
    if (cpts != nullptr) (*item)->cpts = *cpts;
    return {};
  });
}

int lustre_lnet_parse_interfaces(const char* text, lustre_lnet_nw_descr* nw_descr) {
  return plain([&]() -> Result<void> {
    if (nw_descr == nullptr) return is_null();
    const auto nis = conf::parse_interface_list(text_of(text));
    if (!nis) return tl::unexpected(nis.error());
    for (const conf::NiItem& ni : *nis) {
      const auto item = append(&nw_descr->interfaces, &lustre_lnet_intf_descr::name, ni.interface);
      if (!item) return tl::unexpected(item.error());
      (*item)->cpts.count = static_cast<unsigned int>(ni.cpts.size());
      std::ranges::copy(ni.cpts, (*item)->cpts.cpt);
    }
    return {};
  });
}

void lustre_lnet_free_intf_descr(lustre_lnet_intf_descr** list) { free_list(list); }

int lustre_lnet_add_ip_range(lustre_lnet_ip_range** list, const char* pattern) {
  return plain([&]() -> Result<void> {
    if (list == nullptr) return is_null();
    if (const auto read = wire::AddressPattern::parse_ip(text_of(pattern)); !read)
      return tl::unexpected(read.error());
    const auto item = append(list, &lustre_lnet_ip_range::pattern, text_of(pattern));
    if (!item) return tl::unexpected(item.error());
    return {};
  });
}

void lustre_lnet_free_ip_ranges(lustre_lnet_ip_range** list) { free_list(list); }

}  // extern "C"
