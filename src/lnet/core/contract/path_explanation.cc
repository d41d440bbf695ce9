// Gives the text for the term by which a candidate lost in a path selection. Source:
// spec/multirail.md 3.2, 3.3.
#include "lnet/core/contract/path_explanation.h"

namespace ulnet::core {

const char* to_string(Term term) {
  switch (term) {
    case Term::kFirst:
      return "it comes after an equal one";
    case Term::kFatal:
      return "its device has failed";
    case Term::kNoNiWorks:
      return "the NIs that lead there have failed";
    case Term::kHealth:
      return "lower health";
    case Term::kHops:
      return "more hops";
    case Term::kQueued:
      return "more bytes are queued for it";
    case Term::kPriority:
      return "less preferred by a policy";
    case Term::kNetHealth:
      return "lower health of this node's NIs on it";
    case Term::kNetPriority:
      return "this node's net is less preferred by a policy";
    case Term::kPreferred:
      return "a policy prefers another one";
    case Term::kDistance:
      return "farther from the memory";
    case Term::kCredits:
      return "fewer credits";
    case Term::kTurn:
      return "it is not its turn";
    case Term::kNetTurn:
      return "it is not the turn of this node's net";
  }
  return "?";
}

}  // namespace ulnet::core
