#include "lnet/lnd/sock/engine/report.h"

#include <algorithm>
#include <array>

namespace ulnet::lnd::sock {
namespace {

struct ReportWords {
  Count what;
  Severity severity;
  const char* text;  ///< follows the name of the peer
};

using enum Severity;

/// Counters that are not in this table are reported by name, for debugging.
constexpr auto kReportWords = std::to_array<ReportWords>({
    {Count::kRefusedUnprivileged, kWarning,
     "was refused: its port is above 1023, or nobody is accepted (see `accept`)"},
    {Count::kRefusedIpv6User, kWarning,
     "was refused: an IPv6 peer with a port above 1023 has no identity"},
    {Count::kRefusedCrowded, kWarning,
     "was closed: too many connections have not said who they are"},
    {Count::kRefusedFull, kWarning,
     "was refused: peers have opened as many connections as they may (see `accept_open`), "
     "and none of them is idle"},
    {Count::kRefusedAddressFull, kWarning,
     "was refused: its address has as many connections as one may have (see "
     "`accept_open_per_address`)"},
    {Count::kRefusedAddress, kWarning,
     "was refused: its NID has another address than its connection (see "
     "`peer_address_check`)"},
    {Count::kRefusedNoDescriptor, kError,
     "finds no free descriptor here (raise the limit of open files)"},
    {Count::kRefusedNoMemory, kWarning, "was refused: this process is short of memory"},
    {Count::kRefusedBadRequest, kWarning, "was refused: its connection request is not LNet's"},
    {Count::kRefusedNotMyNid, kWarning, "was refused: it wants a NID that is not this node's"},
    {Count::kRefusedBadHello, kWarning, "was refused: its hello is not acceptable"},
    {Count::kRefusedSilent, kWarning, "was closed: it did not say who it is in time"},
    {Count::kRefusedHungUp, kInfo, "hung up before it said who it is"},
    {Count::kRefusedVersion, kInfo, "was refused: another version of the protocol is needed"},
    {Count::kRefusedStale, kInfo,
     "says another incarnation or version than before: it has to try again"},
    {Count::kDialFailed, kWarning, "could not be connected"},
    {Count::kDialWrongPeer, kWarning, "was dialled, and somebody else answered"},
    {Count::kDialBadHello, kWarning, "was dialled, and did not answer with an acceptable hello"},
    {Count::kClosedMidMessage, kWarning, "broke the connection in the middle of a message"},
    {Count::kClosedSilent, kWarning, "was disconnected: its host does not answer"},
    {Count::kClosedNoProgress, kWarning, "was disconnected: no progress within the time-out"},
    {Count::kClosedNoAck, kWarning, "was disconnected: a zero-copy acknowledgement is missing"},
    {Count::kClosedBadFrame, kWarning, "was disconnected: protocol error, an unknown frame"},
    {Count::kClosedBadHeader, kWarning, "was disconnected: protocol error, a bad LNet header"},
    {Count::kClosedBadChecksum, kWarning, "was disconnected: a wrong checksum"},
    {Count::kClosedBadCookie, kWarning,
     "was disconnected: protocol error, it acknowledged a message that is not outstanding"},
    {Count::kClosedRejected, kWarning, "was disconnected: protocol error, LNet rejected a message"},
    {Count::kTakenOver, kWarning,
     "claims a NID that another address had: another incarnation said hello"},
    {Count::kTakeOverEnded, kWarning,
     "has its NID back: the connections from another address are closed"},
    {Count::kAddressDiffers, kWarning,
     "says a NID with another address than its connection has: another of its addresses, "
     "address translation, or somebody else's NID"},
    {Count::kEvicted, kInfo,
     "was disconnected: it was idle, and another peer needed the connection"},
    {Count::kHoldShort, kWarning,
     "is not read for the time being: no memory is left for payload that is held (see "
     "`memory_budget`)"},
    {Count::kPeersUp, kInfo, "is connected"},
    {Count::kPeersDown, kInfo, "is disconnected"},
    {Count::kAccepted, kDebug, "has connected"},
    {Count::kDialled, kDebug, "is dialled"},
    {Count::kOpened, kDebug, "has said hello: connection open"},
    {Count::kClosed, kDebug, "connection closed"},
});

ReportWords words_of(Count what) {
  const auto* at = std::ranges::find(kReportWords, what, &ReportWords::what);
  return at == kReportWords.end() ? ReportWords{what, kDebug, to_string(what)} : *at;
}

Topic topic_of(Count what) {
  switch (what) {
    case Count::kPeersUp:
    case Count::kPeersDown:
      return Topic::kPeer;
    case Count::kRefusedNoMemory:
    case Count::kHoldShort:
      return Topic::kMemory;
    default:
      return Topic::kConnection;
  }
}

}  // namespace

Severity severity_of(Count what) { return words_of(what).severity; }

std::string to_text(const Report& report) {
  const std::string from = report.remote.to_string();
  std::string line = report.peer.is_any() ? from : report.peer.to_string() + " (" + from + ")";
  line += std::string(" ") + words_of(report.what).text;
  if (*report.detail != '\0') line += std::string(": ") + report.detail;
  if (report.other) line += " (the other address is " + report.other->to_string() + ")";
  return line;
}

lnd::Report general_report(const Report& report) {
  return {.severity = severity_of(report.what),
          .topic = topic_of(report.what),
          .peer = report.peer,
          .key = {.source = nid_at({NetType::kTcp, 0}, report.remote.address),
                  .kind = to_string(report.what)},
          .text = ReportText(report)};
}

}  // namespace ulnet::lnd::sock
