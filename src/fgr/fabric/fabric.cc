#include "fgr/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace ulnet::plan {

std::optional<Guid> parse_guid(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits(text);
  std::erase(digits, ':');
  Guid guid = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, guid, 16);
  if (digits.empty() || digits.size() > kDigits || error != std::errc{} || stop != end)
    return std::nullopt;
  return guid;
}

std::string guid_text(Guid guid) { return fmt::format("{:016x}", guid); }

namespace {

/// Returns the name with the most votes; empty: two names have equally many.
std::string winner_of(const std::map<std::string, std::size_t>& votes) {
  std::string winner;
  std::size_t most = 0;
  for (const auto& [name, count] : votes) {
    if (count > most)
      winner = name;
    else if (count == most)
      winner.clear();
    most = std::max(most, count);
  }
  return winner;
}

}  // namespace

std::map<std::string, std::string> switch_names(const std::vector<SeenCable>& cables,
                                                const std::map<std::string, std::string>& planned) {
  std::map<std::string, std::string> names;
  std::set<std::string> known;
  for (const SeenCable& cable : cables) {
    if (cable.switch_name.empty()) continue;
    names.emplace(cable.switch_guid, cable.switch_name);
    known.insert(cable.switch_name);
  }
  std::map<std::string, std::map<std::string, std::size_t>> votes;
  std::set<std::string> elsewhere;
  for (const SeenCable& cable : cables) {
    const auto at = planned.find(cable.host);
    if (names.contains(cable.switch_guid) || at == planned.end() || at->second.empty()) continue;
    if (known.contains(at->second))
      elsewhere.insert(cable.switch_guid);
    else
      ++votes[cable.switch_guid][at->second];
  }
  for (const auto& [guid, counts] : votes) {
    elsewhere.erase(guid);
    if (std::string winner = winner_of(counts); !winner.empty())
      names.emplace(guid, std::move(winner));
  }
  for (const std::string& guid : elsewhere) names.emplace(guid, guid);
  return names;
}

}  // namespace ulnet::plan
