// A node of other software among the nodes of a world, which exchanges messages with them: it may
// be from before multi-rail, or have discovery turned off, and it may be upgraded or downgraded
// while messages flow. Both sides PUT, GET and ping, nodes discover it, and it pushes where its
// software can. The load checks what it hears and what nodes hear of it; an error ends the run as a
// violation of "load". Source: spec/wire-lnet.md 4 to 6, spec/multirail.md 4.
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

/// What the software of a foreign node can do; later ones can do more.
enum class Release : std::uint8_t {
  kDownrev,      ///< knows nothing of multi-rail
  kNoDiscovery,  ///< has multi-rail, and discovery turned off
  kUprev,        ///< has both
};
inline constexpr std::size_t kReleases = 3;
/// "downrev", "no-discovery", "uprev".
const char* to_string(Release release);
std::optional<Release> release_of(std::string_view word);
Habits habits_of(Release release);

struct OldNodeSetup {
  std::vector<Nid> nids;  ///< no node may have them, nor another foreign node
  Release release = Release::kDownrev;
  /// When it ends and begins again with `later` and with these NIDs more, since the world began; 0:
  /// never.
  Duration change_at{};
  Release later = Release::kUprev;
  std::vector<Nid> more_nids;
  Duration back_at{};        ///< ... and then again as it was at first; 0: never
  std::uint64_t count = 50;  ///< operations in all
  Duration every = std::chrono::microseconds(1000);  ///< at most, between two
  std::uint32_t max_bytes = 4096;                    ///< of a message
  bool operator==(const OldNodeSetup&) const = default;
};

/// Exercised::acts has "old node RELEASE" for each operation by which messages were exchanged with
/// a node of that release, and "old node upgraded" or "old node downgraded" for each change before
/// and after which there were some.
class OldNode final : public Load {
 public:
  /// It uses this portal at the nodes, and they at it.
  OldNode(std::string name, OldNodeSetup setup, Portal portal);
  ~OldNode() override;

  bool done() const override { return begun_ == setup_.count && under_way_ == 0; }
  void take_back(World& world) override;

  void begin(World& world) override;
  void act(World& world) override;
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;

  /// Of the operations those by which messages were exchanged.
  std::uint64_t exchanged() const;
  /// Null while it is down.
  ForeignNode* node() { return node_.get(); }

 private:
  struct Op;
  struct Pusher;
  /// What it is from a start on.
  struct Life {
    Release release = Release::kDownrev;
    std::vector<Nid> nids;
    std::uint64_t exchanged = 0;
    bool counted = false;  ///< as a change
  };
  /// A NID of this node, and one of a node on the same net.
  struct Pair {
    Nid own;
    SimNode* node = nullptr;
    Nid theirs;
  };

  void start(Release release, std::vector<Nid> nids);
  void stop();
  void change_when_due(World& world);
  /// kNever: it has nothing to do any more.
  Instant next_act(const World& world) const;
  std::optional<Pair> draw_pair(World& world);
  void operate(const Pair& pair);
  void ended(Op& op, bool well);
  void exchange(std::size_t life);
  void look_busy();
  void heard(const ForeignNode::Heard& heard);
  void heard_put(const ForeignNode::Heard& heard, const wire::PutPart& put);
  void heard_answer(const ForeignNode::Heard& heard, const wire::WireHandle& handle,
                    std::uint32_t length, bool is_ack);
  void heard_ping_info(const std::vector<std::byte>& payload);
  std::vector<std::byte> answer(const wire::GetPart& get);
  Op* find(std::uint64_t bits);
  bool was_mine(const Nid& nid) const;
  bool ever_told_multi_rail() const;
  void wrong(const SimNode* node, const std::string& what);

  const OldNodeSetup setup_;
  const Portal portal_;
  World* world_ = nullptr;
  std::unique_ptr<Pusher> pusher_;
  std::unique_ptr<ForeignNode> node_;  ///< null while it is down
  std::vector<Life> lives_;
  std::vector<std::unique_ptr<Op>> ops_;   ///< by their key, which is their match bits; from 1 on
  std::vector<std::pair<Nid, Nid>> owed_;  ///< pushes, from and to
  std::vector<Nid> pushed_to_;             ///< in this life
  std::uint64_t begun_ = 0;
  std::uint64_t under_way_ = 0;  ///< those that end at a node
  Instant next_op_{};
  Instant starts_at_ = kNever;  ///< when it is down for a change
  std::size_t changes_ = 0;     ///< that were begun: to `later`, and back
  bool ending_ = false;
};

}  // namespace ulnet::sim
