// The topologies and experiments that are installed with the program.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::lab {

/// Returns the topology files that are installed beside this program, or those of the source tree
/// in which it was built; in the order of their names.
std::vector<std::filesystem::path> example_topologies();

/// Returns `word` itself if it is a file or has a slash or a file name extension; else the example
/// of that name, or `word` when there is no such example.
std::filesystem::path topology_file(std::string_view word);

/// Returns the path of the example of that name, whether it exists or not.
std::filesystem::path example_topology(std::string_view name);

/// Returns the experiment files in the same way: they are in the folder `experiments` beside the
/// topologies.
std::vector<std::filesystem::path> example_experiments();
std::filesystem::path experiment_file(std::string_view word);

/// Prints the names of examples, the text of `about` for each, and where they are. Without examples
/// it prints that none was found, with `what` they are, and the folder below `examples` where they
/// would be. Returns the exit code.
int list_examples(const std::vector<std::filesystem::path>& files, std::string_view what,
                  std::string_view folder,
                  const std::function<std::string(const std::filesystem::path&)>& about);

}  // namespace ulnet::tools::lab
