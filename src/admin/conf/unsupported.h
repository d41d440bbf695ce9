// Nets whose type has no driver in this program. A file for other hosts may have such nets. An
// administrator can leave them out and configure the rest. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/conf/yaml_in.h"
#include "lnet/config/model.h"

namespace ulnet::conf {

/// The nets and routes that were left out.
struct LeftOut {
  std::vector<std::pair<NetId, Place>> nets;  ///< each once, with its first place
  /// items of `route:` whose gateways are all on such nets
  std::size_t routes = 0;

  bool any() const { return !nets.empty() || routes != 0; }
  /// Returns "nets whose type is not built in (o2ib, efa), 2 routes by gateways on such nets".
  std::string to_string() const;
};

/// Whether the document's `daemon:` section requests to leave such nets out; empty: it does not
/// say.
std::optional<bool> skips_unsupported(const Document& document);

/// Removes from the document the nets of such types and their rules of ip2nets. Removes also a
/// route if all its gateways are on such nets, and a section that has no items then.
LeftOut leave_out_unsupported(Document& document, HasDriver has_driver);
/// Does the same for nets and routes from parameters. Their places are those of the whole text.
LeftOut leave_out_unsupported(std::vector<NetItem>& nets, std::vector<RouteItem>& routes,
                              HasDriver has_driver);

}  // namespace ulnet::conf
