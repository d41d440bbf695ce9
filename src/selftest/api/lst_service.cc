#include "selftest/api/lst_service.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "selftest/api/lst_api.h"
#include "selftest/host/selftest_console.h"

namespace ulnet::node::control {

namespace {

class SelftestService final : public NodeService {
 public:
  explicit SelftestService(std::unique_ptr<SelftestConsole> console)
      : console_(std::move(console)) {}

  std::optional<Result<Json>> run(const std::string& command, const Json& arguments) override {
    // Shared with the command. When the node stops, this thread stops waiting, but the command may
    // still write its answer.
    const auto answer = std::make_shared<std::optional<Result<Json>>>();
    const bool over = console_->run(
        [answer, command, arguments](auto& console, const std::function<void()>& done) {
          console_command(console, command, arguments, [answer, done](Result<Json> result) {
            *answer = std::move(result);
            done();
          });
        });
    return over ? std::move(*answer) : std::nullopt;
  }
  void set_param(const std::string& name, const std::string& value) override {
    console_->set_param(name, value);
  }
  bool stop(std::chrono::nanoseconds deadline) override { return console_->stop(deadline); }

 private:
  const std::unique_ptr<SelftestConsole> console_;
};

}  // namespace

Result<std::shared_ptr<NodeService>> start_lst(const std::shared_ptr<Node>& node) {
  auto console = SelftestConsole::start(node, node->params());
  if (!console) return tl::unexpected(console.error());
  return std::make_shared<SelftestService>(*std::move(console));
}

}  // namespace ulnet::node::control
