#include "lab/topology/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "lab/topology/exit_code.h"

namespace ulnet::tools::lab {
namespace {

namespace fs = std::filesystem;

/// Returns the first folder of examples that exists. An installed copy may have been moved, so the
/// folder is found from the program's own path.
fs::path examples_folder() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  for (fs::path up = program.parent_path(); !up.empty(); up = up.parent_path()) {
    for (const char* below : {"share/ulnet/examples/lab", "examples/lab"})
      if (fs::is_directory(up / below, none)) return up / below;
    if (up == up.root_path()) break;
  }
  return {};
}

/// Returns the folder's YAML files, in the order of their names.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Returns the file that a word names, or else the example in the folder.
fs::path file_of(std::string_view word, const fs::path& folder) {
  std::error_code none;
  const fs::path named(word);
  if (named.has_parent_path() || named.has_extension() || fs::exists(named, none)) return named;
  const fs::path example = folder / (std::string(word) + ".yaml");
  return fs::exists(example, none) ? example : named;
}

}  // namespace

std::vector<fs::path> example_topologies() { return files_of(examples_folder()); }

fs::path example_topology(std::string_view name) {
  return examples_folder() / (std::string(name) + ".yaml");
}

std::vector<fs::path> example_experiments() { return files_of(examples_folder() / "experiments"); }

fs::path topology_file(std::string_view word) { return file_of(word, examples_folder()); }

fs::path experiment_file(std::string_view word) {
  return file_of(word, examples_folder() / "experiments");
}

int list_examples(const std::vector<fs::path>& files, std::string_view what,
                  std::string_view folder,
                  const std::function<std::string(const fs::path&)>& about) {
  if (files.empty()) {
    fmt::print(stderr,
               "ulnet-lab: no {0} found: neither share/ulnet/examples/{1} nor examples/{1} is "
               "beside the program or above it\n",
               what, folder);
    return kExitFailed;
  }
  for (const auto& file : files)
    fmt::print("{:<24} {}\n{:<24} {}\n", file.stem().string(), about(file), "", file.string());
  return kExitDone;
}

}  // namespace ulnet::tools::lab
