#include "sim/world/trace_text.h"

#include <fmt/format.h>

#include <array>
#include <boost/type_index.hpp>
#include <tuple>
#include <type_traits>
#include <variant>

#include "lnet/core/contract/api.h"
#include "sim/kernel/event_words.h"
#include "sim/kernel/fault_kind.h"
#include "sim/network/streams.h"
#include "sim/world/checker.h"
#include "sim/world/trace_actions.h"

namespace ulnet::sim {
namespace {

constexpr std::array kKinds = {"input",   "call", "does",      "event",  "node", "departs",
                               "arrives", "lost", "duplicate", "stream", "actor"};
static_assert(kKinds.size() == static_cast<std::size_t>(TraceKind::kActor) + 1);
/// The name of the alternative of a variant that has this index: its type without namespaces.
template <class... Types>
std::string type_name(std::type_identity<std::variant<Types...>>, std::size_t index) {
  static const std::array names = {boost::typeindex::type_id<Types>().pretty_name()...};
  return index < names.size() ? names[index].substr(names[index].rfind(':') + 1) : "?";
}
constexpr std::array kMessages = {"ACK", "PUT", "GET", "REPLY", "HELLO", "bytes"};
static_assert(kMessages.size() == static_cast<std::size_t>(wire::MsgType::kHello) + 2);

template <std::size_t kSize>
const char* word(const std::array<const char*, kSize>& words, std::uint64_t index) {
  return index < kSize ? words[index] : "?";
}

const char* action_name(std::uint8_t number) {
  const char* found = "?";
  const auto look = [&](const auto&... action) {
    ((action.number == number ? void(found = action.name) : void()), ...);
  };
  std::apply(look, kTracedActions);
  return found;
}

std::string detail_of(const TraceRecord& r) {
  switch (r.kind) {
    case TraceKind::kInput:
      return type_name(std::type_identity<core::Input>(), r.detail);
    case TraceKind::kCall:
      return type_name(std::type_identity<decltype(core::ApiCall::body)>(), r.detail);
    case TraceKind::kAction:
      return action_name(r.detail);
    case TraceKind::kEvent:
      return word(kEventWords, r.detail);
    case TraceKind::kNode:
      return word(kNodeWords, r.detail);
    case TraceKind::kDepart:
    case TraceKind::kArrive:
      return word(kMessages, r.detail);
    case TraceKind::kLost:
      return word(kLossWords, r.detail);
    case TraceKind::kStream:
      return word(kStreamWords, r.detail);
    case TraceKind::kActor:
      return r.detail < kFaultKinds.size() ? to_string(static_cast<FaultKind>(r.detail)) : "";
    case TraceKind::kDuplicate:
      return "";
  }
  return "?";
}

}  // namespace

std::string to_string(const TraceRecord& r, const std::function<std::string(std::uint32_t)>& name) {
  // Worlds begin at 1000 s (EventQueue::kOrigin).
  const std::int64_t age = r.at.time_since_epoch().count() - 1'000'000'000'000;
  std::string line = fmt::format("[{:6}.{:09}] {:8} {:8} {}", age / 1'000'000'000,
                                 age % 1'000'000'000, r.node == kNoNode ? "" : name(r.node),
                                 word(kKinds, static_cast<std::uint64_t>(r.kind)), detail_of(r));
  const auto status = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (r.kind) {
    case TraceKind::kDepart:
      return line + fmt::format(" to {} message {} of {} bytes",
                                name(static_cast<std::uint32_t>(r.a)), r.b, r.c);
    case TraceKind::kArrive:
      return line + fmt::format(" from {} message {} of {} bytes",
                                name(static_cast<std::uint32_t>(r.a)), r.b, r.c);
    case TraceKind::kLost:
      return line + fmt::format(": message {}", r.b);
    case TraceKind::kDuplicate:
      return line + fmt::format(" {} of message {}", r.b, r.c);
    case TraceKind::kEvent:
      return line + fmt::format(" md {:x} status {} mlength {}{}", r.c, status(r.a), r.b,
                                r.d != 0 ? " unlinked" : "");
    case TraceKind::kCall:
      return line + fmt::format(" status {} {:x} {:x} {:x}", status(r.a), r.b, r.c, r.d);
    case TraceKind::kActor:
      if (r.detail >= kFaultKinds.size()) return line + fmt::format(" {:x} {:x}", r.a, r.b);
      line += r.a != 0 ? " begins" : " ends";
      if (r.b != kNoNode) line += ", to " + name(static_cast<std::uint32_t>(r.b));
      return line;
    case TraceKind::kInput:
    case TraceKind::kAction:
    case TraceKind::kNode:
    case TraceKind::kStream:
      return line + fmt::format(" {:x} {} {:x} {:x}", r.a, status(r.b), r.c, r.d);
  }
  return line;
}

}  // namespace ulnet::sim
