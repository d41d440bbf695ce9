#include "lab/experiment/experiment.h"

#include "lab/topology/rate.h"

namespace ulnet::tools::lab {

const char* to_string(ExperimentLoad::What what) {
  switch (what) {
    case ExperimentLoad::What::kWrite:
      return "write";
    case ExperimentLoad::What::kRead:
      return "read";
    case ExperimentLoad::What::kPing:
      break;
  }
  return "ping";
}

const char* to_string(ExperimentFault::What what) {
  switch (what) {
    case ExperimentFault::What::kKill:
      return "kill";
    case ExperimentFault::What::kPause:
      return "pause";
    case ExperimentFault::What::kLinkDown:
      return "link-down";
    case ExperimentFault::What::kLinkRate:
      break;
  }
  return "link-rate";
}

std::string description(const ExperimentFault& fault) {
  std::string text = std::string(to_string(fault.what)) + " " + fault.target;
  if (fault.what == ExperimentFault::What::kLinkRate)
    text += " " + bit_rate_text(fault.bits_per_second);
  return text;
}

}  // namespace ulnet::tools::lab
