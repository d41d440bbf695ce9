// Lists the transitions of the states of routing. Source: spec/multirail.md 9.1.
#include "lnet/core/path/routing_state.h"

namespace ulnet::core {

constinit const LifeCycle<RoutingState, RoutingEvent> kRoutingLifeCycle = [] {
  using S = RoutingState;
  using E = RoutingEvent;
  return LifeCycle<RoutingState, RoutingEvent>({
      {S::kDisabled, E::kOn, S::kStarting},
      {S::kDisabled, E::kOnAtOnce, S::kEnabled},
      {S::kStarting, E::kTime, S::kEnabled},
      {S::kStarting, E::kOnAtOnce, S::kEnabled},
      {S::kStarting, E::kOff, S::kStopping},
      {S::kEnabled, E::kOff, S::kStopping},
      {S::kStopping, E::kTime, S::kDisabled},
      {S::kStopping, E::kOn, S::kStarting},
      {S::kStopping, E::kOnAtOnce, S::kEnabled},
  });
}();

}  // namespace ulnet::core
