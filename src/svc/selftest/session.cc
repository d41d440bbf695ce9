#include "svc/selftest/session.h"

namespace ulnet::svc::selftest {

void Batch::run() {
  for (const auto& test : tests_) {
    if (test == nullptr) continue;
    ++running_;
    test->run();
  }
}

void Batch::stop(bool abort) {
  for (const auto& test : tests_)
    if (test != nullptr) test->stop(abort);
}

std::optional<std::uint32_t> Batch::running_of(std::uint32_t index) const {
  if (index == 0 || index > tests_.size()) return std::nullopt;
  const Test* test = tests_[index - 1].get();
  return test == nullptr ? 0 : test->running();
}

std::uint32_t Session::running_batches() const {
  std::uint32_t running = 0;
  for (const auto& [number, batch] : batches) running += batch.running() != 0 ? 1 : 0;
  return running;
}

void Session::stop() {
  for (auto& [number, batch] : batches) batch.stop(true);
}

}  // namespace ulnet::svc::selftest
