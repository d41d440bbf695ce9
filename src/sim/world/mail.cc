#include "sim/world/mail.h"

#include <algorithm>

namespace ulnet::sim {

void Mails::send(std::uint32_t from, std::uint32_t to, core::Letter&& letter) {
  std::unique_ptr<Mail>& mail = pairs_[{from, to}];
  if (mail == nullptr) mail = std::make_unique<Mail>(from, to, due_);
  const auto most = static_cast<std::uint64_t>(delay_.count()) + 1;
  Instant when = queue_.now() + Duration(static_cast<std::int64_t>(rng_.below(most)));
  if (!mail->items.empty()) when = std::max(when, mail->items.back().when);
  mail->items.push_back({when, std::move(letter)});
  ++count_;
  queue_.by(mail->items.front().when, *mail);
}

core::Letter Mails::take(Mail& mail) {
  core::Letter letter = std::move(mail.items.front().letter);
  mail.items.pop_front();
  --count_;
  if (!mail.items.empty()) queue_.by(mail.items.front().when, mail);
  return letter;
}

}  // namespace ulnet::sim
