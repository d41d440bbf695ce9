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
  kNetworks,  ///< "tcp(eth0),tcp1(eth1)"; a comma or a line end separates nets
  kModprobe,  ///< lines "options lnet ..."
  /// The text has any of these forms: `options` lines, parameters ("routes='...'"), routes in
  /// braces, else rules.
  kAny,
};

/// Collects the nets, rules and routes of the added texts, in their order.
class Legacy {
 public:
  /// `default_hop` is the number of hops of routes that name none.
  explicit Legacy(std::optional<std::uint32_t> default_hop = {}) : default_hop_(default_hop) {}

  /// Adds a text. On an error returns the first problem with its place; the rest of the text after
  /// that place is not added. -E2BIG: more than kItemsMax items.
  Parsed<void> add(LegacyKind kind, std::string_view text);

  /// Whether no text had a net, a rule or a route.
  bool empty() const { return nets_.empty() && rules_.empty() && routes_.empty(); }
  /// Returns the notes about parameters of lnet that were ignored, because this YAML has no section
  /// for them.
  const Problems& notes() const { return notes_; }
  /// Returns the sections `net:`, `ip2nets:` and `route:`, as far as they have an item.
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
  Problems notes_;
};

}  // namespace ulnet::conf
