// A target answers what it took exactly once: one ACK for a PUT that landed and wanted one, one
// REPLY for a GET, to whoever asked. Source: spec/core-semantics.md 6.3, 6.4.
#pragma once

#include <map>
#include <tuple>

#include "sim/checkers/books.h"

namespace ulnet::sim {

class AnswersOnce final : public Checker {
 public:
  AnswersOnce() : Checker("answers once", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// Whom, and by which handle of theirs.
  struct Debt {
    wire::MsgType type = wire::MsgType::kAck;
    Nid to;
    std::uint64_t life = 0, object = 0;
    auto operator<=>(const Debt&) const = default;
  };
  struct Book {
    Notes<Debt> landing;  ///< PUTs that want an ACK
    std::map<Debt, std::uint32_t> owed;
    std::map<Debt, std::uint32_t> asked;  ///< GETs that another shard may have a buffer for
    std::uint64_t received = 0;           ///< as counted by the node
  };
  static Debt debt(wire::MsgType type, const Nid& to, const wire::WireHandle& handle) {
    return {type, to, handle.interface_cookie, handle.object_cookie};
  }
  void sent(World& world, const ShardStep& step, Book& book, const core::Send& send);

  Books<Book> books_;
};

}  // namespace ulnet::sim
