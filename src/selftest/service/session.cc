#include "selftest/service/session.h"

#include <algorithm>

namespace ulnet::svc::selftest {

bool Batch::run() {
  const auto has_memory = [](const auto& test) { return test == nullptr || test->take_memory(); };
  if (!std::ranges::all_of(tests_, has_memory)) {
    for (const auto& test : tests_)
      if (test != nullptr) test->give_memory();
    return false;
  }
  for (const auto& test : tests_) {
    if (test == nullptr) continue;
    ++running_;
    test->run();
  }
  return true;
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

std::size_t Session::tests() const {
  std::size_t tests = 0;
  for (const auto& [number, batch] : batches) tests += batch.tests().size();
  return tests;
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
