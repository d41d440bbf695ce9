// Patterns over networks, addresses and NIDs, and lists of NIDs: 10.1.[1-3].*@tcp[0-1],
// 2001:db8::/64@tcp, *@o2ib. Source: spec/cli-lnetctl.md 8, 9.2, 9.3; refusals:
// spec/upstream-tests.md A, case 99a.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expr_list.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

/// A set of networks of one type: "tcp", "tcp3", "tcp[1-3]", "tcp*" (any number); "*" is every
/// network.
class NetPattern {
 public:
  /// -EINVAL with the reason.
  static Result<NetPattern> parse(std::string_view text);

  bool matches(NetId net) const;
  /// In ascending order of writing. -EINVAL for one without end, -E2BIG for more than `limit`.
  Result<std::vector<NetId>> expand(std::size_t limit) const;
  bool is_all() const { return type_ == NetType::kAny; }
  NetType type() const { return type_; }
  std::string to_string() const;

  bool operator==(const NetPattern&) const = default;

 private:
  NetType type_ = NetType::kAny;
  ExprList numbers_ = ExprList::all();
};

/// A set of addresses of one kind.
class AddressPattern {
 public:
  struct Any {
    bool operator==(const Any&) const = default;
  };
  struct Octets {
    std::array<ExprList, 4> octets;
    bool operator==(const Octets&) const = default;
  };
  struct Number {
    ExprList values;
    bool operator==(const Number&) const = default;
  };
  struct Ip6 {
    std::array<std::uint8_t, 16> address;  ///< bits past the prefix are zero
    std::uint8_t prefix = 128;
    bool operator==(const Ip6&) const = default;
  };

  /// As nets of this type write addresses; "*" is any address. -EINVAL with the reason.
  static Result<AddressPattern> parse(std::string_view text, NetType type);
  /// An ip2nets pattern: four dotted expressions, or IPv6 with an optional prefix length
  /// (spec/cli-lnetctl.md 9.3).
  static Result<AddressPattern> parse_ip(std::string_view text);

  /// Looks at the address of `nid` only.
  bool matches(const Nid& nid) const;
  /// The addresses on `net`, left octet slowest. -EINVAL for a pattern without end, -E2BIG for more
  /// than `limit`.
  Result<std::vector<Nid>> expand(NetId net, std::size_t limit) const;
  bool is_any() const { return std::holds_alternative<Any>(kind_); }
  std::string to_string() const;

  bool operator==(const AddressPattern&) const = default;

 private:
  std::variant<Any, Octets, Number, Ip6> kind_;
};

/// A set of NIDs: address pattern @ net pattern; without "@" the net is tcp, and "*" alone is every
/// NID.
struct NidPattern {
  AddressPattern address;
  NetPattern net;

  static Result<NidPattern> parse(std::string_view text);
  bool matches(const Nid& nid) const { return net.matches(nid.net()) && address.matches(nid); }
  /// Net slowest, then left octet slowest. Errors as those of the parts.
  Result<std::vector<Nid>> expand(std::size_t limit) const;
  std::string to_string() const;

  bool operator==(const NidPattern&) const = default;
};

/// The words of a list separated by blanks or commas; neither splits inside brackets. Views into
/// `text`. -EINVAL for brackets that are nested or unbalanced, and for an empty word between
/// commas. An empty text is an empty list.
Result<std::vector<std::string_view>> split_list(std::string_view text);

/// A list of patterns, for matching. -EINVAL with the reason, naming the word.
Result<std::vector<NidPattern>> parse_nid_patterns(std::string_view text);

/// The NIDs of other nodes that a list names, each once, in the order written (peers, gateways).
/// -EINVAL with the reason for an empty list, wildcards, 0@lo and whatever does not parse; -E2BIG
/// when the list names more than `limit`.
Result<std::vector<Nid>> expand_nids(std::string_view text, std::size_t limit);

}  // namespace ulnet::wire
