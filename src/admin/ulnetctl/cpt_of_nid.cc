// cpt-of-nid. Source: spec/cli-lnetctl.md 3.17.
#include <nlohmann/json.hpp>

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

int run_cpt_of_nid(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kHelp, kJson}, Rest::kWords);
  if (args.rest().empty()) return print_help(session, self), -EINVAL;
  std::vector<Nid> nids;
  for (const std::string& word : args.rest()) {
    const auto nid = Nid::parse(word);
    if (!nid || nid->is_any())
      return session.failed("manage", "cpt-of-nid", {-EINVAL, "invalid NID '" + word + "'"});
    nids.push_back(*nid);
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = lnet.cpt_of_nid(nids);
  if (!tree) return session.failed("manage", "cpt-of-nid", tree.error());
  session.show(*tree, args.has("json"));
  return 0;
}

}  // namespace ulnet::tools
