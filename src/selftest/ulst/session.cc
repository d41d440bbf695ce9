// new_session, show_session, end_session, ping. Source: spec/cli-lst.md 3.1 to 3.4.
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "admin/client/tree_fields.h"
#include "selftest/ulst/command.h"
#include "selftest/ulst/ids.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

namespace {

constexpr int kSessionTimeout = 300;
constexpr int kPingTimeout = 5;
constexpr std::size_t kNameMax = 31;

/// Returns "user@host", cut to kNameMax.
std::string default_name() {
  const passwd* user = ::getpwuid(::geteuid());
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return (std::string(user == nullptr ? "user" : user->pw_name) + "@" + host.data())
      .substr(0, kNameMax);
}

/// LST_FEATURES restricts the features that the session uses (spec/wire-selftest.md 2.3).
std::optional<std::uint32_t> wanted_features() {
  const char* text = std::getenv("LST_FEATURES");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const unsigned long features = std::strtoul(text, &end, 0);
  return *text != 0 && *end == 0 ? static_cast<std::uint32_t>(features) : UINT32_MAX;
}

}  // namespace

int new_session(Tool& tool, const Command& self, Words words) {
  const auto args =
      Arguments::parse(words, {{"timeout", 't', Option::kValue}, {"force", 'f', Option::kFlag}});
  if (!args || args->rest().size() > 1) return usage(tool, self);
  const auto timeout = number_of(*args, "timeout", kSessionTimeout);
  if (!timeout || *timeout <= 0) return tool.fail("Invalid timeout value");
  const std::string name = args->rest().empty() ? default_name() : args->rest()[0];
  if (too_long(tool, name)) return kFailed;
  Tree arguments = {{"name", name}, {"session_timeout", *timeout}, {"force", args->has("force")}};
  if (const auto features = wanted_features()) arguments["features"] = *features;
  const auto session = tool.ask("new_session", std::move(arguments));
  if (!session) return kFailed;
  return out(session_started(*session)), 0;
}

int show_session(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {});
  if (!args || !args->rest().empty()) return usage(tool, self);
  const auto session = tool.ask("show_session", Tree::object());
  if (!session) return kFailed;
  return out(session_shown(*session)), 0;
}

int end_session(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {});
  if (!args || !args->rest().empty()) return usage(tool, self);
  if (!tool.has_session()) return 0;  // as recorded
  if (!tool.ask_nodes("end_session", Tree::object())) return kFailed;
  return out("session is ended\n"), 0;
}

int ping(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"session", 's', Option::kFlag},
                                             {"group", 'g', Option::kValue},
                                             {"batch", 'b', Option::kValue},
                                             {"server", 'v', Option::kFlag},
                                             {"nodes", 'n', Option::kValue},
                                             {"timeout", 't', Option::kValue}});
  if (!args || !args->rest().empty()) return usage(tool, self);
  const auto timeout = number_of(*args, "timeout", kPingTimeout);
  if (!timeout || *timeout <= 0) return tool.fail("Invalid timeout value");
  Tree arguments = Tree::object();
  std::string name = "session";
  if (args->has("session")) arguments["session"] = true;
  for (const char* kind : {"group", "batch", "nodes"}) {
    const auto word = args->value(kind);
    if (!word) continue;
    name = *word;
    if (std::string_view(kind) != "nodes") {
      arguments[kind] = name;
      continue;
    }
    const auto ids = expand_ids(name);
    if (ids) arguments["nodes"] = *ids;
    arguments["target"] = name;
  }
  const int kinds =
      args->has("session") + args->has("group") + args->has("batch") + args->has("nodes");
  if (kinds != 1 || (args->has("server") && !args->has("batch"))) return usage(tool, self);
  if (args->has("server")) arguments["server"] = true;
  arguments["timeout"] = *timeout;
  const auto answer = tool.ask("ping", std::move(arguments));
  if (!answer) return kFailed;
  if (ctl::list_in(*answer, "nodes").empty()) return out("Target " + name + " is empty\n"), 0;
  return out(pinged(*answer)), 0;
}

}  // namespace ulnet::tools::lst
