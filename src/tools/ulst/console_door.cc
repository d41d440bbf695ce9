#include "tools/ulst/console_door.h"

#include <nlohmann/json.hpp>

#include "tools/shell/door.h"

namespace ulnet::tools::lst {

namespace {

class NodeConsole final : public ConsoleDoor {
 public:
  explicit NodeConsole(std::string control) : control_(std::move(control)) {}

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override {
    if (door_ == nullptr) {
      auto door = open_door(control_);
      if (!door) return tl::unexpected(door.error());
      door_ = std::move(*door);
    }
    return door_->post("/v1/lst/" + command, arguments, patience);
  }

 private:
  const std::string control_;
  std::unique_ptr<ctl::DoorClient> door_;
};

}  // namespace

std::unique_ptr<ConsoleDoor> console_of_node(std::string control) {
  return std::make_unique<NodeConsole>(std::move(control));
}

}  // namespace ulnet::tools::lst
