#include "lab/experiment/experiment.h"

#include "lab/topology/rate.h"

namespace ulnet::tools::lab {

std::string description(const ExperimentFault& fault) {
  std::string text = to_string(fault.what) + " " + fault.target;
  if (fault.what == ExperimentFault::What::kLinkRate)
    text += " " + bit_rate_text(fault.bits_per_second);
  return text;
}

}  // namespace ulnet::tools::lab
