// Round-trip times that a shard has measured for peer NIs of other shards. They are collected here
// and sent together, so that a response that crosses shards needs no inter-shard message for its
// time. Commands show the sum of the times collected here and those in the owner shards. Source:
// spec/cli-lnetctl.md 12.2, docs/PARTITIONS.md.
#pragma once

#include <array>
#include <optional>

#include "lnet/core/contract/shard_msg.h"

namespace ulnet::core {

class RoundTrips {
 public:
  using Row = shard_msg::RoundTrip;  ///< NID any: the row is empty

  /// Adds the time of a GET (`reply`) or of a PUT with ACK. If that displaces the row of another
  /// peer NI, returns that row, to be sent to its owner shard.
  std::optional<Row> add(const Nid& nid, bool reply, Duration took) {
    Row& row = row_of(nid);
    std::optional<Row> gone;
    if (row.nid != nid) {
      if (!row.nid.is_any()) gone = row;
      row = Row{nid, {}, {}};
    }
    (reply ? row.get_rtt : row.put_ack).add(took);
    return gone;
  }
  void forget(const Nid& nid) {
    if (Row& row = row_of(nid); row.nid == nid) row = {};
  }
  void clear() { rows_ = {}; }
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Row& row : rows_)
      if (!row.nid.is_any()) fn(row);
  }

 private:
  Row& row_of(const Nid& nid) { return rows_[NidHash{}(nid) % rows_.size()]; }

  std::array<Row, 16> rows_{};
};

}  // namespace ulnet::core
