// A scenario in sentences, one for each node, load and fault, for a reader who has never seen it.
#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace ulnet::tools {

/// A line for each node, load and fault; it names only settings that differ from their defaults.
/// Ends with a newline.
std::string in_words(const sim::Scenario& scenario);

}  // namespace ulnet::tools
