#include "sim/world/trace_text.h"

#include <fmt/format.h>

#include <array>
#include <tuple>
#include <variant>

#include "lnet/core/contract/api.h"
#include "sim/kernel/event_words.h"
#include "sim/kernel/fault_kind.h"
#include "sim/network/streams.h"
#include "sim/world/checker.h"
#include "sim/world/trace_actions.h"

namespace ulnet::sim {
namespace {

/// Whether `words` has a word for each value of an enumeration that ends with `last`.
template <class Enum, std::size_t kSize>
constexpr bool is_last(Enum last, const std::array<const char*, kSize>&) {
  return static_cast<std::size_t>(last) + 1 == kSize;
}

constexpr std::array kKinds = {"input",   "call", "does",      "event",  "node", "departs",
                               "arrives", "lost", "duplicate", "stream", "actor"};
static_assert(is_last(TraceKind::kActor, kKinds));
constexpr std::array kInputs = {"HeaderArrived", "PayloadLanded", "ReplyLanded", "SendDone",
                                "PeerUp",        "PeerDown",      "NiState",     "Api",
                                "Config",        "Tick",          "FromShard"};
static_assert(kInputs.size() == std::variant_size_v<core::Input>);
constexpr std::array kCalls = {"Put",
                               "Get",
                               "MeAttach",
                               "MdAttach",
                               "MdBind",
                               "MdUnlink",
                               "Ping",
                               "Discover",
                               "SetLazy",
                               "ClearLazy",
                               "GetId",
                               "Dist",
                               "IsPeerLocal",
                               "HasLocalNet",
                               "LocalPrimaryNid",
                               "PrimaryNid",
                               "FetchNids",
                               "PeerDiscoveryStatus",
                               "GetCounters",
                               "Show",
                               "NextPeers",
                               "NextPeerNis",
                               "NidsOfNoPeer",
                               "ResetStats",
                               "ResetMinima",
                               "Fail",
                               "SetNiHealth",
                               "SetPeerNiHealth",
                               "Shutdown",
                               "ClaimPortal",
                               "PeerDel",
                               "FaultAdd",
                               "FaultDel",
                               "FaultReset",
                               "FaultShow",
                               "ExplainPath",
                               "ShowRecovery",
                               "PeerAdd",
                               "DeclarePeer",
                               "PeerDiscovered",
                               "SetPeerState",
                               "SetPeersHealth",
                               "ShowRoutes",
                               "ShowRouting",
                               "NotifyPeer"};
static_assert(kCalls.size() == std::variant_size_v<decltype(core::ApiCall::body)>);
constexpr std::array kMessages = {"ACK", "PUT", "GET", "REPLY", "HELLO", "bytes"};
static_assert(kMessages.size() == static_cast<std::size_t>(wire::MsgType::kHello) + 2);
constexpr std::array kLosses = {"chance", "cut", "interface down", "nobody there",
                                "another incarnation"};
static_assert(is_last(WireLoss::kOtherIncarnation, kLosses));
constexpr std::array kStreams = {"dialled",  "connected", "refused", "dial timed out",
                                 "accepted", "ended",     "reset",   "closed"};
static_assert(is_last(StreamChange::kClosed, kStreams));
constexpr std::array kNodes = {"started", "configured", "paused", "resumed",
                               "crashed", "stopping",   "stopped"};
static_assert(is_last(NodeChange::kStopped, kNodes));

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

const char* detail_of(const TraceRecord& r) {
  switch (r.kind) {
    case TraceKind::kInput:
      return word(kInputs, r.detail);
    case TraceKind::kCall:
      return word(kCalls, r.detail);
    case TraceKind::kAction:
      return action_name(r.detail);
    case TraceKind::kEvent:
      return word(kEventWords, r.detail);
    case TraceKind::kNode:
      return word(kNodes, r.detail);
    case TraceKind::kDepart:
    case TraceKind::kArrive:
      return word(kMessages, r.detail);
    case TraceKind::kLost:
      return word(kLosses, r.detail);
    case TraceKind::kStream:
      return word(kStreams, r.detail);
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
