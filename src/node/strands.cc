#include "node/strands.h"

#include <utility>

#include "base/assert.h"

namespace ulnet::node {
namespace {

constexpr std::size_t kFirstBuckets = 64;
constexpr std::size_t kChunk = 32;

/// Takes from a free list, filling it by a chunk when it is empty.
template <class T>
T* take(T*& free_list, std::vector<std::unique_ptr<T[]>>& chunks, T* T::*next) {
  if (free_list == nullptr) {
    chunks.push_back(std::make_unique<T[]>(kChunk));
    for (std::size_t i = kChunk; i-- > 0;) {
      T& item = chunks.back()[i];
      item.*next = free_list;
      free_list = &item;
    }
  }
  T* taken = free_list;
  free_list = taken->*next;
  taken->*next = nullptr;
  return taken;
}

}  // namespace

Strands::Strands(Settler& host) : host_(host), buckets_(kFirstBuckets, nullptr) {}

Strand* Strands::append(core::Post&& post) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t cookie = post.strand.cookie;
  Strand* strand = find(cookie);
  const bool at_rest = strand == nullptr;
  if (at_rest) strand = make(cookie);
  Strand::Queued* queued = take(free_events_, event_chunks_, &Strand::Queued::next);
  queued->post = std::move(post);
  (strand->last != nullptr ? strand->last->next : strand->first) = queued;
  strand->last = queued;
  return at_rest ? strand : nullptr;
}

unsigned Strands::run(Strand& strand, unsigned budget, bool& more) {
  Strand::Queued* batch = nullptr;
  Strand::Queued* batch_last = nullptr;
  {
    const std::lock_guard lock(mutex_);
    unsigned count = 0;
    batch = strand.first;
    for (Strand::Queued* q = batch; q != nullptr && count < budget; q = q->next, ++count)
      batch_last = q;
    ULNET_ASSERT(batch_last != nullptr);
    strand.first = batch_last->next;
    if (strand.first == nullptr) strand.last = nullptr;
    batch_last->next = nullptr;
  }
  unsigned delivered = 0;
  for (Strand::Queued* q = batch; q != nullptr; q = q->next, ++delivered)
    if (q->post.sink != nullptr) q->post.sink->on_event(q->post.event);

  const std::lock_guard lock(mutex_);
  batch_last->next = free_events_;
  free_events_ = batch;
  more = strand.first != nullptr;
  if (!more) retire(strand);
  return delivered;
}

void Strands::wait_until_at_rest(std::uint64_t cookie) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  rested_.wait(lock, [&] { return find(cookie) == nullptr; });
  --waiting_;
}

void Strands::wait_until_all_at_rest() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  rested_.wait(lock, [&] { return live_ == 0; });
  --waiting_;
}

bool Strands::all_at_rest() {
  const std::lock_guard lock(mutex_);
  return live_ == 0;
}

bool Strands::at_rest(std::uint64_t cookie) {
  const std::lock_guard lock(mutex_);
  return find(cookie) == nullptr;
}

Strand* Strands::find(std::uint64_t cookie) const {
  Strand* strand = buckets_[bucket_of(cookie)];
  while (strand != nullptr && strand->cookie != cookie) strand = strand->next_in_bucket;
  return strand;
}

Strand* Strands::make(std::uint64_t cookie) {
  if (live_ == buckets_.size()) grow_buckets();
  Strand* strand = take(free_strands_, strand_chunks_, &Strand::next_in_bucket);
  strand->cookie = cookie;
  strand->home = this;
  Strand*& bucket = buckets_[bucket_of(cookie)];
  strand->next_in_bucket = bucket;
  bucket = strand;
  ++live_;
  return strand;
}

void Strands::retire(Strand& strand) {
  Strand** link = &buckets_[bucket_of(strand.cookie)];
  while (*link != &strand) link = &(*link)->next_in_bucket;
  *link = strand.next_in_bucket;
  strand.next_in_bucket = free_strands_;
  free_strands_ = &strand;
  --live_;
  if (waiting_ != 0) rested_.notify_all();
}

void Strands::grow_buckets() {
  std::vector<Strand*> old(buckets_.size() * 2, nullptr);
  old.swap(buckets_);
  for (Strand* strand : old)
    while (strand != nullptr) {
      Strand* next = std::exchange(strand->next_in_bucket, nullptr);
      Strand*& bucket = buckets_[bucket_of(strand->cookie)];
      strand->next_in_bucket = bucket;
      bucket = strand;
      strand = next;
    }
}

}  // namespace ulnet::node
