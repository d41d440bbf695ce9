#include "selftest/service/request_buffers.h"

#include <algorithm>
#include <new>

namespace ulnet::svc::selftest {

void RequestBuffers::open(std::uint32_t requests) {
  const std::size_t requests_of_all = std::size_t{kChunkRequests} * cpts_;
  const std::size_t each = (requests + requests_of_all - 1) / requests_of_all;
  // A partition has at least two chunks: one takes requests while the other is being posted.
  wanted_ = std::max(wanted_, std::max<std::size_t>(each, 2) * cpts_);
  if (at_first_ == 0) at_first_ = wanted_;
  post_all();
}

void RequestBuffers::shrink() {
  wanted_ = std::min(wanted_, at_first_);
  for (std::size_t i = wanted_; i < chunks_.size(); ++i)
    if (chunks_[i]->md) (void)context_.lnet.md_unlink(chunks_[i]->md);
}

void RequestBuffers::close() {
  at_first_ = 0;
  waiting_.clear();
  shrink();
}

void RequestBuffers::post_all() {
  try {
    while (chunks_.size() < wanted_)
      chunks_.push_back(std::make_unique<Chunk>(*this, chunks_.size()));
  } catch (const std::bad_alloc&) {
    // With fewer chunks, requests wait in the lazy portal. Without any chunk, no event would call
    // this function again.
    if (chunks_.empty()) throw;
  }
  for (std::size_t i = 0; i < std::min(wanted_, chunks_.size()); ++i)
    if (!chunks_[i]->md) post(*chunks_[i]);
}

void RequestBuffers::post(Chunk& chunk) {
  MdSpec spec;
  spec.max_size = wire::kLstMessageBytes;
  spec.options = kOpPut | kMaxSize;
  Context::Entry entry = entry_;
  if (entry.cpt) entry.cpt = chunk.cpt;
  (void)context_.post(chunk.md, entry, spec, chunk.memory, chunk);
}

void RequestBuffers::taken(Chunk& chunk, const Event& event) {
  context_.note(event);
  if (event.unlinked) context_.ended(chunk.md);
  if (wanted_ == 0) return;
  if (event.type == EventType::kPut && event.status == 0)
    arrived(event, ByteView(chunk.memory).subspan(event.offset, event.mlength));
  if (event.unlinked && waiting_.empty()) post_all();
}

void RequestBuffers::arrived(const Event& event, ByteView bytes) {
  ++context_.rpc.received;
  const auto message = wire::decode_lst_message(bytes);
  if (!message || message->is_reply() ||
      static_cast<std::uint64_t>(message->service()) != event.match_bits.value) {
    ++context_.rpc.dropped;
    return;
  }
  const Arrived request{{event.source, event.initiator.pid}, event.target.nid, *message};
  server_.came(request);
  if (!waiting_.empty() || !server_.serve(request)) waiting_.push_back(request);
}

void RequestBuffers::offer() {
  if (waiting_.empty()) return;
  while (!waiting_.empty() && server_.serve(waiting_.front())) waiting_.pop_front();
  if (waiting_.empty()) post_all();
}

}  // namespace ulnet::svc::selftest
