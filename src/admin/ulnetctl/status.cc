// status: the node's health, each reason why it is not OK, and the command that shows more.
#include <nlohmann/json.hpp>

#include "admin/client/health.h"
#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

int run_status(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kHelp, kJson});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto node = lnet.api().get("/v1/version");
  if (!node) return session.failed("show", "status", node.error());
  const auto health = ctl::ask_health(lnet.api());
  if (!health) return session.failed("show", "status", health.error());

  const std::string name = ctl::text_in(*node, "name");
  const int pid = ctl::number_in(*node, "pid", 0);
  const std::string ask = session.program() + " " +
                          (session.control().empty() ? "" : "--control " + session.control() + " ");
  ctl::Tree reasons = ctl::Tree::array();
  std::string text = std::string(to_string(health->health())) + ": node " + name + " (pid " +
                     std::to_string(pid) + "): " + health->summary + "\n";
  for (const ctl::HealthReason& reason : health->reasons) {
    text += "  " + reason.what + "\n      " + ask + reason.command + "\n";
    reasons.push_back({{"health", to_string(reason.health)},
                       {"what", reason.what},
                       {"command", ask + reason.command}});
  }
  if (args.has("json") || session.json())
    session.show({{"status",
                   {{"node", name},
                    {"pid", pid},
                    {"health", to_string(health->health())},
                    {"summary", health->summary},
                    {"reasons", reasons}}}},
                 true);
  else
    out(text);
  return static_cast<int>(health->health());
}

}  // namespace ulnet::tools
