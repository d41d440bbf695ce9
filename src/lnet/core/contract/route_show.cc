// Gives the text for the reason why a route is down, and the names of the states of routing.
// Source: spec/multirail.md 9.1, 9.3.
#include "lnet/core/contract/route_show.h"

namespace ulnet::core {

const char* to_string(RouteTrouble trouble) {
  switch (trouble) {
    case RouteTrouble::kNone:
      return "";
    case RouteTrouble::kSelf:
      return "the gateway is this node";
    case RouteTrouble::kNoLocalNi:
      return "this node has no NI on a net of the gateway";
    case RouteTrouble::kUntried:
      return "the gateway has not answered yet, and is not used before";
    case RouteTrouble::kSilent:
      return "the gateway does not answer";
    case RouteTrouble::kNearDown:
      return "all NIDs of the gateway on nets of this node are down";
    case RouteTrouble::kNotRouting:
      return "the gateway advertises that it does not route";
    case RouteTrouble::kFarDown:
      return "all NIDs of the gateway on the net of the route are down";
    case RouteTrouble::kLoop:
      return "a routing loop: messages sent through the gateway come back to this router";
    case RouteTrouble::kFlag:
      return "the gateway was reported down, and it has no discovery that could report more";
  }
  return "";
}

const char* to_string(RoutingState state) {
  switch (state) {
    case RoutingState::kDisabled:
      return "disabled";
    case RoutingState::kEnabled:
      return "enabled";
    case RoutingState::kStopping:
      return "stopping";
    case RoutingState::kStarting:
      return "starting";
    case RoutingState::kCount:
      break;
  }
  return "";
}

}  // namespace ulnet::core
