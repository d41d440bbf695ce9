// Converts the C interface's descriptors of nets, rules and tunables to values of src/admin/conf,
// and NIDs to texts of that interface.
#pragma once

#include <span>
#include <vector>

#include "lnet/config/interfaces.h"
#include "lnet/config/ip2nets.h"
#include "lnet/config/model.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/lnetconfig.h"

/// The result of lustre_lnet_parse_nid_range().
struct lustre_lnet_nid_range {
  std::vector<ulnet::wire::NidPattern> patterns;
};

namespace ulnet::dlc {

/// Returns the NIs that a descriptor names, by a NID or by at least one interface. -EFAULT: no net;
/// -EINVAL.
Result<std::vector<conf::NetItem>> nets_of_descr(const lustre_lnet_nw_descr* nw);
/// Returns the rule of a descriptor. -EINVAL: no such net, or a range that does not parse.
Result<conf::Ip2NetsRule> rule_of(const lustre_lnet_ip2nets* ip2nets);

/// Returns the values that all NIs of a call get, as an NI without a name. -EINVAL: an LND tunable
/// out of range; -ERANGE: too many CPU partitions.
Result<conf::NiItem> common_of(const lustre_lnet_tunables* tunables, const lustre_lnet_cpts* cpts);
/// Gives an NI the values that it does not set itself.
void give_common(conf::NiItem& ni, const conf::NiItem& common);

/// Returns the NIDs that NIs of these interfaces get.
std::vector<Nid> nids_of(std::span<const conf::NetItem> nets,
                         std::span<const conf::LocalInterface> interfaces);
/// Writes the NIDs to `to`. `*count` has the size of `to`, and gets the number of NIDs. -E2BIG:
/// more NIDs than fit.
Result<void> write_nids(std::span<const Nid> from, char (*to)[LUSTRE_LNET_NIDSTR_SIZE],
                        unsigned int* count);
/// Copies the text, cut to `size` bytes with the terminating zero.
void copy_text(std::string_view from, char* to, std::size_t size);

}  // namespace ulnet::dlc
