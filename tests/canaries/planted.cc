#include "planted.h"

#include "sim/scenario/draw.h"
#include "tools/sim/swarm.h"

namespace ulnet::sim {
namespace {

using canary::Bug;

constexpr Planted kPlanted[] = {
    {Bug::kCreditLeaked, "CreditLeaked", "core/flow/transmission.cc",
     "a cancelled send keeps its NI credit", "credits conserved", 200},
    {Bug::kPeerCreditTwice, "PeerCreditTwice", "core/flow/transmission.cc",
     "a send to nobody returns the peer's credit twice", "credits conserved", 200},
    {Bug::kAckTwice, "AckTwice", "core/flow/landing.cc", "a PUT that was cut is acknowledged twice",
     "answers once", 200},
    {Bug::kLastEventLost, "LastEventLost", "core/flow/operation.h",
     "the last event of an MD unlinked while busy is not told", "events once", 200},
    {Bug::kUnlinkedTooEarly, "UnlinkedTooEarly", "core/flow/operation.h",
     "an event says `unlinked` while operations are in flight", "events once", 200},
    {Bug::kOldIncarnationBelieved, "OldIncarnationBelieved", "core/flow/incoming_response.cc",
     "an ACK for an earlier incarnation of the node is taken", "nothing after the end", 600},
    {Bug::kLazyForgotten, "LazyForgotten", "core/flow/portal_home.cc",
     "a buffer is not offered to those behind one that it does not fit", "lazy portals served",
     200},
    {Bug::kTooLongTaken, "TooLongTaken", "core/memory/match.cc",
     "a message is cut where TRUNCATE is not set", "right match entry", 200},
    {Bug::kInsertedAtTail, "InsertedAtTail", "core/memory/match.cc",
     "an entry that asks for the head of its list is put at the tail", "right match entry", 200},
    {Bug::kIgnoreBitsForgotten, "IgnoreBitsForgotten", "core/memory/match.cc",
     "entries with ignore bits are passed over", "right match entry", 200},
    {Bug::kRingTooLate, "RingTooLate", "core/memory/md.h",
     "a ring unlinks itself one message too late", "MD limits", 200},
    {Bug::kDropUncounted, "DropUncounted", "core/flow/landing.cc",
     "a lazy message that is too long is dropped uncounted", "drops counted", 200},
    {Bug::kDeadlineForgotten, "DeadlineForgotten", "core/flow/start_request.cc",
     "a GET's answer has no deadline", "ends in time", 200},
    {Bug::kDropEndsNothing, "DropEndsNothing", "lnd/transfers.cc",
     "the Send of a message without payload does not end", "driver contract", 200},
    {Bug::kSendEndsTwice, "SendEndsTwice", "lnd/transfers.cc",
     "the Send of a message without payload ends twice", "driver contract", 200},
    {Bug::kTakenAfterShutdown, "TakenAfterShutdown", "core/flow/arrival.cc",
     "an NI that drains takes messages", "nothing after the end", 600},
    {Bug::kOwnMdLeft, "OwnMdLeft", "core/flow/portal0.cc",
     "shutdown forgets an MD of the node's own", "memory returned", 200},
    {Bug::kAbortedStaysWithDriver, "AbortedStaysWithDriver", "core/flow/cancel.cc",
     "a GET of an MD that is given up is not cancelled (a bug that the swarm found)",
     "ends in time", 200},
    {Bug::kRaceLostTwice, "RaceLostTwice", "lnd/sock/engine/engine_greet.cc",
     "both sides refuse the other's connection", "nothing fails", 600},
    {Bug::kWrongCookie, "WrongCookie", "lnd/sock/engine/engine_receive.cc",
     "a zero-copy ACK names another cookie", "TCP talk sound", 200},
    {Bug::kAckForgotten, "AckForgotten", "lnd/sock/engine/engine_receive.cc",
     "a message that is not wanted gets no zero-copy ACK", "TCP talk sound", 200},
    {Bug::kOneConnectionMore, "OneConnectionMore", "lnd/sock/engine/engine_greet.cc",
     "a peer may have one connection too many of a type", "TCP driver sound", 600},
    {Bug::kTwoLivesAtOnce, "TwoLivesAtOnce", "lnd/sock/engine/engine_greet.cc",
     "a dial that reaches a later life leaves the earlier one's connections open",
     "TCP driver sound", 600},
    {Bug::kOldLifeAtOtherAddress, "OldLifeAtOtherAddress", "lnd/sock/engine/engine_greet.cc",
     "a hello of another life leaves the connections with other addresses open", "TCP driver sound",
     600},
    {Bug::kIdlePeersStay, "IdlePeersStay", "core/flow/idle_peers.cc",
     "after its first round nobody looks for idle peers any more", "peers go", 600},
    {Bug::kStrangersUnbounded, "StrangersUnbounded", "core/flow/idle_peers.cc",
     "strangers' messages make any number of peers", "peers go", 600},
    {Bug::kHeldCountedShort, "HeldCountedShort", "lnd/sock/engine/engine_room.cc",
     "payload that is held counts as one byte of the node's memory", "room kept", 600},
    {Bug::kEveryConnectionAdmitted, "EveryConnectionAdmitted", "lnd/sock/engine/engine_room.cc",
     "a connection opens though peers have opened as many as they may", "room kept", 600},
    {Bug::kWritingIsProgress, "WritingIsProgress", "lnd/sock/engine/engine_send.cc",
     "what is written counts as progress though nothing is acknowledged", "TCP progress", 600},
    {Bug::kRemoteMdForgotten, "RemoteMdForgotten", "core/flow/operation.cc",
     "an MD unlinks at once though another shard's message is landing in it", "memory lent", 600},
    {Bug::kInitiatorUntold, "InitiatorUntold", "core/memory/event.cc",
     "the event of a PUT does not say who asked", "event fields", 200},
    {Bug::kAckBitsUntold, "AckBitsUntold", "core/memory/event.cc",
     "the event of an ACK has no match bits", "event fields", 200},
    {Bug::kPeerUncounted, "PeerUncounted", "core/flow/arrival.cc",
     "a peer does not count what comes from it", "traffic counted", 200},
    {Bug::kLengthUncounted, "LengthUncounted", "core/flow/accounting.cc",
     "the payload of a dropped message is not counted", "traffic counted", 200},
    {Bug::kLandsTooEarly, "LandsTooEarly", "core/flow/landing.cc",
     "a payload lands one byte before its place", "load", 200},
    {Bug::kStagedCutShort, "StagedCutShort", "lnd/sock/engine/engine_receive.cc",
     "the last byte of a payload that waited is not copied to where it belongs", "load", 600},
    {Bug::kTurnStands, "TurnStands", "core/flow/portal_home.cc",
     "a portal's home begins with the same partition every time", "buffers in turn", 200},
    {Bug::kEntryLeft, "EntryLeft", "core/flow/peers.cc",
     "a peer that no message reached keeps its entry", "peers were met", 200},
    {Bug::kLastComeFirstServed, "LastComeFirstServed", "core/path/credit.h",
     "of those that wait for a credit the last is served first", "credits in turn", 200},
    {Bug::kNiCreditFirst, "NiCreditFirst", "core/flow/submit.cc",
     "a message takes its NI's credit before its peer's", "credits in turn", 200},
    {Bug::kFirstGoesLast, "FirstGoesLast", "lnd/sock/engine/engine_send.cc",
     "of messages that waited for a connection the first is written last", "order kept", 200},
    {Bug::kHeldBeforeOthers, "HeldBeforeOthers", "core/flow/portal_home.cc",
     "what comes to a lazy portal queues before those that wait", "lazy portals served", 200},
    {Bug::kDroppedAsPut, "DroppedAsPut", "core/flow/accounting.cc",
     "whatever is dropped is counted as a PUT", "drops by type", 200},
    {Bug::kExpiryNotCharged, "ExpiryNotCharged", "core/flow/transmission.cc",
     "a peer does not count what waited too long for its credit", "drops by type", 600},
    {Bug::kSequenceStands, "SequenceStands", "core/flow/portal0.cc",
     "the ping info changes and its sequence number does not", "ping info true", 200},
    {Bug::kPeersUntold, "PeersUntold", "core/flow/peer_cards.cc",
     "the NIDs that a peer pushed are not told to the other partitions", "ping info true", 200},
    {Bug::kNotSearchedAgain, "NotSearchedAgain", "core/flow/portal_home.cc",
     "what waits is not searched again when its peer's NIDs are learnt", "lazy portals served",
     600},
    {Bug::kReturnedLost, "ReturnedLost", "core/flow/transmission.cc",
     "a message that failed in another shard does not come back", "sent again as allowed", 200},
    {Bug::kOneTryTooMany, "OneTryTooMany", "core/flow/transmission.cc",
     "a message is sent again once more than retry_count", "sent again as allowed", 200},
    {Bug::kBegunSentAgain, "BegunSentAgain", "core/flow/transmission.cc",
     "a message is sent again whatever it failed for, though it was begun", "sent again as allowed",
     200},
    {Bug::kHealthUntold, "HealthUntold", "core/flow/ni_health.cc",
     "the health of an NI is not told to the other partitions", "partitions agree on health", 600},
    {Bug::kSecondSource, "SecondSource", "core/flow/submit.cc",
     "a peer without multi-rail sees several NIs", "one source for a peer", 200},
    {Bug::kCardKept, "CardKept", "core/flow/peer_cards.cc",
     "a partition believes the card of a NID for ever that is its peer's no more", "ping info true",
     1500},
    {Bug::kForeignGate, "ForeignGate", "core/flow/transmission.cc",
     "a message takes the credit of a peer NI in the partition where it begins", "peers were met",
     200},
    {Bug::kDiscoveryUnheeded, "DiscoveryUnheeded", "core/flow/waiting_for_path.cc",
     "a message that waits for a discovery does not go on when it ends", "ends in time", 200},
    {Bug::kHealthRaisedTwice, "HealthRaisedTwice", "core/flow/accounting.cc",
     "a message that comes from a peer NI in recovery raises its health twice", "recovery pings",
     200},
    {Bug::kDiscoveryUntold, "DiscoveryUntold", "core/flow/discovery.cc",
     "who waits for a discovery is not told of its end", "ends in time", 200},
    {Bug::kWithdrawnUsed, "WithdrawnUsed", "core/path/peer.cc",
     "a partition goes on using a NID that its peer has withdrawn", "card heeded", 600},
    {Bug::kPushedForEver, "PushedForEver", "core/flow/discovery.cc",
     "a push that was acknowledged is sent again, and again", "discovery bounded", 200},
    {Bug::kAckedStands, "AckedStands", "core/flow/discovery.cc",
     "what a peer acknowledged before it restarted counts on", "peers agree", 600},
    {Bug::kMovedCardKept, "MovedCardKept", "core/flow/peer_cards.cc",
     "a NID whose peer goes by another primary NID keeps its card", "ping info true", 600},
    {Bug::kPathTurnStands, "PathTurnStands", "core/path/select.cc",
     "the path that was chosen in turn does not go to the end of the line", "best path", 200},
    {Bug::kPeerHealthIgnored, "PeerHealthIgnored", "core/path/select_steps.cc",
     "a NID of a peer is chosen without a look at its health", "best path", 600},
    {Bug::kRouterCreditKept, "RouterCreditKept", "core/flow/forwarded.cc",
     "a message that could not be sent on keeps its router credit", "credits conserved", 200},
    {Bug::kRouterCreditMore, "RouterCreditMore", "core/flow/forward.cc",
     "a peer NI has a router credit more than configured", "router credits", 600},
    {Bug::kBufferKept, "BufferKept", "core/flow/forwarded.cc",
     "a message that could not be sent on keeps its buffer", "router buffers", 200},
    {Bug::kBufferTooSoon, "BufferTooSoon", "core/flow/forward.cc",
     "a buffer is given back before its message has left", "router buffers", 200},
    {Bug::kRoutedCutShort, "RoutedCutShort", "core/flow/forward.cc",
     "the last byte of a forwarded payload is not taken in", "forwarded once", 200},
    {Bug::kRouteLengthUncounted, "RouteLengthUncounted", "core/flow/forwarded.cc",
     "the payload of a forwarded message is not counted", "traffic counted", 200},
    {Bug::kSentBack, "SentBack", "core/path/select_route.cc",
     "a message goes back to the router that it came from", "no loop", 600},
    {Bug::kHopsIgnored, "HopsIgnored", "core/path/select_route.cc",
     "a route is chosen without a look at its hops", "best path", 200},
    {Bug::kAnswerByAnyRouter, "AnswerByAnyRouter", "core/path/select.cc",
     "an answer goes by whichever router, not by that of its request", "answers once", 600},
    {Bug::kNetRatedByItsDeadNi, "NetRatedByItsDeadNi", "core/path/select_steps.cc",
     "a net is rated by an NI that has failed", "failed NI avoided", 600},
};

}  // namespace

std::span<const Planted> planted_bugs() { return kPlanted; }

Hunt hunt(const Planted& planted, std::uint64_t first, std::uint64_t most) {
  tools::SwarmCommand command;
  command.first = first;
  command.stop_after = 1;
  while (*command.first < first + most) {
    command.seeds = first + most - *command.first;
    canary::planted = planted.bug;
    const tools::SwarmResult result = tools::run_swarm(command, [](std::uint64_t seed) {
      const Scenario scenario = draw_scenario(seed);
      return Run(scenario).go();
    });
    canary::planted = Bug::kNone;
    if (result.failures.empty()) break;
    command.first = result.failures.front().seed + 1;
    const Report& report = result.failures.front().report;
    if (report.checker == planted.checker) return {*command.first - first, report.what};
  }
  return {};
}

}  // namespace ulnet::sim
