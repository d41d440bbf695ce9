// What goes wrong in a scenario at times that it says. Source: DESIGN.md 6.
#pragma once

#include <vector>

#include "sim/actor.h"
#include "sim/scenario/scenario.h"
#include "sim/spoofing_peer.h"
#include "sim/stranger.h"
#include "sim/world.h"

namespace ulnet::sim {

/// Counts and writes down as faults.h does: "fault WORD", also "fault shutdown" and "fault heal".
/// An act that finds nothing to break (a node that is down, no stream) does nothing.
class Script final : public Actor {
 public:
  /// `scenario` must outlive it.
  explicit Script(const Scenario& scenario);

  /// Every act has been played, and what had an end has ended.
  bool done() const { return next_ == plays_.size(); }
  /// What an act of FaultKind has as its detail in the trace; shutdowns have kShutdownDetail.
  static constexpr std::uint8_t kShutdownDetail = kFaultKinds.size();

  void begin(World& world) override;
  void act(World& world) override;
  void wind_down(World& world) override;

 private:
  /// An act begins, or ends.
  struct Play {
    Instant when;
    std::size_t act = 0;
    bool begins = true;
  };
  struct Broken {
    bool now = false;
    std::vector<std::pair<Link*, std::uint32_t>> chances;  ///< as they were
    std::vector<Handle> streams;
    std::unique_ptr<Stranger> stranger;
    std::unique_ptr<SpoofingPeer> spoofer;
  };

  bool strike(World& world, const Act& act, Broken& broken);
  void mend(World& world, std::size_t number);
  void heal(World& world);
  void say(World& world, const Act& act, bool begins);
  std::vector<Link*> links(World& world, const Act& act);

  const Scenario& scenario_;
  std::vector<Play> plays_;  ///< by time
  std::vector<Broken> broken_;
  std::size_t next_ = 0;
  bool over_ = false;
};

}  // namespace ulnet::sim
