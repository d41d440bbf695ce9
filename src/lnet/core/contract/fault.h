// Fault rules: which messages a node drops, fails or delays on purpose, as values.
// lnet/core/path/fault_rules.h applies the rules. Source: spec/multirail.md 11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lnet/core/contract/stats.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// The NIDs that a rule matches: one, all of a net ("*@tcp"), or all ("*").
struct FaultNids {
  NetId net = NetId::any();  ///< any: every NID
  Nid nid = Nid::any();      ///< any: every NID of the net

  /// Reads one of these three forms. -EINVAL "Invalid NID: ...": any other text, also 'any'.
  static Result<FaultNids> parse(std::string_view text);
  bool match(const Nid& other) const {
    if (!nid.is_any()) return nid == other;
    return net.is_any() || net == other.net();
  }
  std::string to_string() const;
  bool operator==(const FaultNids&) const = default;
};

/// Bits of FaultRule::messages, as in `fa_msg_mask`: 1 << wire::MsgType.
inline constexpr std::uint32_t kFaultAck = 1, kFaultPut = 2, kFaultGet = 4, kFaultReply = 8;
inline constexpr std::uint32_t kFaultAllMessages = 15;
/// Bits of FaultRule::errors: 1 << Health for each error, and this one for a random error.
inline constexpr std::uint32_t kFaultRandomError = 1;
inline constexpr std::uint32_t kFaultErrors = 11;  ///< the number of bits

struct FaultRule {
  enum class Kind : std::uint8_t { kDrop, kDelay } kind = Kind::kDrop;
  FaultNids source, destination;
  Nid local = Nid::any();      ///< the NI of this node that the message uses; any: each
  std::uint64_t portals = 0;   ///< a bit for each portal, then only PUT and GET match; 0: all
  std::uint32_t messages = 0;  ///< kFaultAck and so on; 0: all
  std::uint32_t rate = 0;      ///< one of `rate` matching messages; 0: `interval` counts
  std::uint32_t interval = 0;  ///< s; one message in each interval
  std::uint32_t latency = 0;   ///< kDelay: s
  std::uint32_t errors = 0;    ///< kDrop: if not 0, sent messages fail with one of these errors
  bool random = false;         ///< kDrop with an interval: each match with a chance of 1/2
  bool drop_all = false;       ///< kDrop: each match, incoming or outgoing
  std::uint64_t seed = 0;      ///< for the rule's random choices

  bool operator==(const FaultRule&) const = default;
};
const char* to_string(FaultRule::Kind kind);

/// Checks that a node may have the rule, and sets `messages` if it is 0. -EINVAL: both or none of
/// rate and interval; random without interval; no latency; an attribute of the other kind; a bit
/// that does not exist; a portal filter, and neither PUT nor GET.
Result<FaultRule> settled(FaultRule rule);

/// The bit of an error's name ("local_interrupt", "random"); 0: no such error.
std::uint32_t fault_error_bit(std::string_view name);
/// The bit of a message type's name, in any case ("PUT", "get"); 0: no such type.
std::uint32_t fault_message_bit(std::string_view name);

/// A rule, with its counters since it was added or they were reset.
struct FaultRow {
  FaultRule rule;
  std::uint64_t hits = 0;  ///< messages that it has dropped, failed or delayed
  TypeCounts matched;      ///< messages that it matched
};

}  // namespace ulnet::core
