// The payload bytes of an NI (PayloadBytes): a payload counts when it has arrived, not when its
// header announces it.
#include "lnet/core/flow/accounting.h"

#include <gtest/gtest.h>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

std::uint64_t bytes_received(Pipe& pipe, End& end) {
  std::uint64_t bytes = 0;
  for (const auto& row : pipe.show(end).nis) bytes += row.stats.bytes.received;
  return bytes;
}

TEST(PayloadBytes, CountWhereTheMessageIsFor) {
  Pipe pipe;
  Recorder receiver;
  auto source = bytes(8), sink = bytes(16);
  pipe.attach(pipe.b, sink, &receiver);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr, 2);
  pipe.b.hold_lands = true;
  pipe.put(pipe.a, md, tcp(2));
  EXPECT_EQ(bytes_received(pipe, pipe.b), 0U);
  pipe.input(pipe.b, PayloadLanded{pipe.b.lands[0].msg, -ECONNRESET, Health::kRemoteError});
  EXPECT_EQ(bytes_received(pipe, pipe.b), 0U);
  pipe.b.lands.clear();
  pipe.put(pipe.a, md, tcp(2));
  pipe.release_lands(pipe.b);
  EXPECT_EQ(bytes_received(pipe, pipe.b), 8U);
}

TEST(PayloadBytes, CountAtARouter) {
  ONE_SHARD_ONLY();
  Routed p;
  p.r.hold_lands = true;
  auto source = bytes(5000);
  p.puts(source, 2);
  ASSERT_EQ(p.r.lands.size(), 2U);
  EXPECT_EQ(bytes_received(p, p.r), 0U);
  p.input(p.r, PayloadLanded{p.r.lands[0].msg, -ECONNRESET, Health::kOk});
  p.r.lands.erase(p.r.lands.begin());
  p.release_lands(p.r);
  EXPECT_EQ(bytes_received(p, p.r), 5000U);
}

}  // namespace
}  // namespace ulnet::core::test
