#include "lnet/os/machine_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace ulnet::node {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kIfUnknown = std::uint64_t{1} << 30;
constexpr unsigned kPartOfMemory = 4;

/// The number at the beginning of the text; nothing: the text does not begin with a number ("max").
std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

std::uint64_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return kNone;
  return number_in(line).value_or(kNone);
}

/// MemTotal of meminfo, which contains "MemTotal:   24100000 kB".
std::uint64_t total_of(const std::string& proc) {
  std::ifstream in(proc + "/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemTotal:") return kibibytes * 1024;
  }
  return kNone;
}

/// The lowest limit of a control group and of the groups that contain it.
std::uint64_t least_limit(const std::filesystem::path& root, const std::string& group,
                          const char* file) {
  std::uint64_t least = limit_in(root / file);
  std::filesystem::path at = root;
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    at /= part;
    least = std::min(least, limit_in(at / file));
  }
  return least;
}

/// Reads the groups that /proc/self/cgroup names: "0::/a/b" (version 2), "7:memory:/a/b" (version
/// 1).
std::uint64_t groups_allow(const MemorySources& from) {
  std::uint64_t least = kNone;
  std::ifstream in(from.proc + "/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_limit(from.cgroups, group, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      least =
          std::min(least, least_limit(from.cgroups + "/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

std::uint64_t resources_allow() {
  std::uint64_t least = kNone;
  for (const auto what : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(what, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min<std::uint64_t>(least, limit.rlim_cur);
  }
  return least;
}

}  // namespace

std::uint64_t machine_memory(const MemorySources& from) {
  std::uint64_t least = std::min(total_of(from.proc), groups_allow(from));
  if (from.resource_limits) least = std::min(least, resources_allow());
  return least == kNone ? kIfUnknown : least;
}

std::uint64_t memory_budget_bytes(std::int64_t mebibytes, const MemorySources& from) {
  if (mebibytes > 0) return static_cast<std::uint64_t>(mebibytes) << 20;
  return machine_memory(from) / kPartOfMemory;
}

}  // namespace ulnet::node
