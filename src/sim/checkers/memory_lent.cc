#include "sim/checkers/memory_lent.h"

#include <algorithm>

#include "core/step.h"
#include "sim/world.h"

namespace ulnet::sim {

void MemoryLent::lend(Book& book, MdHandle md, const MdSpec& spec) {
  Loan& loan = book.loans[md.cookie];
  loan.told = spec.sink != nullptr;
  for (const iovec& fragment : spec.fragments) {
    const auto begin = reinterpret_cast<std::uintptr_t>(fragment.iov_base);
    loan.pieces.push_back({begin, begin + fragment.iov_len, md.cookie});
    book.pieces.insert(loan.pieces.back());
    book.longest = std::max<std::uintptr_t>(book.longest, fragment.iov_len);
  }
}

void MemoryLent::give_back(Book& book, std::uint64_t md) {
  const auto found = book.loans.find(md);
  if (found == book.loans.end()) return;
  for (const Piece& piece : found->second.pieces) book.pieces.erase(piece);
  book.loans.erase(found);
}

void MemoryLent::after_step(World&, const ShardStep& step) {
  if (const auto* bind = answered<core::call::MdBind>(step.input))
    lend(books_.of(step.node), bind->md, bind->spec);
  else if (const auto* attach = answered<core::call::MdAttach>(step.input))
    lend(books_.of(step.node), attach->md, attach->spec);
}

void MemoryLent::on_event(World&, SimNode& node, const core::Post& post) {
  if (post.event.unlinked) give_back(books_.of(node), post.strand.cookie);
}

void MemoryLent::on_memory(World& world, SimNode& node, const iovec& memory, bool written) {
  const core::ShardState* state = node.shard_state();
  if (state == nullptr || memory.iov_len == 0) return;
  Book& book = books_.of(node);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.iov_base);
  const std::uintptr_t end = begin + memory.iov_len;
  for (auto at = book.pieces.upper_bound({begin, ~std::uintptr_t{0}, ~std::uint64_t{0}});
       at != book.pieces.begin();) {
    const Piece& piece = *--at;
    if (begin - piece.begin > book.longest) break;
    if (piece.end < end) continue;
    const MdHandle md{piece.md};
    if (book.loans[piece.md].told || home_of(node, md)->memory.find(md) != nullptr) return;
  }
  bool own = false;
  state->own.mds.for_each([&](Handle, const core::OwnMd& md) {
    const auto from = reinterpret_cast<std::uintptr_t>(md.bytes.data());
    own = own || (from <= begin && end <= from + md.bytes.size());
  });
  if (!own)
    violation(world, &node,
              std::to_string(memory.iov_len) + " bytes were " + (written ? "written" : "read") +
                  " where nothing is lent any more");
}

/// MDs without a handler go unseen.
void MemoryLent::check_all(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (world.node(i).shard_state() == nullptr) continue;
    Book& book = books_.of(world.node(i));
    std::vector<std::uint64_t> gone;
    for (const auto& [md, loan] : book.loans)
      if (!loan.told && home_of(world.node(i), {md})->memory.find(MdHandle{md}) == nullptr)
        gone.push_back(md);
    for (const std::uint64_t md : gone) give_back(book, md);
  }
}

}  // namespace ulnet::sim
