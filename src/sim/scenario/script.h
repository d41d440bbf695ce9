// An actor that carries out the timed faults (acts) of a scenario. Source: DESIGN.md 6.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/world/actor.h"
#include "sim/world/world.h"

namespace ulnet::sim {

/// The script counts and traces its acts as faults.h does: "fault WORD", also "fault shutdown" and
/// "fault heal". An act that finds nothing to break (a node that is down, no stream) does nothing.
class Script final : public Actor {
 public:
  /// `scenario` must outlive it.
  explicit Script(const Scenario& scenario);

  /// Whether every act was carried out and those with a duration have ended.
  bool done() const { return next_ == plays_.size(); }
  /// The trace's `detail` of an act is its FaultKind; this value is the one of shutdowns.
  static constexpr std::uint8_t kShutdownDetail = kFaultKinds.size();
  static constexpr std::uint8_t kRuleDetail = kShutdownDetail + 1;  ///< that of fault rules
  static constexpr std::uint8_t kLinkDetail = kRuleDetail + 1;      ///< the first of kLinkFaults
  /// The first of kAdminWords.
  static constexpr std::uint8_t kAdminDetail = kLinkDetail + kLinkFaults.size();

  void begin(World& world) override;
  void act(World& world) override;
  void wind_down(World& world) override;

 private:
  /// The beginning or the end of an act.
  struct Play {
    Instant when;
    std::size_t act = 0;
    bool begins = true;
  };
  struct Broken {
    bool now = false;
    std::vector<NiSetup> gone;  ///< NIs that were deleted and are to be added again
    std::vector<std::function<void()>> undo;
    std::shared_ptr<void> stranger;  ///< hangs up when it is dropped
    TakeBack take_back;              ///< undoes an administrator's change
  };

  bool strike(World& world, const Act& act, Broken& broken);
  bool strike_fault(World& world, const Act& act, Broken& broken);
  void set_switch_link(World& world, SwitchLinkId link);
  bool strike_stream(World& world, const Act& act, Broken& broken);
  void mend(World& world, std::size_t number);
  void heal(World& world);
  void say(World& world, const Act& act, bool begins);
  bool strike_node(World& world, const Act& act, Broken& broken);
  void remove_added(SimNode& node, const Nid& added);
  bool take_back(SimNode& node, Broken& broken);
  std::vector<Link*> links(World& world, const Act& act);

  const Scenario& scenario_;
  std::vector<Play> plays_;  ///< in the order of time
  std::vector<Broken> broken_;
  std::size_t next_ = 0;
  bool over_ = false;
};

}  // namespace ulnet::sim
