// Converts the texts that configured LNet before YAML (networks=, ip2nets=, routes=, files of
// modprobe) to the YAML that `import` takes. Texts in, text out. Source: spec/cli-lnetctl.md 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lnet/config/modparams.h"
#include "lnet/config/problem.h"

namespace ulnet::conf {

enum class LegacyKind : std::uint8_t {
  kIp2Nets,   ///< rules: "tcp(eth0) 192.168.0.*"
  kRoutes,    ///< "tcp1 10.0.0.1@tcp"
  kNetworks,  ///< "tcp(eth0),tcp1(eth1)"; a line end separates as well as a comma
  kModprobe,  ///< lines "options lnet ..."
  /// Any of these: `options` lines, parameters ("routes='...'"), routes in braces, else rules.
  kAny,
};

/// The nets, rules and routes of the added texts, in their order.
class Legacy {
 public:
  /// `default_hop`: the hops of routes that name none.
  explicit Legacy(std::optional<std::uint32_t> default_hop = {}) : default_hop_(default_hop) {}

  /// Adds a text. On an error returns the first problem with its place; the parts of the text after
  /// it are not added. -E2BIG: more than kItemsMax items.
  Parsed<void> add(LegacyKind kind, std::string_view text);

  /// True as long as no text had a net, a rule or a route.
  bool empty() const { return nets_.empty() && rules_.empty() && routes_.empty(); }
  /// Parameters of lnet that have no section in this YAML, and were ignored.
  const Notes& notes() const { return notes_; }
  /// The sections `net:`, `ip2nets:` and `route:`, those that have an item.
  std::string yaml() const;

  static constexpr std::size_t kItemsMax = 65'536;

 private:
  using Tree = nlohmann::ordered_json;

  Parsed<void> add_params(const PlainText& in, bool with_modules);
  Parsed<void> add_networks(const PlainText& in, std::string_view part);
  Parsed<void> add_ip2nets(const PlainText& in, std::string_view part);
  Parsed<void> add_routes(const PlainText& in, std::string_view part);
  Parsed<void> push(const PlainText& in, std::string_view part, Tree& list, Tree item);

  std::optional<std::uint32_t> default_hop_;
  Tree nets_ = Tree::array(), rules_ = Tree::array(), routes_ = Tree::array();
  Notes notes_;
};

}  // namespace ulnet::conf
