#include "selftest/ulst/ids.h"

#include <algorithm>

#include "lnet/wire/nid_range.h"

namespace ulnet::tools::lst {

namespace {

/// Returns the text before the first '-', if it is all digits; else an empty text.
std::string_view pid_of(std::string_view word) {
  const std::size_t end = word.find_first_not_of("0123456789");
  return end != std::string_view::npos && end > 0 && word[end] == '-' ? word.substr(0, end)
                                                                      : std::string_view();
}

Result<std::vector<Nid>> expand_nid(std::string_view word) {
  auto nids = wire::expand_nids(word, kIdsMax);
  if (nids || nids.error().code == -E2BIG) return nids;
  const bool brackets = word.find_first_of("[]") != std::string_view::npos;
  return fail(-EINVAL, brackets ? "Syntax error in \"" + std::string(word) + "\""
                                : "Invalid nid: " + std::string(word));
}

}  // namespace

Result<std::vector<std::string>> expand_ids(std::string_view text) {
  const auto words = wire::split_list(text);
  if (!words || words->empty())
    return fail(-EINVAL, "Syntax error in \"" + std::string(text) + "\"");
  std::vector<std::string> ids;
  for (const std::string_view word : *words) {
    const std::string_view pid = pid_of(word);
    const auto nids = expand_nid(pid.empty() ? word : word.substr(pid.size() + 1));
    if (!nids) return tl::unexpected(nids.error());
    for (const Nid& nid : *nids) {
      const auto id = pid.empty() ? Result<ProcessId>(ProcessId{nid, Pid::lustre()})
                                  : ProcessId::parse(std::string(pid) + "-" + nid.to_string());
      if (!id) return fail(-EINVAL, "Invalid nid: " + std::string(word));
      ids.push_back(id->to_string());
    }
    if (ids.size() > kIdsMax)
      return fail(-E2BIG, "more than " + std::to_string(kIdsMax) + " nodes in \"" +
                              std::string(text) + "\"");
  }
  std::vector<std::string> once;
  for (std::string& id : ids)
    if (std::ranges::find(once, id) == once.end()) once.push_back(std::move(id));
  return once;
}

}  // namespace ulnet::tools::lst
