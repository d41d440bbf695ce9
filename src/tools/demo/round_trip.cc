#include "tools/demo/round_trip.h"

#include <condition_variable>
#include <mutex>
#include <optional>

#include "tools/demo/pattern.h"
#include "tools/demo/target.h"
#include "ulnet/handles.hpp"

namespace ulnet::demo {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(30);

class PingPong {
 public:
  PingPong(Lnet& lnet, const ProcessId& target, std::uint32_t size)
      : lnet_(lnet), seed_(seed_of(size, 7)), out_(size), back_(size) {
    request_.target = target;
    request_.portal = kEchoPortal;
    fill(out_, seed_);
  }

  Result<RoundTrips> run(std::chrono::duration<double> seconds) {
    const auto handler = [this](const Event& event) { on_event(event); };
    auto returned = MemoryDescriptor::attach(lnet_, {.portal = kReturnPortal}, back_,
                                             {.options = kOpPut | kManageRemote}, handler);
    if (!returned) return tl::unexpected(returned.error());
    returned_ = std::move(*returned);
    auto source = MemoryDescriptor::bind(lnet_, out_, {}, handler);
    if (!source) return tl::unexpected(source.error());
    source_ = std::move(*source);
    request_.md = source_.handle();

    start_ = Clock::now();
    until_ = start_ + std::chrono::duration_cast<Clock::duration>(seconds);
    throw_ball();
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [this] { return over_; })) {
      return fail(-ETIMEDOUT, "a PUT did not come back");
    }
    if (error_) return tl::unexpected(*error_);
    return figures();
  }

 private:
  void on_event(const Event& event) {
    if (event.unlinked) return;
    if (event.status != 0) {
      end(Error{event.status, "a PUT failed"});
    } else if (event.type == EventType::kPut) {
      const auto now = Clock::now();
      ++count_;
      if (now >= until_) {
        taken_ = now - start_;
        end(std::nullopt);
      } else {
        throw_ball();
      }
    }
  }
  void throw_ball() {
    if (auto begun = lnet_.put(request_); !begun) end(begun.error());
  }
  void end(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    if (error && !error_) error_ = std::move(error);
    over_ = true;
    changed_.notify_all();
  }
  RoundTrips figures() const {
    return {std::chrono::duration<double, std::micro>(taken_).count() / static_cast<double>(count_),
            count_, count_wrong(back_, seed_)};
  }

  Lnet& lnet_;
  const std::uint64_t seed_;
  PutRequest request_;
  std::uint64_t count_ = 0;
  Clock::time_point start_, until_;
  Clock::duration taken_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::optional<Error> error_;
  Buffer out_;
  Buffer back_;
  MemoryDescriptor returned_, source_;  // last: unlinked before what their handler uses goes
};

}  // namespace

Result<RoundTrips> round_trips(Lnet& lnet, const ProcessId& target, std::uint32_t size,
                               std::chrono::duration<double> seconds) {
  return PingPong(lnet, target, size).run(seconds);
}

}  // namespace ulnet::demo
