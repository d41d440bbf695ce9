// Random faults of a world: one actor per kind. Each waits, breaks one thing, restores it after a
// while, and waits again. Each actor draws from its own generator, so that adding a kind does not
// change when the other kinds strike. In wind_down() an actor restores what it broke and breaks
// nothing more. Where it cannot restore it yet (a node is paused, an NI has not ended), the actor
// tries again later, and after wind_down() it is busy until then. Source: DESIGN.md 6.
//
//   for (FaultKind kind : kFaultKinds) world.add_actor(make_fault(kind));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lnet/base/slab.h"
#include "sim/kernel/fault_kind.h"
#include "sim/network/wire_model.h"
#include "sim/world/actor.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// `peer del` at `node` of every NID of `other`. False: nothing was deleted, because the node is
/// not up, knows none of the NIDs, or has messages under way to all of them.
bool delete_peer(SimNode& node, const SimNode& other);
/// `net del` at `node` of its last NI; returns the setup of that NI. Empty: the node is not up or
/// has no other NI.
std::vector<NiSetup> delete_ni(SimNode& node);
/// `net del` at `node` of the net of its first NI, or of its last one; returns the setups of the
/// deleted NIs. Empty: the node is not up or has no other net. With the net of its first NI its
/// primary NID is deleted.
std::vector<NiSetup> delete_net(SimNode& node, bool first);
/// `net add` of these NIs, unless the node has the NID again already. Takes from the list what the
/// node has. False: a deleted NI has not ended yet, or the node is paused; the caller tries again.
bool add_again(SimNode& node, std::vector<NiSetup>& gone);
/// `net add` at `node` of an NI like its first one, with a new address; returns its NID. Nothing:
/// the node is not up, or has that NI already.
std::optional<Nid> add_another_ni(SimNode& node);
/// `set discovery` at `node`: off if it is on, otherwise on. A node that is not up takes the
/// setting when it resumes or starts.
void turn_discovery(SimNode& node);
/// `set discovery` at `node`, to one of the values of the setting.
void set_discovery(SimNode& node, std::int32_t value);
/// Sets the link of the node's NI up or down, or, if the NI is gone, the link of its address.
void set_up(World& world, SimNode& node, const Nid& ni, bool up);
/// Begins a fault of a link; `ppm`: as FaultPace::ppm. Returns what ends it.
std::function<void()> break_link(World& world, Link& link, FaultKind kind, std::uint32_t ppm);
/// Begins a fault of one end of an open connection. Returns what ends it; null: nothing does.
std::function<void()> break_stream(World& world, Handle socket, FaultKind kind);
/// A foreign peer that disturbs the node at NI `ni` over TCP, a few times at once, with nonsense or
/// with lies; it hangs up when it is dropped. Null: it cannot.
std::shared_ptr<void> disturb(World& world, SimNode& node, std::size_t ni, FaultKind kind,
                              Rng& rng);

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
class Fault final : public Actor {
 public:
  Fault(std::string name, FaultKind kind, const FaultPace& pace)
      : Actor(std::move(name)), kind_(kind), pace_(pace) {}

  /// Whether the fault has broken something, and will restore it.
  bool broken() const { return mend_ != nullptr; }

  void begin(World& world) override { wait(world); }
  void act(World& world) override;
  void wind_down(World& world) override;

 private:
  /// Restores what is broken. False: it cannot be restored yet, and the call is repeated after
  /// kMendAgain.
  using Mend = std::function<bool()>;
  /// Nothing: there was nothing to break. A null Mend: there is nothing to restore.
  using Struck = std::optional<Mend>;

  /// Chooses what to break and breaks it.
  Struck strike(World& world);
  Struck strike_link(World& world);
  Struck strike_stream(World& world);
  Struck take_over(World& world);
  Struck delete_entry(World& world);
  Struck let_disturb(World& world, SimNode& node);
  Struck delete_nis(World& world, SimNode& node);
  Struck add_ni(World& world, SimNode& node);
  Struck change_discovery(World& world, SimNode& node);
  Struck take_down(World& world, SimNode& node);
  Struck crash(World& world, SimNode& node);
  Struck pause(World& world, SimNode& node);
  /// Says that the fault of the nodes ends, and ends it by `undo`.
  Mend mended_by(World& world, const SimNode& node, std::function<void()> undo,
                 const SimNode* other = nullptr);

  SimNode& any_node(World& world);
  /// The address of one of the node's NIs; the node must have one.
  Place any_place(const SimNode& node);
  /// Two different nodes; null in a world with fewer.
  std::pair<SimNode*, SimNode*> two_nodes(World& world);
  void say(World& world, const SimNode& node, bool breaks, const SimNode* other = nullptr);
  void wait(World& world);
  void repair(World& world);

  const FaultKind kind_;
  const FaultPace pace_;
  Mend mend_;  ///< null: nothing is broken
  bool over_ = false;
};

/// `name` empty: "fault/WORD". Two faults of one kind in one world need two names.
std::unique_ptr<Fault> make_fault(FaultKind kind, const FaultPace& pace = {},
                                  std::string name = {});

}  // namespace ulnet::sim
