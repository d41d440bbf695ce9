// Nets whose type has no driver here. A file for other hosts may have some; an administrator can
// leave them out and configure the rest. Pure.
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
  std::size_t routes = 0;                     ///< items, by gateways on such nets

  bool any() const { return !nets.empty() || routes != 0; }
  /// "nets whose type is not built in (o2ib, efa), 2 routes by gateways on such nets".
  std::string to_string() const;
};

/// Whether the document's `daemon:` section requests to leave them out; empty: it does not say.
std::optional<bool> skips_unsupported(const Document& document);

/// Removes from the document the nets and the rules of ip2nets of such types, and the routes all of
/// whose gateways are on such nets. Removes a section of which nothing is left.
LeftOut leave_out_unsupported(Document& document, HasDriver has_driver);
/// The same for nets and routes from parameters. Their places are those of the whole text.
LeftOut leave_out_unsupported(std::vector<NetItem>& nets, std::vector<RouteItem>& routes,
                              HasDriver has_driver);

}  // namespace ulnet::conf
