// What a checker writes down of each node, or of each shard of it: one book per life, made when the
// checker first looks at it, and notes about messages by their tickets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/slab.h"
#include "core/cookie.h"
#include "core/step.h"
#include "sim/node.h"

namespace ulnet::sim {

template <class Book>
class Books {
 public:
  /// Empty in a life that it has not seen. Stays where it is until the next life.
  Book& of(const SimNode& node, std::uint32_t shard = 0) {
    if (node.number() >= pages_.size()) pages_.resize(node.number() + 1);
    Page& page = pages_[node.number()];
    if (page.life != node.life()) page.books.clear();
    page.life = node.life();
    if (shard >= page.books.size()) page.books.resize(shard + 1);
    if (page.books[shard] == nullptr) page.books[shard] = std::make_unique<Book>();
    return *page.books[shard];
  }

 private:
  struct Page {
    std::uint32_t life = 0;
    std::vector<std::unique_ptr<Book>> books;
  };
  std::vector<Page> pages_;
};

/// Notes by the handle of what they are about: a slot each, as in the slab that gave it out.
template <class Note>
class Notes {
 public:
  Note& add(Handle handle, Note note) {
    std::vector<Cell>& cells = shard_of(handle);
    const std::uint32_t slot = handle.slot & kSlots;
    if (slot >= cells.size()) cells.resize(slot + 1);
    Cell& cell = cells[slot];
    if (cell.generation == 0) ++size_;
    cell.generation = handle.generation;
    cell.note = std::move(note);
    return cell.note;
  }
  Note* find(Handle handle) {
    std::vector<Cell>& cells = shard_of(handle);
    const std::uint32_t slot = handle.slot & kSlots;
    if (slot >= cells.size() || handle.generation == 0) return nullptr;
    Cell& cell = cells[slot];
    return cell.generation == handle.generation ? &cell.note : nullptr;
  }
  void erase(Handle handle) {
    if (find(handle) == nullptr) return;
    shard_of(handle)[handle.slot & kSlots] = {};
    --size_;
  }
  std::size_t size() const { return size_; }
  /// In the order of shards and slots.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (std::uint32_t shard = 0; shard < shards_.size(); ++shard)
      for (std::uint32_t slot = 0; slot < shards_[shard].size(); ++slot)
        if (Cell& cell = shards_[shard][slot]; cell.generation != 0)
          fn(Handle{shard << core::kTicketSlotBits | slot, cell.generation}, cell.note);
  }

 private:
  struct Cell {
    std::uint32_t generation = 0;
    Note note{};
  };
  static constexpr std::uint32_t kSlots = (1U << core::kTicketSlotBits) - 1;
  std::vector<Cell>& shard_of(Handle handle) {
    const std::uint32_t shard = core::shard_of(handle);
    if (shard >= shards_.size()) shards_.resize(shard + 1);
    return shards_[shard];
  }

  std::vector<std::vector<Cell>> shards_;
  std::size_t size_ = 0;
};

/// A message that is with a driver, as the driver calls it.
struct Rx {
  core::NiId ni;
  std::uint64_t ticket = 0;
  auto operator<=>(const Rx&) const = default;
};

/// These NIDs are known to be one node's.
inline bool same_peer(const core::ShardState& state, const Nid& a, const Nid& b) {
  return state.peers.primary_of(a) == state.peers.primary_of(b);
}

/// Calls `fn(state, shard)` for each shard of a node that lives.
template <class Fn>
void for_each_shard(const SimNode& node, Fn&& fn) {
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
    if (const core::ShardState* state = node.shard_state(shard)) fn(*state, shard);
}
/// The shard where this MD lives, or would; null when the node does not.
inline const core::ShardState* home_of(const SimNode& node, MdHandle md) {
  const std::uint32_t shard = core::shard_of_cookie(md.cookie);
  return shard < node.shards() ? node.shard_state(shard) : nullptr;
}

/// The call that a step answered, if that is what it did and the call went well; else null.
template <class Call>
const Call* answered(const core::Input& input) {
  const auto* api = std::get_if<core::Api>(&input);
  return api == nullptr || api->call->status != 0 ? nullptr : std::get_if<Call>(&api->call->body);
}
/// The letter that a step took, if that is what it did and it is such a one; else null.
template <class Body>
const Body* letter_in(const core::Input& input) {
  const auto* mail = std::get_if<core::Mail>(&input);
  return mail == nullptr ? nullptr : std::get_if<Body>(&mail->letter->body);
}

/// The letter that an action sends, if that is what it is and it is such a one; else null.
template <class Body>
const Body* letter_of(const core::Action& action) {
  const auto* mail = std::get_if<core::SendMail>(&action);
  return mail == nullptr ? nullptr : std::get_if<Body>(&mail->letter->body);
}

/// The step may have learnt which NIDs are one peer's: from a push or the answer to a ping that is
/// whole, at the control shard; elsewhere from what that shard tells the others.
inline bool may_tell_of_peers(const ShardStep& step) {
  if (letter_in<core::letter::Publish>(step.input) != nullptr) return true;
  return step.shard == core::kControlShard &&
         (std::holds_alternative<core::PayloadLanded>(step.input) ||
          letter_in<core::letter::Ended>(step.input) != nullptr);
}

/// The NIDs whose entries an administrator had this shard delete in the step.
inline std::span<const Nid> deleted(const core::Input& input) {
  if (const auto* del = answered<core::call::PeerDel>(input)) return del->gone;
  const auto* forget = letter_in<core::letter::Forget>(input);
  return forget == nullptr ? std::span<const Nid>() : forget->nids;
}

}  // namespace ulnet::sim
