// Reads a topology from YAML, with the bounded reader of src/admin/conf. It reports all mistakes,
// each with its line and column. docs/LAB.md describes the keys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lab/topology/topology.h"
#include "text/fields.h"

namespace ulnet::tools::lab {

inline constexpr std::size_t kMaxNodes = 4096;
inline constexpr std::size_t kMaxRails = 64;  ///< per node

/// Reads the topology of the text, with its routes. Its name is `name` unless the text has another.
/// Mistakes are in the order of their places; there is at least one. For unknown keys and words,
/// the mistake names the nearest known one.
tl::expected<Topology, conf::Problems> read_topology(std::string_view text, std::string_view name);

/// Returns the text of a file. A file that cannot be read is a mistake with line 0. Reads only as
/// much of a large file as the reader needs to refuse it.
conf::Parsed<std::string> file_text(const std::filesystem::path& file);

/// Reads the topology of a file; the topology's name is the file's without the last ".yaml". The
/// file is read once, so it may be a pipe; its text goes to `text`, unless that is null.
tl::expected<Topology, conf::Problems> read_topology_file(const std::filesystem::path& file,
                                                          std::string* text = nullptr);

}  // namespace ulnet::tools::lab
