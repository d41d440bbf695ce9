#include "sim/streams.h"

namespace ulnet::sim {

class Streams::Impl {
 public:
  Impl(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model)
      : queue_(queue), wire_(wire), trace_(trace), rng_(rng), model_(model) {}
  EventQueue& queue_;
  Wire& wire_;
  Trace& trace_;
  Rng rng_;
  const StreamModel model_;
};

const char* to_string(StreamChange change) {
  switch (change) {
    case StreamChange::kDialled:
      return "dialled";
    case StreamChange::kConnected:
      return "connected";
    case StreamChange::kRefused:
      return "refused";
    case StreamChange::kDialTimedOut:
      return "dial timed out";
    case StreamChange::kAccepted:
      return "accepted";
    case StreamChange::kEnded:
      return "ended";
    case StreamChange::kReset:
      return "reset";
    case StreamChange::kClosed:
      return "closed";
  }
  return "?";
}

Streams::Streams(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model)
    : impl_(std::make_unique<Impl>(queue, wire, trace, rng, model)) {}
Streams::~Streams() = default;
std::size_t Streams::in_flight() const { return 0; }

// No stream is open yet: there is nothing to reset, to break or to stall.
void Streams::reset(Handle) {}
void Streams::half_open(Handle) {}
void Streams::stall(Handle, bool) {}
void Streams::between(Place, Place, std::vector<Handle>&) const {}

}  // namespace ulnet::sim
