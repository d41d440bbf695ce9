// Random faults of a world: one actor per kind. Each waits, breaks one thing, restores it after a
// while, and waits again. Each actor draws from its own generator, so that adding a kind does not
// change when the other kinds strike. In wind_down() an actor restores what it broke and breaks
// nothing more. Where it cannot restore it yet (a node is paused, an NI has not ended), the actor
// tries again later, and after wind_down() it is busy until then. Source: DESIGN.md 6.
//
//   for (FaultKind kind : kFaultKinds) world.add_actor(make_fault(kind));
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/kernel/fault_kind.h"
#include "sim/network/wire_model.h"
#include "sim/world/actor.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// `peer del` at `node` of every NID of `other`. False: nothing was deleted, because the node is
/// not up, knows none of the NIDs, or has messages under way to all of them.
bool delete_peer(SimNode& node, const SimNode& other);
/// `net del` at `node` of its last NI; returns the setup of that NI. Nothing: the node is not up or
/// has no other NI.
std::optional<NiSetup> delete_ni(SimNode& node);
/// `net del` at `node` of the net of its first NI, or of its last one; returns the setups of the
/// deleted NIs. Empty: the node is not up or has no other net. With the net of its first NI its
/// primary NID is deleted.
std::vector<NiSetup> delete_net(SimNode& node, bool first);
/// `net add` of this NI, unless the node has that NID again already. False: the deleted NI has not
/// ended yet, or the node is paused; the caller tries again.
bool add_ni(SimNode& node, const NiSetup& ni);
/// `net add` at `node` of an NI like its first one, with a new address; returns its NID. Nothing:
/// the node is not up, or has that NI already.
std::optional<Nid> add_another_ni(SimNode& node);
/// `set discovery` at `node`: off if it is on, otherwise on. A node that is not up takes the
/// setting when it resumes or starts.
void turn_discovery(SimNode& node);
/// `set discovery` at `node`, to one of the values of the setting.
void set_discovery(SimNode& node, std::int32_t value);

/// When a fault could not be restored, it is tried again after this time.
inline constexpr Duration kMendAgain = std::chrono::milliseconds(100);

struct FaultPace {
  Duration every = std::chrono::seconds(2);         ///< from one fault to the next, on average
  Duration lasts = std::chrono::milliseconds(500);  ///< at most, for a fault that is restored
  /// How many of a million messages, for kLoss, kDuplication, kReordering.
  std::uint32_t ppm = 100'000;
};

/// A fault counts in Exercised::acts as "fault WORD". Its trace records are TraceKind::kActor;
/// `detail`: the kind, `node`: the node hit, `a`: 1 breaks, 0 restores, `b`: the other node where
/// there is one.
class Fault : public Actor {
 public:
  Fault(std::string name, FaultKind kind, const FaultPace& pace)
      : Actor(std::move(name)), kind_(kind), pace_(pace) {}

  FaultKind kind() const { return kind_; }
  /// Whether the fault has broken something, and will restore it.
  bool broken() const { return broken_; }

  void begin(World& world) final { wait(world); }
  void act(World& world) final;
  void wind_down(World& world) final;

 protected:
  /// Chooses what to break and breaks it. False: there was nothing to break.
  virtual bool strike(World& world) = 0;
  /// Restores what is broken. False: it cannot be restored yet. Then mend() is called again after
  /// kMendAgain.
  virtual bool mend(World& world) = 0;
  /// Whether the fault is over at once, so that there is nothing to restore.
  virtual bool momentary() const { return false; }

  const FaultPace& pace() const { return pace_; }
  Duration up_to(Duration most);
  SimNode& any_node(World& world);
  /// The address of one of the node's NIs; the node must have one.
  Place any_place(const SimNode& node);
  /// Two different nodes; null in a world with fewer.
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

/// `name` empty: "fault/WORD". Two faults of one kind in one world need two names.
std::unique_ptr<Fault> make_fault(FaultKind kind, const FaultPace& pace = {},
                                  std::string name = {});

}  // namespace ulnet::sim
