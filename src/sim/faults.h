// What goes wrong in a world, by chance: one actor per kind. Each waits, breaks one thing, mends it
// after a while, and waits again; it draws from a generator of its own, so that adding a kind
// changes nothing about the others. In wind_down() it mends what it broke and breaks nothing more.
// Source: DESIGN.md 6.
//
//   for (FaultKind kind : kFaultKinds) world.add_actor(make_fault(kind));
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/actor.h"
#include "sim/wire_model.h"

namespace ulnet::sim {

enum class FaultKind : std::uint8_t {
  kLoss,         ///< one direction loses messages; what streams lose comes late
  kDuplication,  ///< messages come twice (pipe edges)
  kReordering,   ///< messages are overtaken (pipe edges)
  kClog,         ///< nothing moves in one direction, nothing is lost
  kPartition,    ///< one direction is cut: what is on it is lost, streams stand still
  kInterface,    ///< an interface goes down, and its node is told
  kCrash,        ///< a process dies, silently or not, and comes back
  kPause,        ///< a process stands still
  kReset,        ///< a stream is reset at both ends (sock edges; mended by its users)
  kHalfOpen,     ///< one end of a stream goes and the other is not told (sock edges)
  kStall,        ///< one direction of one stream stands still (sock edges)
  kNoRoute,      ///< a machine knows no way to another
  kNonsense,     ///< a stranger speaks nonsense to a node (sock edges); mended by hanging up
  kTakeOver,     ///< a stranger says hello to a node with another's NID (sock edges); as above
  kPeerDel,      ///< a node's administrator deletes its entry of another; stays deleted
};
inline constexpr std::array kFaultKinds = {
    FaultKind::kLoss,      FaultKind::kDuplication, FaultKind::kReordering, FaultKind::kClog,
    FaultKind::kPartition, FaultKind::kInterface,   FaultKind::kCrash,      FaultKind::kPause,
    FaultKind::kReset,     FaultKind::kHalfOpen,    FaultKind::kStall,      FaultKind::kNoRoute,
    FaultKind::kNonsense,  FaultKind::kTakeOver,    FaultKind::kPeerDel};
/// One word, as scenarios and tables write it: "loss", "half-open".
const char* to_string(FaultKind kind);
std::optional<FaultKind> fault_kind(std::string_view word);

/// `peer del` at `node` of every NID of `other`. False: none went, because the node is not up,
/// knows none of them, or has messages of all under way.
bool delete_peer(SimNode& node, const SimNode& other);

struct FaultPace {
  Duration every = std::chrono::seconds(2);         ///< between two, on average
  Duration lasts = std::chrono::milliseconds(500);  ///< at most; for those that last
  std::uint32_t ppm = 100'000;  ///< loss, duplication, reordering: of a million messages
};

/// Counted in Exercised::acts as "fault WORD". In the trace: TraceKind::kActor, detail: the kind,
/// node: whom it hits, a: 1 breaks, 0 mends, b: the other node where there is one.
class Fault : public Actor {
 public:
  Fault(std::string name, FaultKind kind, const FaultPace& pace)
      : Actor(std::move(name)), kind_(kind), pace_(pace) {}

  FaultKind kind() const { return kind_; }
  /// Something is broken now.
  bool broken() const { return broken_; }

  void begin(World& world) final { wait(world); }
  void act(World& world) final;
  void wind_down(World& world) final;

 protected:
  /// Chooses what to break and breaks it. False: there was nothing to break.
  virtual bool strike(World& world) = 0;
  virtual void mend(World& world) = 0;
  /// Breaks for an instant only: nothing to mend.
  virtual bool momentary() const { return false; }

  const FaultPace& pace() const { return pace_; }
  Duration up_to(Duration most);
  SimNode& any_node(World& world);
  /// Of one of its NIs; it must have one.
  Place any_place(const SimNode& node);
  /// Two nodes, not the same one; null in a world with fewer.
  std::pair<SimNode*, SimNode*> two_nodes(World& world);
  void say(World& world, const SimNode& node, bool breaks, const SimNode* other = nullptr);

 private:
  void wait(World& world);
  void repair(World& world);

  const FaultKind kind_;
  const FaultPace pace_;
  bool broken_ = false;
  bool over_ = false;
};

/// `name` empty: "fault/WORD". Two of a kind in one world need two names.
std::unique_ptr<Fault> make_fault(FaultKind kind, const FaultPace& pace = {},
                                  std::string name = {});

}  // namespace ulnet::sim
