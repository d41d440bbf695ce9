#include "ulnetd/reload_requests.h"

#include <utility>

namespace ulnet::tools {

using node::control::Reloaded;

namespace {

tl::unexpected<Error> ending() { return fail(-ESHUTDOWN, "the daemon is ending"); }

}  // namespace

Result<Reloaded> ReloadRequests::ask() {
  std::future<Result<Reloaded>> answer;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return ending();
    answer = waiting_.emplace_back().get_future();
    asked_.raise();
  }
  return answer.get();
}

std::vector<ReloadRequests::Answer> ReloadRequests::take_waiting() {
  const std::scoped_lock lock(mutex_);
  asked_.lower();
  return std::exchange(waiting_, {});
}

void ReloadRequests::serve(const std::function<Reloaded()>& reload) {
  std::vector<Answer> waiting = take_waiting();
  if (waiting.empty()) return;
  const Reloaded done = reload();
  for (Answer& answer : waiting) answer.set_value(done);
}

void ReloadRequests::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  for (Answer& answer : take_waiting()) answer.set_value(ending());
}

}  // namespace ulnet::tools
