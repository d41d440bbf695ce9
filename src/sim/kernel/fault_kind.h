// The kinds of random faults of a world (network/faults.h). Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ulnet::sim {

enum class FaultKind : std::uint8_t {
  kLoss,         ///< one direction loses messages; lost pieces of streams arrive late
  kDuplication,  ///< messages arrive twice (pipe driver)
  kReordering,   ///< messages arrive out of order (pipe driver)
  kClog,         ///< one direction delivers nothing until the fault ends; it loses nothing
  kPartition,    ///< one direction is cut: messages on it are lost, streams wait
  kInterface,    ///< an interface goes down, and its node gets NiState
  kCrash,        ///< a process dies, with or without a notification to its peers, and starts again
  kPause,        ///< a process is paused
  kReset,        ///< both ends of a stream get ECONNRESET (sock driver); its users reconnect
  kHalfOpen,     ///< one end of a stream fails and the other end is not notified (sock driver)
  kStall,        ///< one direction of one stream delivers nothing (sock driver)
  kNoRoute,      ///< a machine has no route to another
  kNonsense,     ///< a hostile peer sends malformed bytes to a node (sock driver), then hangs up
  kTakeOver,     ///< a hostile peer sends a node hellos with another's NID (sock), then hangs up
  /// An administrator deletes a node's peer entry of another node; nothing is restored afterwards.
  kPeerDel,
  kNiDel,      ///< an administrator deletes one of a node's several NIs, and adds it again
  kNiAdd,      ///< an administrator adds an NI to a node on its first net, and deletes it again
  kNetDel,     ///< an administrator deletes one of a node's several nets, and adds it again
  kDiscovery,  ///< an administrator turns a node's discovery off or on, and back again
  kLies,       ///< a hostile peer pushes false ping infos to a node (sock driver), then hangs up
};
inline constexpr std::array kFaultKinds = {
    FaultKind::kLoss,      FaultKind::kDuplication, FaultKind::kReordering, FaultKind::kClog,
    FaultKind::kPartition, FaultKind::kInterface,   FaultKind::kCrash,      FaultKind::kPause,
    FaultKind::kReset,     FaultKind::kHalfOpen,    FaultKind::kStall,      FaultKind::kNoRoute,
    FaultKind::kNonsense,  FaultKind::kTakeOver,    FaultKind::kPeerDel,    FaultKind::kNiDel,
    FaultKind::kNiAdd,     FaultKind::kNetDel,      FaultKind::kDiscovery,  FaultKind::kLies};
/// The kind in one word, as scenarios and tables write it: "loss", "half-open".
const char* to_string(FaultKind kind);
std::optional<FaultKind> fault_kind(std::string_view word);

}  // namespace ulnet::sim
