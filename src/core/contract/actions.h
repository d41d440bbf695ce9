// What a step gives its host. Source: DESIGN.md 2, 3.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/contract/letter.h"
#include "core/contract/ports.h"

namespace ulnet::core {

/// The actions of a step, in their order, and the letters that its SendMails name. A step appends,
/// the host carries out and clears. The letters lie apart, since they are larger than any action
/// and most steps write none. The memory of both is kept from step to step, so a letter allocates
/// nothing (its lists of NIDs do). Not thread-safe.
class Actions : public std::vector<Action> {
 public:
  using std::vector<Action>::vector;

  /// A letter for the next SendMail; its body is what an earlier step left there. Valid until
  /// clear().
  Letter& next_letter() {
    if (written_ == letters_.size()) letters_.push_back(std::make_unique<Letter>());
    return *letters_[written_++];
  }
  void clear() {
    std::vector<Action>::clear();
    written_ = 0;
  }

 private:
  std::vector<std::unique_ptr<Letter>> letters_;  // the first `written_` are of this step
  std::size_t written_ = 0;
};

}  // namespace ulnet::core
