// lnet configure, unconfigure; list_nids. Source: spec/cli-lnetctl.md 3.1.
#include <nlohmann/json.hpp>

#include "admin/conf/yaml_out.h"
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

/// Prints the error, if any, and returns the exit code. The exit code of these two commands is the
/// errno itself.
int finish(Session& session, const Result<void>& result) {
  if (result) return 0;
  const Error& error = result.error();
  // For -EBUSY the text is fixed, because scripts look for it.
  const bool fixed = error.reason.empty() || error.code == -EBUSY;
  const std::string why = fixed ? conf::errno_text(error.code) : error.reason;
  session.failed("configure", "lnet", {error.code, "LNet configure error: " + why});
  return error.code;
}

int configure(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"all", 'a', Option::kFlag}, {"large", 'l', Option::kFlag}});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return finish(session, lnet.config_ni_system(true, args.has("all"), args.has("large")));
}

int unconfigure(Session& session, const Command& self, Words words) {
  arguments_of(session, self, words, {{"all", 'a', Option::kFlag}});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return finish(session, lnet.config_ni_system(false, false));
}

constexpr Command kOfLnet[] = {
    {"configure",
     "lnet configure: configure lnet\n"
     "\t--all: load NI configuration from module parameters\n"
     "\t--large: start LNet with large (IPv6) NIDs\n",
     &configure},
    {"unconfigure", "lnet unconfigure: unconfigure lnet\n", &unconfigure},
};

}  // namespace

const std::span<const Command> kLnetCommands = kOfLnet;

int run_list_nids(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson}, Rest::kWords);
  const bool all = !args.rest().empty() && args.rest().front() == "all";
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto nids = lnet.list_nids();
  if (!nids) return session.failed("show", "nids", nids.error());
  ctl::Tree shown = ctl::Tree::array();
  for (const std::string& nid : *nids) {
    if (all || nid != "0@lo") shown.push_back(nid);
  }
  if (args.has("json") || session.json()) {
    session.show({{"nids", std::move(shown)}}, true);
  } else {
    for (const ctl::Tree& nid : shown) out(nid.get<std::string>() + "\n");
  }
  return 0;
}

}  // namespace ulnet::tools
