// What a selection policy names: nets ("tcp1", "o2ib[1,2]", "o2ib*") or NIDs
// ("10.1.1.[1-5]@tcp[1-3]", "*@o2ib"). Source: spec/multirail.md 10.1, spec/cli-lnetctl.md 8.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "lnet/wire/nid_range.h"

namespace ulnet::core::udsp {

class Criterion {
 public:
  /// Reads a pattern. A text with an '@', a dot or a colon names NIDs, and is on tcp when it has
  /// no '@'; any other text names nets. "*" is every net, "*@*" every NID. -EINVAL; -E2BIG beyond
  /// limits::kUdspTextMax bytes; the reason says why.
  static Result<Criterion> parse(std::string_view text);

  bool names_nets() const { return std::holds_alternative<wire::NetPattern>(pattern_); }
  /// True if this criterion names the NID, or the NID's net.
  bool covers(const Nid& nid) const;
  /// True if this names nets, and `net` is one of them.
  bool names(NetId net) const;
  /// True if this names NIDs, and `nid` is one of them.
  bool names(const Nid& nid) const;
  /// A text that parse() reads as an equal criterion.
  std::string to_string() const;

  /// Patterns are equal when they have the same numbers in the same order.
  bool operator==(const Criterion&) const = default;

 private:
  std::variant<wire::NetPattern, wire::NidPattern> pattern_;
};

}  // namespace ulnet::core::udsp
