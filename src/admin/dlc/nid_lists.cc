// Lists of NIDs and patterns. Source: spec/cli-lnetctl.md 3.16, 8.
#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "admin/client/nid_words.h"
#include "admin/dlc/descriptors.h"
#include "admin/dlc/library.h"
#include "admin/dlc/tree.h"
#include "lnet/config/model.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

bool matches(const lustre_lnet_nid_range& list, const Nid& nid) {
  return std::ranges::any_of(list.patterns, [&](const auto& one) { return one.matches(nid); });
}

}  // namespace

extern "C" {

int lustre_lnet_parse_nidstr(const char* text, char (*nids)[LUSTRE_LNET_NIDSTR_SIZE], int max) {
  auto count = static_cast<unsigned int>(std::max(max, 0));
  const int code = local({"add", "peer", -1, nullptr}, [&]() -> Result<void> {
    const std::string words = text_of(text);
    const auto nobody = [](const std::string&) { return std::nullopt; };
    const auto parsed = ctl::nids_of_words({&words, 1}, count, nobody);
    if (!parsed) return tl::unexpected(parsed.error());
    return write_nids(*parsed, nids, &count);
  });
  return code == 0 ? static_cast<int>(count) : -1;
}

lustre_lnet_nid_range* lustre_lnet_parse_nid_range(const char* text) {
  lustre_lnet_nid_range* list = nullptr;
  local({"manage", "nidlist", -1, nullptr}, [&]() -> Result<void> {
    auto patterns = wire::parse_nid_patterns(text_of(text));
    if (!patterns) return tl::unexpected(patterns.error());
    list = new lustre_lnet_nid_range{std::move(*patterns)};
    return {};
  });
  return list;
}

void lustre_lnet_free_list(lustre_lnet_nid_range* list) { delete list; }

int lustre_lnet_debug_nidlist(const lustre_lnet_nid_range* list, const char* nid, int seq_no,
                              cYAML** show_rc, cYAML** err_rc) {
  bool found = false;
  const int code = local({"manage", "nidlist", seq_no, err_rc}, [&]() -> Result<void> {
    if (list == nullptr) return fail(-EFAULT, "missing mandatory parameter: list");
    if (nid == nullptr) {
      const auto nids = ctl::expansion_of(list->patterns);
      if (!nids) return tl::unexpected(nids.error());
      if (add_sections(*nids, show_rc) != 0) return fail(-ENOMEM, "out of memory");
      return {};
    }
    const auto one = Nid::parse(nid);
    if (!one) return fail(-EINVAL, "invalid NID '" + text_of(nid) + "'");
    found = matches(*list, *one);
    return {};
  });
  if (code != 0 || nid == nullptr) return code;
  return found ? LUSTRE_LNET_MATCH : LUSTRE_LNET_NO_MATCH;
}

}  // extern "C"
