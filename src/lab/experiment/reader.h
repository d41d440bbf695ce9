// Reads an experiment from YAML, with the reader of topologies. It reports all mistakes, each with
// its file, line and column. docs/LAB.md describes the keys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

/// Reads the experiment in the text. `file` is the path of the text, which gives the experiment its
/// name. The topology's path is relative to the folder of `file`. Mistakes are those of the
/// topology that it names, then those of the experiment.
tl::expected<Experiment, conf::Problems> read_experiment(std::string_view text,
                                                         const std::filesystem::path& file);
/// Reads the experiment in a file. A file that cannot be read is a mistake with line 0.
tl::expected<Experiment, conf::Problems> read_experiment_file(const std::filesystem::path& file);

/// Returns the parts of an experiment that loopback does not support, with their places: other
/// rates, links of switches.
conf::Problems not_on_loopback(const Experiment& experiment);

/// Parses a share of a rate as people write it, in decimal numbers from 0 to 1000: "0.7..",
/// "0.4..0.6", "..0.5", "1". -EINVAL with the reason.
Result<ShareRange> parse_share(std::string_view text);

/// Returns `text` with blanks in place of everything before `from` and from the line of `end` on,
/// so that the rest keeps its places. If the line of `end` is 0, nothing after `from` is blanked.
std::string blanked(std::string_view text, conf::Place from, conf::Place end);

}  // namespace ulnet::tools::lab
