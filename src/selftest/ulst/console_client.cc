#include "selftest/ulst/console_client.h"

#include <algorithm>
#include <array>

#include "admin/client/node_connection.h"

namespace ulnet::tools::lst {

namespace {

/// The console's commands that do not change its session.
constexpr auto kReadOnlyCommands = std::to_array<std::string_view>(
    {"show_session", "list_group", "list_batch", "query", "ping", "stat", "look", "latency"});

ctl::Intent intent_of(std::string_view command) {
  return std::ranges::find(kReadOnlyCommands, command) != kReadOnlyCommands.end()
             ? ctl::Intent::kShow
             : ctl::Intent::kChange;
}

class NodeConsole final : public ConsoleClient {
 public:
  explicit NodeConsole(std::string control) : node_(std::move(control)) {}

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override {
    const auto client = node_.open(intent_of(command));
    if (!client) return tl::unexpected(client.error());
    return (*client)->post("/v1/lst/" + command, arguments, patience);
  }

 private:
  ctl::NodeConnection node_;
};

}  // namespace

std::unique_ptr<ConsoleClient> console_of_node(std::string control) {
  return std::make_unique<NodeConsole>(std::move(control));
}

}  // namespace ulnet::tools::lst
