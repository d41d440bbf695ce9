#include "lnet/node/runtime/strands.h"

#include <utility>

#include "lnet/base/assert.h"

namespace ulnet::node {
namespace {

constexpr std::size_t kFirstBuckets = 64;
constexpr std::size_t kChunk = 32;

void set_next(Strand& strand, Strand* next) { strand.next_in_bucket = next; }
Strand* next_of(Strand& strand) { return strand.next_in_bucket; }
void set_next(Strand::Queued& queued, Strand::Queued* next) {
  queued.next.store(next, std::memory_order_relaxed);
}
Strand::Queued* next_of(Strand::Queued& queued) {
  return queued.next.load(std::memory_order_relaxed);
}

/// An exception that leaves a handler ends the program, because nothing can catch it.
void handle(const core::Post& post) noexcept {
  if (post.sink != nullptr) post.sink->on_event(post.event);
}

/// Adds a chunk to an empty free list. Not inlined: it is rare.
template <class T>
[[gnu::noinline]] void fill(T*& free_list, std::vector<std::unique_ptr<T[]>>& chunks) {
  chunks.push_back(std::make_unique<T[]>(kChunk));
  for (std::size_t i = kChunk; i-- > 0;) {
    T& item = chunks.back()[i];
    set_next(item, free_list);
    free_list = &item;
  }
}

/// Takes from a free list.
template <class T>
T* take(T*& free_list, std::vector<std::unique_ptr<T[]>>& chunks) {
  if (free_list == nullptr) fill(free_list, chunks);
  T* taken = free_list;
  free_list = next_of(*taken);
  set_next(*taken, nullptr);
  return taken;
}

}  // namespace

Strands::Strands(DeferredWork& host)
    : host_(host), buckets_(kFirstBuckets, nullptr), mask_(kFirstBuckets - 1) {}

Strand* Strands::append(const core::Post& post) {
  const std::lock_guard lock(lock_);
  const std::uint64_t cookie = post.strand.cookie;
  Strand::Queued* queued = take(free_events_, event_chunks_);
  queued->post = post;
  Strand* busy = find(bucket_of(cookie), cookie);
  if (busy == nullptr) return make(cookie, queued);
  busy->last->next.store(queued, std::memory_order_release);
  busy->last = queued;
  return nullptr;
}

unsigned Strands::run(Strand& strand, unsigned budget, bool& more) {
  ULNET_ASSERT(budget != 0);
  Strand::Queued* const batch = strand.first;
  Strand::Queued* done = nullptr;
  unsigned delivered = 0;
  for (Strand::Queued* q = batch; q != nullptr && delivered < budget; ++delivered) {
    handle(q->post);
    done = q;
    q = q->next.load(std::memory_order_acquire);
  }
  {
    const std::lock_guard lock(lock_);
    more = done != strand.last;
    strand.first = next_of(*done);
    set_next(*done, free_events_);
    free_events_ = batch;
    if (!more) retire(strand);
  }
  if (!more && waiting_.load(std::memory_order_relaxed) != 0) {
    // A thread that began to wait before the strand retired is woken here: it took lock_ in
    // between.
    const std::lock_guard lock(waiting_mutex_);
    rested_.notify_all();
  }
  return delivered;
}

template <class Condition>
void Strands::wait_until(Condition condition) {
  std::unique_lock lock(waiting_mutex_);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  rested_.wait(lock, condition);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Strands::wait_until_at_rest(std::uint64_t cookie) {
  wait_until([&] { return at_rest(cookie); });
}

void Strands::wait_until_all_at_rest() {
  wait_until([&] { return all_at_rest(); });
}

bool Strands::all_at_rest() {
  const std::lock_guard lock(lock_);
  return live_ == 0;
}

Strands::Count Strands::count() {
  const std::lock_guard lock(lock_);
  return {made_, live_};
}

bool Strands::at_rest(std::uint64_t cookie) {
  const std::lock_guard lock(lock_);
  return find(bucket_of(cookie), cookie) == nullptr;
}

Strand* Strands::find(Strand* bucket, std::uint64_t cookie) {
  Strand* strand = bucket;
  while (strand != nullptr && strand->cookie != cookie) strand = strand->next_in_bucket;
  return strand;
}

Strand* Strands::make(std::uint64_t cookie, Strand::Queued* queued) {
  if (live_ > mask_) grow_buckets();
  Strand* strand = take(free_strands_, strand_chunks_);
  strand->cookie = cookie;
  strand->owner = this;
  strand->first = strand->last = queued;
  Strand*& bucket = bucket_of(cookie);
  strand->next_in_bucket = bucket;
  bucket = strand;
  ++live_;
  ++made_;
  return strand;
}

void Strands::retire(Strand& strand) {
  Strand** link = &bucket_of(strand.cookie);
  while (*link != &strand) link = &(*link)->next_in_bucket;
  *link = strand.next_in_bucket;
  strand.next_in_bucket = free_strands_;
  free_strands_ = &strand;
  --live_;
}

void Strands::grow_buckets() {
  std::vector<Strand*> old(buckets_.size() * 2, nullptr);
  old.swap(buckets_);
  mask_ = buckets_.size() - 1;
  for (Strand* strand : old)
    while (strand != nullptr) {
      Strand* next = std::exchange(strand->next_in_bucket, nullptr);
      Strand*& bucket = bucket_of(strand->cookie);
      strand->next_in_bucket = bucket;
      bucket = strand;
      strand = next;
    }
}

}  // namespace ulnet::node
