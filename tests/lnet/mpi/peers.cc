// Ranks of an MPI job as LNet nodes: after a barrier each pings every other one, and then they
// exchange messages of all sizes, both ways at a time, with full checking (design document 000,
// 3.). Run by mpirun; each rank has the NID RANK@mpi. Ends with 0 if every rank was content.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "lnet/lnd/mpi/mpi_lnd.h"
#include "lnet/node/node.h"

namespace ulnet::test {
namespace {

constexpr NetId kNet{NetType::kMpi, 0};
constexpr Portal kPortal{10};

Nid nid_of(int rank) { return Nid::small(kNet, static_cast<std::uint32_t>(rank)); }

std::vector<unsigned char> pattern(std::size_t length, int seed) {
  std::vector<unsigned char> bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<unsigned char>((i * 31 + static_cast<std::size_t>(seed) * 7) % 251);
  return bytes;
}

/// Counts the events of its MDs by type, and those with an error.
struct Counts : EventSink {
  void on_event(const Event& event) override {
    ++of[static_cast<std::size_t>(event.type)];
    if (event.status != 0) ++failed;
  }
  int count(EventType type) const { return of[static_cast<std::size_t>(type)]; }
  std::array<int, 7> of{};
  int failed = 0;
};

class Rank {
 public:
  Rank() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    lnd::mpi::Group group{&comm_, {}};
    for (int rank = 0; rank < size_; ++rank) group.hops.push_back({nid_of(rank), Pid::lustre()});
    node::DriverRow row;
    row.nets = kNet.type;
    row.make = [this, group](const node::DriverParts& parts) {
      return std::make_unique<lnd::mpi::MpiLnd>(parts.inlet, std::vector{group}, nid_of(rank_),
                                                lnd::mpi::MpiOptions{}, 1);
    };
    node::NodeOptions options;
    options.mode = Mode::kInline;
    node_ = expect(node::Node::start(options, {}, 0, {row}), "the node starts");
    if (node_ == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
    conf::NiItem ni;
    ni.interface = "mpi";
    expect(node_->change(conf::change::AddNi{kNet, ni}), "the NI starts");
  }
  ~Rank() {
    (void)node_->stop({});
    node_.reset();
    MPI_Comm_free(&comm_);
  }

  /// Waits for all ranks; the node goes on meanwhile.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    int done = 0;
    while (done == 0) {
      node_->progress(std::chrono::microseconds(100));
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }
  /// Polls until `condition`; after a minute it gives up.
  template <class Condition>
  bool until(Condition condition) {
    const double end = MPI_Wtime() + 60;
    while (!condition()) {
      if (MPI_Wtime() > end) return false;
      node_->progress(std::chrono::milliseconds(1));
    }
    return true;
  }

  void ping_all() {
    meet();
    for (int other = 0; other < size_; ++other) {
      PingRequest request;
      request.target = {nid_of(other), Pid::lustre()};
      request.timeout = std::chrono::seconds(60);
      const auto reply = expect(node_->ping(request), "a ping of rank " + std::to_string(other));
      expect_true(reply.primary == nid_of(other), "its primary NID");
    }
    meet();
  }

  /// Each rank sends PUTs with ACK to the next one, and GETs what the one before it has.
  void exchange(std::size_t length, int count) {
    const int next = (rank_ + 1) % size_;
    const auto from_before = pattern(length, (rank_ + size_ - 1) % size_);
    std::vector<unsigned char> source = pattern(length, rank_), sink(length), got(length);
    Counts target, readable, sender, getter;
    const MdHandle put_here = post(sink, kOpPut, MatchBits{1}, target);
    const MdHandle get_here = post(source, kOpGet, MatchBits{2}, readable);
    meet();
    const MdHandle put_md = bind(source, sender), get_md = bind(got, getter);
    for (int i = 0; i < count; ++i) {
      PutRequest put;
      put.md = put_md;
      put.target = {nid_of(next), Pid::lustre()};
      put.portal = kPortal;
      put.match_bits = {1};
      put.ack = AckRequest::kAck;
      expect(node_->put(put), "a PUT begins");
      GetRequest get;
      get.md = get_md;
      get.target = {nid_of((rank_ + size_ - 1) % size_), Pid::lustre()};
      get.portal = kPortal;
      get.match_bits = {2};
      expect(node_->get(get), "a GET begins");
    }
    const bool all = until([&] {
      return sender.count(EventType::kAck) == count && getter.count(EventType::kReply) == count &&
             target.count(EventType::kPut) == count && readable.count(EventType::kGet) == count;
    });
    const std::string what =
        std::to_string(count) + " messages of " + std::to_string(length) + " bytes";
    const auto counts = std::to_string(sender.count(EventType::kAck)) + " ACK, " +
                        std::to_string(getter.count(EventType::kReply)) + " REPLY, " +
                        std::to_string(target.count(EventType::kPut)) + " PUT, " +
                        std::to_string(readable.count(EventType::kGet)) + " GET";
    expect_true(all, what + ": all events come, and not only " + counts);
    expect_true(sender.failed + getter.failed + target.failed + readable.failed == 0,
                what + " succeed");
    expect_true(sink == from_before, what + ": the PUT's payload");
    expect_true(got == from_before, what + ": the GET's data");
    meet();
    for (const MdHandle md : {put_here, get_here, put_md, get_md}) (void)node_->md_unlink(md);
  }

  int rank() const { return rank_; }
  int failures() const { return failures_; }
  int checks() const { return checks_; }

 private:
  MdHandle post(std::vector<unsigned char>& bytes, std::uint32_t option, MatchBits bits,
                Counts& sink) {
    const iovec memory{bytes.data(), bytes.size()};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = option | kManageRemote;
    spec.sink = &sink;
    const MeHandle me = expect(node_->me_attach(kPortal, {Nid::any(), Pid::any()}, bits, {},
                                                UnlinkMode::kUnlink, InsertPosition::kAfter),
                               "an ME");
    return expect(node_->md_attach(me, spec, UnlinkMode::kRetain), "an MD");
  }
  MdHandle bind(std::vector<unsigned char>& bytes, Counts& sink) {
    const iovec memory{bytes.data(), bytes.size()};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.sink = &sink;
    return expect(node_->md_bind(spec, UnlinkMode::kRetain), "a bound MD");
  }
  template <class T>
  T expect(Result<T> result, const std::string& what) {
    expect_true(result.has_value(), result ? what
                                           : what + ": " + std::to_string(result.error().code) +
                                                 " " + result.error().reason);
    if constexpr (!std::is_void_v<T>) return result ? *std::move(result) : T{};
  }
  void expect_true(bool holds, const std::string& what) {
    ++checks_;
    if (holds) return;
    ++failures_;
    std::fprintf(stderr, "rank %d: not so: %s\n", rank_, what.c_str());
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, checks_ = 0, failures_ = 0;
  std::unique_ptr<node::Node> node_;
};

int run() {
  int checks = 0, failures = 0;
  {
    Rank rank;
    rank.ping_all();
    for (const std::size_t length : {0UL, 1UL, 4000UL, 100'000UL, 1'048'576UL})
      rank.exchange(length, length > 10'000 ? 20 : 200);
    checks = rank.checks();
    failures = rank.failures();
  }
  int all[2] = {checks - failures, failures}, sums[2] = {};
  MPI_Allreduce(all, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%d passed, %d failed\n", sums[0], sums[1]);
  return sums[1] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ulnet::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = ulnet::test::run();
  MPI_Finalize();
  return status;
}
