// The life cycle of a laboratory: start it, change it, take it down, and remove what is left of it.
// Each call that changes a laboratory holds its lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/live/home.h"
#include "lab/live/record.h"
#include "lab/topology/topology.h"
#include "text/shell/progress.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// The most memory that an idle node takes; this much must be available for each node.
inline constexpr std::uint64_t kMemoryOfNode = 24ULL << 20;

struct UpOptions {
  std::string file;
  std::string text;  ///< the topology, in place of the file's text; the file is its name for people
  std::string name;  ///< empty: the topology's name
  bool spaces = false;
  bool keep = false;  ///< when the start fails, leave the parts that run
  std::optional<std::uint16_t> port;
};

/// A laboratory that a command has opened.
struct Laboratory {
  Home home;
  Record record;
  Topology topology;
};

/// Why a laboratory is not up. `reason` may have several lines.
struct NotUp {
  std::string reason;
  bool file_is_wrong = false;  ///< the topology file is wrong; then nothing was started
};

/// Starts a laboratory. On an error, and on Ctrl-C or SIGTERM, everything is taken down again.
tl::expected<Laboratory, NotUp> bring_up(const UpOptions& options, Progress& progress);

/// Returns the laboratory of this name; without a name the only laboratory that exists. -ENOENT,
/// -EEXIST (there are several), with a sentence that says what to do.
Result<Home> choose_lab(const std::string& name);
Result<Laboratory> open_lab(const std::string& name);
/// A laboratory with the right to change it; waits for other commands.
struct LockedLab {
  Lock lock;
  Laboratory lab;
};
Result<LockedLab> open_to_change(const std::string& name);

/// The things that were removed.
struct Removed {
  std::size_t processes = 0;  ///< processes that had to be ended
  std::size_t killed = 0;     ///< of these, the processes that did not end by themselves
  std::size_t spaces = 0;     ///< network namespaces
  bool folder = false;
  bool none() const { return processes == 0 && spaces == 0 && !folder; }
};
/// Returns "4 processes, 5 namespaces and its folder"
std::string description(const Removed& removed);

/// Ends a laboratory's processes, and removes its namespaces and its folder, whatever its record
/// says. The caller holds its lock.
Result<Removed> take_away(const Home& home);

/// Returns the names of all laboratories of this user that left anything: a folder, namespaces,
/// processes, or a lock.
std::vector<std::string> traces_of_labs(const std::string& labs);
/// Whether nobody can use the laboratory any more: its start did not end, or none of its processes
/// is alive.
bool is_left_over(const Home& home);

}  // namespace ulnet::tools::lab
