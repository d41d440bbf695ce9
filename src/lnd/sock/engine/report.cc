#include "lnd/sock/engine/report.h"

namespace ulnet::lnd::sock {
namespace {

struct Words {
  Severity severity = Severity::kDebug;
  const char* text = "";  ///< follows the name of the peer
};

Words words_of(Count what) {
  using enum Severity;
  switch (what) {
    case Count::kRefusedUnprivileged:
      return {kWarning,
              "was refused: its port is above 1023, or nobody is accepted (see `accept`)"};
    case Count::kRefusedIpv6User:
      return {kWarning, "was refused: an IPv6 peer with a port above 1023 has no identity"};
    case Count::kRefusedCrowded:
      return {kWarning, "was closed to make room: too many connections have not said who they are"};
    case Count::kRefusedFull:
      return {kWarning,
              "was refused: peers have opened as many connections as they may (see `accept_open`), "
              "and none of them is idle"};
    case Count::kRefusedAddressFull:
      return {kWarning,
              "was refused: its address has as many connections as one may have (see "
              "`accept_open_per_address`)"};
    case Count::kRefusedAddress:
      return {kWarning,
              "was refused: its NID has another address than its connection (see "
              "`peer_address_check`)"};
    case Count::kRefusedNoDescriptor:
      return {kError, "finds no free descriptor here (raise the limit of open files)"};
    case Count::kRefusedBadRequest:
      return {kWarning, "was refused: its connection request is not LNet's"};
    case Count::kRefusedNotMyNid:
      return {kWarning, "was refused: it wants a NID that is not this node's"};
    case Count::kRefusedBadHello:
      return {kWarning, "was refused: its hello is not acceptable"};
    case Count::kRefusedSilent:
      return {kWarning, "was closed: it did not say who it is in time"};
    case Count::kRefusedHungUp:
      return {kInfo, "hung up before it said who it is"};
    case Count::kRefusedVersion:
      return {kInfo, "was refused: another version of the protocol is needed"};
    case Count::kRefusedStale:
      return {kInfo, "says another incarnation or version than before: it has to try again"};
    case Count::kDialFailed:
      return {kWarning, "could not be connected"};
    case Count::kDialWrongPeer:
      return {kWarning, "was dialled, and somebody else answered"};
    case Count::kDialBadHello:
      return {kWarning, "was dialled, and did not answer with an acceptable hello"};
    case Count::kClosedMidMessage:
      return {kWarning, "broke the connection in the middle of a message"};
    case Count::kClosedNoProgress:
      return {kWarning, "was disconnected: no progress within the time-out"};
    case Count::kClosedNoAck:
      return {kWarning, "was disconnected: a zero-copy acknowledgement is missing"};
    case Count::kClosedBadFrame:
      return {kWarning, "was disconnected: protocol error, an unknown frame"};
    case Count::kClosedBadHeader:
      return {kWarning, "was disconnected: protocol error, a bad LNet header"};
    case Count::kClosedBadChecksum:
      return {kWarning, "was disconnected: a wrong checksum"};
    case Count::kClosedBadCookie:
      return {kWarning,
              "was disconnected: protocol error, it acknowledged what is not outstanding"};
    case Count::kClosedRejected:
      return {kWarning, "was disconnected: protocol error, LNet rejected a message"};
    case Count::kTakenOver:
      return {kWarning, "claims a NID that another address had: another incarnation said hello"};
    case Count::kTakeOverEnded:
      return {kWarning, "has its NID back: the connections from another address are closed"};
    case Count::kAddressDiffers:
      return {kWarning,
              "says a NID with another address than its connection has: another of its addresses, "
              "address translation, or somebody else's NID"};
    case Count::kEvicted:
      return {kInfo, "was disconnected: it was idle, and another peer needed the connection"};
    case Count::kHoldShort:
      return {kWarning,
              "is not read for the time being: no memory is left for payload that is held (see "
              "`memory_budget`)"};
    case Count::kPeersUp:
      return {kInfo, "is connected"};
    case Count::kPeersDown:
      return {kInfo, "is disconnected"};
    case Count::kAccepted:
      return {kDebug, "has connected"};
    case Count::kDialled:
      return {kDebug, "is dialled"};
    case Count::kOpened:
      return {kDebug, "has said hello: connection open"};
    case Count::kClosed:
      return {kDebug, "connection closed"};
    default:
      return {kDebug, to_string(what)};
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

}  // namespace ulnet::lnd::sock
