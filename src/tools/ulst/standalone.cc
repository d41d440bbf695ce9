#include "tools/ulst/standalone.h"

#include <optional>

#include "node/control/lst_desk.h"
#include "node/selftest_console.h"
#include "ulnet/node.hpp"

namespace ulnet::tools::lst {

namespace {

constexpr std::chrono::seconds kEndTime{5};

class Standalone final : public ConsoleDoor {
 public:
  Standalone(std::shared_ptr<Node> node, std::unique_ptr<node::SelftestConsole> selftest)
      : node_(std::move(node)), selftest_(std::move(selftest)) {}
  ~Standalone() override {
    end_session();
    selftest_->stop(kEndTime);
    node_->stop(kEndTime);
  }

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds /*patience*/) override {
    const auto answer = std::make_shared<std::optional<Result<Tree>>>();
    // As text, as through a door: numbers lose their C++ types.
    const bool over = selftest_->run([answer, command, said = arguments.dump()](
                                         auto& console, const std::function<void()>& done) {
      node::control::console_command(console, command, Tree::parse(said),
                                     [answer, done](Result<Tree> result) {
                                       *answer = std::move(result);
                                       done();
                                     });
    });
    if (!over) return fail(-ESHUTDOWN, "the node is stopping");
    return std::move(**answer);
  }

 private:
  void end_session() {
    const auto session = call("show_session", Tree::object(), kEndTime);
    if (session) (void)call("end_session", {{"key", session->at("key")}}, kEndTime);
  }

  std::shared_ptr<Node> node_;
  std::unique_ptr<node::SelftestConsole> selftest_;
};

}  // namespace

Result<std::unique_ptr<ConsoleDoor>> standalone_console(const StandaloneOptions& options) {
  NodeOptions wish;
  wish.name = "ulst";
  wish.networks = options.networks;
  wish.params = options.params;
  auto started = Node::start(wish);
  if (!started) return tl::unexpected(started.error());
  std::shared_ptr<Node> node = std::move(*started);
  auto selftest = node::SelftestConsole::start(node);
  if (!selftest) return tl::unexpected(selftest.error());
  return std::make_unique<Standalone>(std::move(node), std::move(*selftest));
}

}  // namespace ulnet::tools::lst
