#include "admin/conf/daemon_section.h"

#include <array>
#include <limits>
#include <utility>

#include "admin/conf/yaml_words.h"

namespace ulnet::conf {

namespace {

constexpr auto kDaemonKeys =
    std::to_array<std::string_view>({"selftest", "metrics", "metrics-api", "log-level",
                                     "log-format", "log-file", "drain", "skip-unsupported"});

Parsed<std::int64_t> number_to(const YamlEntry& entry, std::int64_t most) {
  auto number = number_of(entry);
  if (number && (*number < 0 || *number > most))
    return tl::unexpected(bad_value(entry.key, entry.value));
  return number;
}

Parsed<std::string> choice_of(const YamlEntry& entry, Keys choices) {
  auto text = text_of(entry);
  if (text && !is_one_of(*text, choices)) return tl::unexpected(bad_value(entry.key, entry.value));
  return text;
}

Parsed<std::string> path_of(const YamlEntry& entry) {
  auto text = text_of(entry);
  if (text && text->empty()) return tl::unexpected(bad_value(entry.key, entry.value));
  return text;
}

template <class Value, class Setting>
std::optional<Problem> take(Parsed<Value> value, std::optional<Setting>& to) {
  if (!value) return std::move(value.error());
  to = static_cast<Setting>(*std::move(value));
  return {};
}

std::optional<Problem> read(const YamlEntry& entry, DaemonSettings& to) {
  constexpr auto kPorts = std::numeric_limits<std::uint16_t>::max();
  const std::string& key = entry.key;
  if (key == "selftest") return take(bool_of(entry), to.selftest);
  if (key == "metrics") return take(number_to(entry, kPorts), to.metrics);
  if (key == "metrics-api") return take(bool_of(entry), to.metrics_api);
  if (key == "log-level") return take(choice_of(entry, kLogLevels), to.log_level);
  if (key == "log-format") return take(choice_of(entry, kLogFormats), to.log_format);
  if (key == "log-file") return take(path_of(entry), to.log_file);
  if (key == "drain") return take(number_to(entry, kDrainMax), to.drain);
  if (key == "skip-unsupported") return take(bool_of(entry), to.skip_unsupported);
  return invalid_key(entry, kDaemonKeys);
}

}  // namespace

DaemonSettings read_daemon_section(const YamlNode& section, Problems& problems) {
  DaemonSettings to;
  for (const YamlEntry& entry : section.entries)
    if (auto wrong = read(entry, to)) problems.push_back(std::move(*wrong));
  return to;
}

}  // namespace ulnet::conf
