#include "sim/world/handlers.h"

#include <utility>

#include "sim/kernel/seeds.h"

namespace ulnet::sim {

Handlers::~Handlers() { ready_.clear(); }

void Handlers::append(core::Post&& post) {
  const std::uint64_t cookie = post.strand.cookie;
  const auto [handle, queued] = queued_.make();
  queued->post = std::move(post);
  queued->self = handle;
  ++waiting_;
  if (Strand* busy = by_cookie_.find(cookie)) {
    Queued* last = queued_.find(busy->last);
    (last != nullptr ? last->next : busy->first) = handle;
    busy->last = handle;
    if (delay_ == Duration{} && !busy->ready.is_linked()) ready_.push_back(*busy);
    return;
  }
  const auto [self, strand] = strands_.make();
  strand->handlers = this;
  strand->self = self;
  strand->cookie = cookie;
  strand->first = strand->last = handle;
  by_cookie_.insert(cookie, strand);
  delay_ == Duration{} ? ready_.push_back(*strand) : later(*strand);
}

void Handlers::later(Strand& strand) { queue_.in(up_to(rng_, delay_), strand); }

/// Handles the strand's first event. Erases the strand when no event waits on it afterwards.
void Handlers::handle_next(Strand& strand) {
  Queued* queued = queued_.find(strand.first);
  const core::Post post = std::move(queued->post);
  const Handle done = strand.first;
  strand.first = queued->next;
  queued_.erase(done);
  strand.running = true;
  caller_.handle(post);
  strand.running = false;
  --waiting_;
  if (strand.first) return;
  if (strand.ready.is_linked()) ready_.erase(ready_.iterator_to(strand));
  by_cookie_.erase(strand.cookie);
  strands_.erase(strand.self);
}

void Handlers::run_all() {
  while (!ready_.empty()) {
    Strand& strand = ready_.front();
    ready_.pop_front();
    const bool more = queued_.find(strand.first)->next != Handle{};
    if (more) ready_.push_back(strand);
    handle_next(strand);
  }
}

void Handlers::run(Task& task) {
  auto& strand = static_cast<Strand&>(task);
  const Handle self = strand.self;
  handle_next(strand);
  if (Strand* left = strands_.find(self)) later(*left);
}

void Handlers::run_out(MdHandle md) {
  while (Strand* strand = by_cookie_.find(md.cookie)) {
    if (strand->running) return;
    handle_next(*strand);
  }
}

}  // namespace ulnet::sim
