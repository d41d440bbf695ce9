#include "selftest/ulst/standalone.h"

#include <unistd.h>

#include <atomic>
#include <optional>

#include "lnet/node/runtime/clock.h"
#include "selftest/api/lst_api.h"
#include "selftest/host/selftest_console.h"
#include "selftest/ulst/end_on_signal.h"
#include "ulnet/node.hpp"

namespace ulnet::tools::lst {

namespace {

constexpr std::chrono::seconds kEndTime{5};

class Standalone final : public ConsoleClient {
 public:
  Standalone(std::shared_ptr<Node> node, std::unique_ptr<node::SelftestConsole> selftest)
      : node_(std::move(node)), selftest_(std::move(selftest)) {}
  ~Standalone() override {
    signals_.reset();
    end_session();
    selftest_->stop(kEndTime);
    node_->stop(kEndTime);
  }

  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds /*patience*/) override {
    auto answer = ask(command, arguments, kNever);
    while (leaving_) ::pause();  // the process is ending: the call must not return a result
    return answer;
  }

 private:
  Result<Tree> ask(const std::string& command, const Tree& arguments, Instant until) {
    const auto answer = std::make_shared<std::optional<Result<Tree>>>();
    // Arguments travel as text, as through the control API, so that numbers lose their C++ types.
    const bool over = selftest_->run(
        [answer, command, said = arguments.dump()](auto& console,
                                                   const std::function<void()>& done) {
          node::control::console_command(console, command, Tree::parse(said),
                                         [answer, done](Result<Tree> result) {
                                           *answer = std::move(result);
                                           done();
                                         });
        },
        until);
    if (!over) return fail(-ESHUTDOWN, "the node is stopping");
    return std::move(**answer);
  }

  /// Ends the session, but waits at most kEndTime for nodes that do not answer.
  void end_session() {
    const Instant until = node::now() + kEndTime;
    const auto session = ask("show_session", Tree::object(), until);
    if (session) (void)ask("end_session", {{"key", session->at("key")}}, until);
  }
  void leave() {
    leaving_ = true;
    selftest_->interrupt();
    end_session();
  }

  std::shared_ptr<Node> node_;
  std::unique_ptr<node::SelftestConsole> selftest_;
  std::atomic<bool> leaving_ = false;
  std::optional<EndOnSignal> signals_{[this] { leave(); }};
};

}  // namespace

Result<std::unique_ptr<ConsoleClient>> standalone_console(const StandaloneOptions& options) {
  NodeOptions node_options;
  node_options.name = "ulst";
  node_options.networks = options.networks;
  node_options.params = options.params;
  auto started = Node::start(node_options);
  if (!started) return tl::unexpected(started.error());
  std::shared_ptr<Node> node = std::move(*started);
  auto selftest = node::SelftestConsole::start(node, options.params);
  if (!selftest) return tl::unexpected(selftest.error());
  return std::make_unique<Standalone>(std::move(node), std::move(*selftest));
}

}  // namespace ulnet::tools::lst
