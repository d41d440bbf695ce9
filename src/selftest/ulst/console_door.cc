#include "selftest/ulst/console_door.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "admin/client/node_door.h"

namespace ulnet::tools::lst {

namespace {

/// The console's commands that do not change its session.
constexpr auto kThatShow = std::to_array<std::string_view>(
    {"show_session", "list_group", "list_batch", "query", "ping", "stat", "look", "latency"});

ctl::Intent intent_of(std::string_view command) {
  return std::ranges::find(kThatShow, command) != kThatShow.end() ? ctl::Intent::kShow
                                                                  : ctl::Intent::kChange;
}

class NodeConsole final : public ConsoleDoor {
 public:
  explicit NodeConsole(std::string control) : node_(std::move(control)) {}

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override {
    const auto door = node_.open(intent_of(command));
    if (!door) return tl::unexpected(door.error());
    return (*door)->post("/v1/lst/" + command, arguments, patience);
  }

 private:
  ctl::NodeDoor node_;
};

}  // namespace

std::unique_ptr<ConsoleDoor> console_of_node(std::string control) {
  return std::make_unique<NodeConsole>(std::move(control));
}

}  // namespace ulnet::tools::lst
