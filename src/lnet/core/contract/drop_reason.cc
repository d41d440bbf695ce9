// Gives the text of each reason for which a message is dropped or refused. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8, 11, 15, spec/multirail.md 4.4, 9.6, 11.2.
#include "lnet/core/contract/drop_reason.h"

#include <iterator>

namespace ulnet::core {

namespace {

/// In the order of the enumerators.
constexpr const char* kTexts[] = {
    "ACK or GET with payload",
    "payload longer than 1 MiB",
    "addressed to another NID of the receiving net",
    "addressed to our NID on another net",
    "NI not (or no longer) configured",
    "to be routed, but routing is off",
    "source NID that no peer can have",
    "simulated failure",
    "asymmetric route",
    "sent by this router, and came back to be routed: routes form a loop",
    "too many answers wait for its sender already",
    "from a stranger, and there are max_peers already",
    "no such portal",
    "no matching buffer",
    "longer than the matching buffer",
    "portal no longer lazy",
    "NI removed",
    "connection lost while the message waited",
    "answer to an earlier incarnation of this node",
    "ACK for an unknown or inactive MD",
    "ACK that nobody waits for",
    "REPLY for an unknown or inactive MD",
    "REPLY that nobody waits for",
    "REPLY longer than its MD",
    "shutting down",
    "waited for credits past its deadline",
    "to be routed, but could not be sent on",
    "fault rule",
    "fault rule, on its way out",
    "a peer's info that cannot be read",
    "a push longer than the buffer for it",
    "a peer's info that grows with each ping",
    "a peer's info older than its latest one",
    "an info without the NID that it came from",
    "a peer's info with a NID of this node",
    "a peer's info with the primary NID of another",
    "a push while discovery is off",
    "a peer's info with more NIDs than max_peers allows",
    "a peer forgotten: idle for peer_idle_timeout",
    "a peer forgotten: a new one took its place",
};
static_assert(std::size(kTexts) == kDropReasons);

}  // namespace

const char* to_string(DropReason reason) {
  return reason < DropReason::kCount ? kTexts[static_cast<std::size_t>(reason)] : "unknown";
}

}  // namespace ulnet::core
