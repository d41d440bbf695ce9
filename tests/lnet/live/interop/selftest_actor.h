// The selftest in place of the upper layer of a captured session: it serves, sends the recorded
// requests of a console, and runs a test client in place of the recorded one.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "selftest/host/selftest_host.h"

namespace ulnet::interop {

class SelftestActor {
 public:
  using Say = std::function<void(const nlohmann::json& line)>;

  /// `say` may be called from any thread.
  SelftestActor(Lnet& lnet, Say say);
  Result<void> start() { return host_.start(); }
  void stop() { (void)host_.stop(std::chrono::seconds(5)); }
  /// Carries out the commands rpc, test and result.
  void obey(const nlohmann::json& command);

 private:
  using Selftest = svc::selftest::Selftest;

  void rpc(const nlohmann::json& command, Selftest& selftest);
  void test(const nlohmann::json& command, Selftest& selftest);
  void ask_self(Selftest& selftest, wire::LstBody body, std::vector<std::byte> offered,
                std::function<void()> then);
  void result(const nlohmann::json& command, const Selftest& selftest);

  Lnet& lnet_;
  const Say say_;
  node::SelftestHost host_;
};

}  // namespace ulnet::interop
