// Replays one node of a recording. The messages that came to the node go into a core in the
// recorded order, commands are carried out at the recorded time, and the messages that the core
// sends are compared with those that the node sent. For tests only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/lnet/recorded/captures/session.h"
#include "tests/lnet/recorded/discovery/player.h"

namespace ulnet::capture {

class Replay : public Player {
 public:
  /// The node with these NIDs, whose ping info has this sequence number when the recording begins.
  Replay(const std::string& name, std::vector<Nid> own, std::uint32_t sequence);

  /// The node knows a peer, and the peer knows the node, when the recording begins.
  void know(const std::vector<Nid>& nids, std::uint32_t sequence);
  /// Runs `deed` at the node at this time.
  void at(double seconds, std::function<void()> deed);
  /// The command `discover` at this time. Its result is in `results`, in the order of the commands.
  void discover_at(double seconds, const Nid& nid, bool force = false);
  /// Omits recorded messages, for instance a recovery ping with its answer.
  void leave_out(const std::function<bool(const Recorded&)>& which);
  /// Replays everything. `until`: in seconds; later messages are omitted.
  void run(double until = 1e9);

  /// The messages that the node sent, and those that the core has sent, by type, a line for each
  /// message. For a push only the nodes are compared, since it takes any rail (spec/multirail.md
  /// 4.5).
  std::map<std::string, std::vector<std::string>> recorded, sent;
  std::vector<core::test::DiscoverResult> results;

 private:
  struct Deed {
    Duration at{};
    std::function<void()> what;
  };
  bool is_own(const Nid& nid) const;
  void feed(Recorded message);
  void take_sends();

  std::vector<Recorded> messages_;
  std::vector<Deed> deeds_;
  /// The handles of the recorded GETs and PUTs, and those of the GETs and PUTs that the core has
  /// sent instead.
  std::map<std::string, std::vector<wire::WireHandle>> theirs_, ours_;
  std::vector<std::uint64_t> tickets_;
  Duration clock_{};
};

}  // namespace ulnet::capture
