// Nets whose type has no driver here: a file for other hosts may have some, of which an
// administrator can have the rest configured. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admin/conf/yaml_in.h"
#include "lnet/config/model.h"

namespace ulnet::conf {

/// What was left out.
struct LeftOut {
  std::vector<std::pair<NetId, Place>> nets;  ///< each once, where it stands first
  std::size_t routes = 0;                     ///< items, by gateways on such nets

  bool any() const { return !nets.empty() || routes != 0; }
  /// "nets whose type is not built in (o2ib, efa), 2 routes by gateways on such nets".
  std::string to_string() const;
};

/// What the document's `daemon:` section says of leaving them out; empty: nothing.
std::optional<bool> skips_unsupported(const Document& document);

/// Takes the nets and the rules of ip2nets of such types out of the document, and the routes all of
/// whose gateways are on such nets. A section of which nothing is left goes.
LeftOut leave_out_unsupported(Document& document, HasDriver has_driver);
/// The same for nets and routes that were made of parameters. Their places are those of the text as
/// a whole.
LeftOut leave_out_unsupported(std::vector<NetItem>& nets, std::vector<RouteItem>& routes,
                              HasDriver has_driver);

}  // namespace ulnet::conf
