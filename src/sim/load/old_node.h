// A node of other software among the nodes of a world, which exchanges messages with them. Its
// software may be from before multi-rail, or have discovery turned off, and it may be upgraded or
// downgraded while messages flow. Both sides PUT, GET and ping, nodes discover it, and it pushes
// where its software can. The load checks the messages that the old node and the other nodes get;
// an error ends the run as a violation of "load". Source: spec/wire-lnet.md 4 to 6,
// spec/multirail.md 4.
//
//   world.add<OldNode>("old", OldNodeSetup{.nids = {*Nid::parse("10.0.0.9@tcp")}});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/foreign/foreign_node.h"
#include "sim/load/load.h"
#include "ulnet/lnet.hpp"

namespace ulnet::sim {

/// The features of a foreign node's software; later releases have more.
enum class Release : std::uint8_t {
  kDownrev,      ///< does not know multi-rail
  kNoDiscovery,  ///< has multi-rail, and discovery turned off
  kUprev,        ///< has both
};
inline constexpr std::size_t kReleases = 3;
/// "downrev", "no-discovery", "uprev".
const char* to_string(Release release);
std::optional<Release> release_of(std::string_view word);
Behaviour behaviour_of(Release release);

struct OldNodeSetup {
  std::vector<Nid> nids;  ///< no node may have them, nor any other foreign node
  Release release = Release::kDownrev;
  /// The time since the world began after which it stops and starts again as `later`, with these
  /// additional NIDs; 0: never.
  Duration change_at{};
  Release later = Release::kUprev;
  std::vector<Nid> more_nids;
  Duration back_at{};        ///< the time after which it starts again as it was at first; 0: never
  std::uint64_t count = 50;  ///< operations in all
  Duration every = std::chrono::microseconds(1000);  ///< at most, between two operations
  std::uint32_t max_bytes = 4096;                    ///< of a message
  bool operator==(const OldNodeSetup&) const = default;
};

/// Exercised::acts has "old node RELEASE" for each operation that exchanged messages with a node of
/// that release. It has "old node upgraded" or "old node downgraded" for each change with such
/// operations before and after it.
class OldNode final : public Load {
 public:
  /// The old node uses this portal at the nodes, and the nodes use it at the old node.
  OldNode(std::string name, OldNodeSetup setup, Portal portal);
  ~OldNode() override;

  bool done() const override { return begun_ == setup_.count && under_way_ == 0; }
  void take_back(World& world) override;

  void begin(World& world) override;
  void act(World& world) override;
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;

  /// The number of operations that exchanged messages.
  std::uint64_t exchanged() const;
  /// The old node; null while it is down.
  ForeignNode* node() { return node_.get(); }

 private:
  struct Op;
  struct Pusher;
  /// What the old node is from one start to the next.
  struct Incarnation {
    Release release = Release::kDownrev;
    std::vector<Nid> nids;
    std::uint64_t exchanged = 0;
    bool counted = false;  ///< counted as a change
  };
  /// A NID of the old node, and a NID of a node on the same net.
  struct Pair {
    Nid own;
    SimNode* node = nullptr;
    Nid theirs;
  };

  /// The number in its hellos and handles, which is no other node's (spec/wire-lnet.md 2.5): each
  /// old node has a portal of its own, and the numbers of nodes begin with the world's time, 10^12.
  std::uint64_t own_incarnation() const;
  void start(Release release, std::vector<Nid> nids);
  void stop();
  void change_when_due(World& world);
  /// When the load acts next; kNever: it has nothing more to do.
  Instant next_act(const World& world) const;
  std::optional<Pair> draw_pair(World& world);
  void operate(const Pair& pair);
  void ended(Op& op, bool well);
  void exchange(std::size_t incarnation);
  void look_busy();
  void heard(const ForeignNode::Heard& heard);
  void heard_put(const ForeignNode::Heard& heard, const wire::PutPart& put);
  void heard_answer(const ForeignNode::Heard& heard, const wire::WireHandle& handle,
                    std::uint32_t length, bool is_ack);
  void heard_ping_info(const std::vector<std::byte>& payload);
  std::vector<std::byte> answer(const wire::GetPart& get);
  Op* find(std::uint64_t bits);
  bool had_nid(const Nid& nid) const;
  bool ever_advertised_multi_rail() const;
  void wrong(const SimNode* node, const std::string& what);

  const OldNodeSetup setup_;
  const Portal portal_;
  World* world_ = nullptr;
  std::unique_ptr<Pusher> pusher_;
  std::unique_ptr<ForeignNode> node_;  ///< null while it is down
  std::vector<Incarnation> incarnations_;
  std::vector<std::unique_ptr<Op>> ops_;   ///< by their key, which is their match bits; from 1
  std::vector<std::pair<Nid, Nid>> owed_;  ///< pushes that are due: from and to
  std::vector<Nid> pushed_to_;             ///< since the last start
  std::uint64_t begun_ = 0;
  std::uint64_t under_way_ = 0;  ///< operations under way that end at a node
  Instant next_op_{};
  Instant starts_at_ = kNever;  ///< when it starts again; used while it is down for a change
  std::size_t changes_ = 0;     ///< the number of changes begun: to `later`, and back
  bool ending_ = false;
};

}  // namespace ulnet::sim
