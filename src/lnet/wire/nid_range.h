// Patterns for nets, addresses and NIDs, and lists of NIDs, as administrators write them:
// 10.1.[1-3].*@tcp[0-1], 2001:db8::/64@tcp, *@o2ib. Source: spec/cli-lnetctl.md 8, 9.2, 9.3;
// refusals: spec/upstream-tests.md A, case 99a.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lnet/base/expr_list.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

/// A set of nets of one type: "tcp", "tcp3", "tcp[1-3]", "tcp*" (any number); "*" is every net.
class NetPattern {
 public:
  /// Reads a pattern. -EINVAL; the reason says why.
  static Result<NetPattern> parse(std::string_view text);

  bool matches(NetId net) const;
  /// The nets, in the order written. -EINVAL: the pattern matches any number; -E2BIG: more than
  /// `limit`.
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

  /// Reads a pattern for addresses of nets of this type; "*" is any address. -EINVAL; the reason
  /// says why.
  static Result<AddressPattern> parse(std::string_view text, NetType type);
  /// Reads an ip2nets pattern: four dotted expressions, or an IPv6 address with an optional
  /// prefix length (spec/cli-lnetctl.md 9.3). -EINVAL.
  static Result<AddressPattern> parse_ip(std::string_view text);

  /// True if the address of `nid` fits; its net does not matter.
  bool matches(const Nid& nid) const;
  /// The NIDs of the addresses on `net`; the leftmost octet changes slowest. -EINVAL: the pattern
  /// is "*" or an IPv6 prefix; -E2BIG: more than `limit`.
  Result<std::vector<Nid>> expand(NetId net, std::size_t limit) const;
  bool is_any() const { return std::holds_alternative<Any>(kind_); }
  std::string to_string() const;

  bool operator==(const AddressPattern&) const = default;

 private:
  std::variant<Any, Octets, Number, Ip6> kind_;
};

/// A set of NIDs, written as an address pattern, "@" and a net pattern. Without "@" the net is
/// tcp; "*" alone is every NID.
struct NidPattern {
  AddressPattern address;
  NetPattern net;

  static Result<NidPattern> parse(std::string_view text);
  bool matches(const Nid& nid) const { return net.matches(nid.net()) && address.matches(nid); }
  /// The NIDs; nets change slowest, then the leftmost octet. Errors: those of expand() of the
  /// address pattern and of the net pattern.
  Result<std::vector<Nid>> expand(std::size_t limit) const;
  std::string to_string() const;

  bool operator==(const NidPattern&) const = default;
};

/// Splits a list at blanks and commas outside brackets; the words are views into `text`. An empty
/// text is an empty list. -EINVAL: brackets that are nested or not closed, or an empty word
/// between commas.
Result<std::vector<std::string_view>> split_list(std::string_view text);

/// Reads a list of patterns to match NIDs with. -EINVAL; the reason names the word.
Result<std::vector<NidPattern>> parse_nid_patterns(std::string_view text);

/// Reads a list of NIDs of other nodes (peers, gateways): each NID once, in the order written.
/// -EINVAL: an empty list, a wildcard, 0@lo, or a word that does not parse; the reason says
/// which. -E2BIG: more than `limit`.
Result<std::vector<Nid>> expand_nids(std::string_view text, std::size_t limit);

}  // namespace ulnet::wire
