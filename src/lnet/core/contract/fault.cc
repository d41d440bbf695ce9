// Reads the parts of fault rules from text, and checks and completes a rule. Source:
// spec/multirail.md 11.1 to 11.3, spec/cli-lnetctl.md 3.15.
#include "lnet/core/contract/fault.h"

#include <fmt/format.h>

#include <array>

#include "lnet/base/limits.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::core {

namespace {

/// Indexed by the number of Health; 0 is a random error.
constexpr std::array kErrorNames = {"random",         "local_interrupt", "local_dropped",
                                    "local_aborted",  "local_no_route",  "local_timeout",
                                    "local_error",    "remote_dropped",  "remote_error",
                                    "remote_timeout", "network_timeout"};
static_assert(kErrorNames.size() == kFaultErrors);
static_assert(static_cast<std::size_t>(Health::kNetworkTimeout) + 1 == kFaultErrors);

/// Indexed by the number of wire::MsgType.
constexpr std::array kMessageNames = {"ACK", "PUT", "GET", "REPLY"};
static_assert(static_cast<std::size_t>(wire::MsgType::kReply) + 1 == kMessageNames.size());

bool same_letters(std::string_view text, std::string_view capitals) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  if (text.size() != capitals.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (upper(text[i]) != capitals[i]) return false;
  return true;
}

const char* trouble_of_drop(const FaultRule& rule) {
  if (rule.latency != 0) return "a drop rule has no latency";
  if (rule.random && rule.interval == 0) return "please provide an interval to randomize";
  if (rule.errors >> kFaultErrors != 0) return "unknown health error";
  return nullptr;
}

const char* trouble_of_delay(const FaultRule& rule) {
  if (rule.latency == 0) return "latency cannot be zero";
  if (rule.errors != 0 || rule.random || rule.drop_all)
    return "health errors, random and drop_all are of drop rules";
  return nullptr;
}

/// Why the rule is invalid; null: it is valid.
const char* trouble_of(const FaultRule& rule) {
  const bool drop = rule.kind == FaultRule::Kind::kDrop;
  if ((rule.rate == 0) == (rule.interval == 0))
    return drop ? "please provide either drop rate or interval but not both at the same time."
                : "please provide either delay rate or interval but not both at the same time.";
  if (const char* const text = drop ? trouble_of_drop(rule) : trouble_of_delay(rule)) return text;
  if (rule.interval > limits::kFaultSecondsMax || rule.latency > limits::kFaultSecondsMax)
    return "an interval or a latency is too long";
  if (rule.messages == 0) return "no message can match: portals are of PUT and GET";
  if ((rule.messages & ~kFaultAllMessages) != 0) return "unknown message type";
  return nullptr;
}

}  // namespace

Result<FaultNids> FaultNids::parse(std::string_view text) {
  const auto invalid = [&] { return fail(-EINVAL, fmt::format("Invalid NID: {}", text)); };
  if (text == "*") return FaultNids{};
  FaultNids nids;
  if (text.starts_with("*@")) {
    const auto net = NetId::parse(text.substr(2));
    if (!net || net->is_any()) return invalid();
    nids.net = *net;
    return nids;
  }
  const auto nid = Nid::parse(text);
  if (!nid || nid->is_any()) return invalid();
  nids.nid = *nid;
  nids.net = nid->net();
  return nids;
}

std::string FaultNids::to_string() const {
  if (!nid.is_any()) return nid.to_string();
  return net.is_any() ? "*" : "*@" + net.to_string();
}

const char* to_string(FaultRule::Kind kind) {
  return kind == FaultRule::Kind::kDrop ? "drop" : "delay";
}

Result<FaultRule> settled(FaultRule rule) {
  if (rule.messages == 0) rule.messages = kFaultAllMessages;
  if (rule.portals != 0) rule.messages &= kFaultPut | kFaultGet;
  if (const char* const trouble = trouble_of(rule)) return fail(-EINVAL, trouble);
  return rule;
}

std::uint32_t fault_error_bit(std::string_view name) {
  for (std::uint32_t number = 0; number < kFaultErrors; ++number)
    if (name == kErrorNames[number]) return 1U << number;
  return 0;
}

std::uint32_t fault_message_bit(std::string_view name) {
  for (std::uint32_t type = 0; type < kMessageNames.size(); ++type)
    if (same_letters(name, kMessageNames[type])) return 1U << type;
  return 0;
}

}  // namespace ulnet::core
