// The topologies that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::lab {

/// The topology files that are installed beside this program, or those of the source tree in
/// which it was built; in the order of their names.
std::vector<std::filesystem::path> example_topologies();

/// `word` itself if it is a file or has a slash or an ending; else the example of that name, or
/// `word` when there is none.
std::filesystem::path topology_file(std::string_view word);

/// The same of experiments: examples are in the folder `experiments` of the topologies.
std::vector<std::filesystem::path> example_experiments();
std::filesystem::path experiment_file(std::string_view word);

}  // namespace ulnet::tools::lab
