#include "ulnetd/fold_sink.h"

#include <fmt/format.h>

#include <algorithm>

namespace ulnet::tools {

void FoldSink::sink_it_(const spdlog::details::log_msg& message) {
  if (message.level < spdlog::level::warn) {
    below_->log(message);
    return;
  }
  const std::string_view text(message.payload.data(), message.payload.size());
  const auto same = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
    return seen.level == message.level && seen.text == text;
  });
  if (same != seen_.end() && message.time - same->since < kWhile) {
    ++same->repeats;
    return;
  }
  if (same != seen_.end()) {
    show_count(*same);
    seen_.erase(same);
  } else if (seen_.size() == kRemembered) {
    show_count(seen_.front());
    seen_.pop_front();
  }
  seen_.push_back({message.level, std::string(text), message.time});
  below_->log(message);
}

void FoldSink::show_due(spdlog::log_clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  while (!seen_.empty() && now - seen_.front().since >= kWhile) {
    show_count(seen_.front());
    seen_.pop_front();
  }
}

void FoldSink::show_all() {
  const std::scoped_lock lock(mutex_);
  for (const Seen& seen : seen_) show_count(seen);
  seen_.clear();
  below_->flush();
}

void FoldSink::continue_in(spdlog::sink_ptr below) {
  const std::scoped_lock lock(mutex_);
  below_->flush();
  below_ = std::move(below);
}

void FoldSink::show_count(const Seen& seen) {
  if (seen.repeats == 0) return;
  const std::string times = seen.repeats == 1 ? "once" : fmt::format("{} times", seen.repeats);
  const std::string text = fmt::format("{} (repeated {})", seen.text, times);
  below_->log(spdlog::details::log_msg(spdlog::string_view_t(), seen.level, text));
}

}  // namespace ulnet::tools
