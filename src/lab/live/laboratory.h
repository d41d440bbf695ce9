// A laboratory's life: brought up, changed, taken down, and what is left of it taken away. Each
// call that changes one holds its lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/live/home.h"
#include "lab/live/progress.h"
#include "lab/live/record.h"
#include "lab/topology/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// What an idle node takes at most; as much must be available for each.
inline constexpr std::uint64_t kMemoryOfNode = 24ULL << 20;

struct UpWish {
  std::string file;
  std::string text;  ///< the topology, in the place of the file's; the file is its name for people
  std::string name;  ///< empty: the topology's
  bool spaces = false;
  bool keep = false;  ///< of a laboratory whose start fails leave what runs
  std::optional<std::uint16_t> port;
};

/// A laboratory as a command has it.
struct Laboratory {
  Home home;
  Record record;
  Topology topology;
};

/// Why it is not up. `reason` may have several lines.
struct NotUp {
  std::string reason;
  bool file_is_wrong = false;  ///< the topology file; then nothing was begun
  bool kept = false;           ///< what runs was left, as wished
};

/// Starts a laboratory. On an error, and when Ctrl-C or SIGTERM come, all is taken down again.
tl::expected<Laboratory, NotUp> bring_up(const UpWish& wish, Progress& progress);

/// The laboratory of this name; without one the only one there is. -ENOENT, -EEXIST (there are
/// several), with a sentence that says what to do.
Result<Home> choose_lab(const std::string& name);
Result<Laboratory> open_lab(const std::string& name);
/// The same with the right to change it; waits for others.
struct LockedLab {
  Lock lock;
  Laboratory lab;
};
Result<LockedLab> open_to_change(const std::string& name);

/// What was taken away.
struct Removed {
  std::size_t processes = 0;  ///< that had to be ended
  std::size_t killed = 0;     ///< of them those that did not end by themselves
  std::size_t spaces = 0;     ///< network namespaces
  bool folder = false;
  bool none() const { return processes == 0 && spaces == 0 && !folder; }
};
/// "4 processes, 5 namespaces and its folder"
std::string told(const Removed& removed);

/// Ends a laboratory's processes, and removes its namespaces and its folder, whatever its record
/// says. The caller has its lock.
Result<Removed> take_away(const Home& home);

/// All laboratories of this user of which there is anything: a folder, namespaces, processes, or a
/// lock that was left.
std::vector<std::string> traces_of_labs(const std::string& labs);
/// True when nobody can use it any more: it was not started to its end, or none of its processes
/// lives.
bool is_left_over(const Home& home);

}  // namespace ulnet::tools::lab
