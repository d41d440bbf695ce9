// Reads an experiment from YAML, with the reader of topologies. It reports all mistakes, each with
// its file, line and column. docs/LAB.md describes the keys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

/// Mistakes by file: mistakes of the experiment, and of the topology that it names.
using WrongFiles = std::vector<std::pair<std::string, Mistakes>>;
/// Returns a line "file:line:column: reason" for each mistake.
std::string description(const WrongFiles& wrong);

/// Reads the experiment in the text. `file` is the path of the text, which gives the experiment its
/// name and is in messages. The topology's path is relative to the folder of `file`.
tl::expected<Experiment, WrongFiles> read_experiment(std::string_view text,
                                                     const std::filesystem::path& file);
/// Reads the experiment in a file. A file that cannot be read is a mistake with line 0.
tl::expected<Experiment, WrongFiles> read_experiment_file(const std::filesystem::path& file);

/// Returns the parts of an experiment that loopback does not support, with their places: other
/// rates, links of switches.
Mistakes not_on_loopback(const Experiment& experiment);

/// Returns `text` with blanks in place of everything before `from` and from the line of `end` on,
/// so that the rest keeps its places. If the line of `end` is 0, nothing after `from` is blanked.
std::string blanked(std::string_view text, conf::Place from, conf::Place end);

}  // namespace ulnet::tools::lab
