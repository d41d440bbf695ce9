// LNet selftest's messages: 160 bytes each, whatever they say. One struct for each request and
// reply, and the list of destinations that a test client reads. Source: spec/wire-selftest.md 1 to
// 4, 8.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "ulnet/nid.hpp"
#include "wire/fault.h"

namespace ulnet::wire {

inline constexpr std::size_t kLstMessageBytes = 160;
inline constexpr std::uint32_t kLstVersion = 1;
/// Features of a session (2.3): sizes of bulk data in bytes instead of pages; all that are known.
inline constexpr std::uint32_t kLstFeatureBulkLength = 0x1;
inline constexpr std::uint32_t kLstFeatures = kLstFeatureBulkLength;

// Where messages go (1.1): requests to test services, to framework services; replies and bulk data.
inline constexpr std::uint32_t kLstTestPortal = 50;
inline constexpr std::uint32_t kLstFrameworkPortal = 51;
inline constexpr std::uint32_t kLstReplyPortal = 52;

/// What a node serves (1.1); the match bits of its requests.
enum class LstService : std::uint32_t {
  kDebug = 0,
  kMakeSession = 1,
  kRemoveSession = 2,
  kBatch = 3,
  kTest = 4,
  kStat = 5,
  kJoin = 6,  ///< consoles only
  kBrw = 11,  ///< bulk read and write
  kPing = 12,
};
/// "batch".
const char* to_string(LstService service);
constexpr bool is_test_service(LstService service) { return service >= LstService::kBrw; }

/// Who holds a session: the NID of its console and the console's clock in milliseconds (2.4). As
/// made it names none.
struct LstSessionId {
  Nid console;  ///< with a 4-byte address: selftest has no form for others
  std::int64_t stamp = -1;
  bool is_none() const { return console.is_any(); }
  bool operator==(const LstSessionId&) const = default;
};

/// A name of at most 31 characters, as it travels.
class LstName {
 public:
  static constexpr std::size_t kBytes = 32;
  LstName() = default;
  /// What is too long is cut.
  explicit LstName(std::string_view text);
  std::string_view text() const { return {bytes_.data()}; }
  /// All 32 bytes, zeros behind the text.
  const std::array<char, kBytes>& bytes() const { return bytes_; }
  bool operator==(const LstName&) const = default;

 private:
  std::array<char, kBytes> bytes_{};
};

// Every request has `rpyid`: the match bits under which its sender awaits the reply. `bulkid` is
// the same for data. Every reply has `status`: 0 or a positive errno (8).

struct LstMakeSession {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  std::uint32_t force = 0;
  LstName name;
  bool operator==(const LstMakeSession&) const = default;
};
struct LstMakeSessionReply {
  std::uint32_t status = 0;
  LstSessionId session;
  std::uint32_t timeout = 0;  ///< seconds without a word from the console
  LstName name;               ///< with EBUSY: of the session that is in the way
  // Behind the body, where production nodes leave zeros or stale bytes and read nothing: ulnet's
  // mark (docs/SELFTEST.md).
  std::uint64_t sign = 0;       ///< lst_sign() of the session, or the sender is no ulnet node
  std::uint32_t abilities = 0;  ///< kLstTellsLatency and those beside it
  bool operator==(const LstMakeSessionReply&) const = default;
};
/// What a ulnet node can do that others cannot: LstStat with kLstStatLatency is understood; checks
/// kDiscard and offsets do not stop it (4.2, 6); nor do lengths that are no multiple of 8, which it
/// takes as a client only where LstBrwBytes says any_length.
inline constexpr std::uint32_t kLstTellsLatency = 0x1, kLstTakesRisks = 0x2, kLstAnyLength = 0x4;
inline constexpr std::uint32_t kLstAbilities = kLstTellsLatency | kLstTakesRisks | kLstAnyLength;
/// Differs from session to session, so that what another reply left in a buffer is not taken for a
/// mark.
std::uint64_t lst_sign(const LstSessionId& session);
/// Of the sender: 0 unless the reply's sign is that of its session.
std::uint32_t lst_abilities(const LstMakeSessionReply& reply);
struct LstRemoveSession {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  bool operator==(const LstRemoveSession&) const = default;
};
struct LstRemoveSessionReply {
  std::uint32_t status = 0;
  LstSessionId session;
  bool operator==(const LstRemoveSessionReply&) const = default;
};

enum class LstBatchOp : std::uint32_t { kRun = 1, kStop = 2, kQuery = 3 };
struct LstBatch {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  std::uint64_t batch = 0;
  LstBatchOp op{};               ///< any value may come from the wire
  std::uint32_t test_index = 0;  ///< kQuery: 0 is the whole batch, n the n-th test of that node
  std::uint32_t argument = 0;    ///< kStop: not 0 aborts what is under way; kRun: seconds, unused
  bool operator==(const LstBatch&) const = default;
};
struct LstBatchReply {
  std::uint32_t status = 0;
  LstSessionId session;
  std::uint32_t active = 0;     ///< client tests that run; of one test, its units
  std::uint32_t time_left = 0;  ///< unused
  bool operator==(const LstBatchReply&) const = default;
};

/// LstStat::type of ulnet's own (docs/SELFTEST.md): asks a node with kLstTellsLatency, and none
/// else, for an LstLatency. It puts those under `bulkid`, and then answers as ever; when it refuses
/// nothing is put.
inline constexpr std::uint32_t kLstStatLatency = 0x54414c55;  // "ULAT"
struct LstStat {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  std::uint32_t type = 0;
  // Of kLstStatLatency only, else 0: which of the node's tests as a client (as in LstBatch).
  std::uint64_t bulkid = 0;
  std::uint64_t batch = 0;
  std::uint32_t test_index = 0;
  bool operator==(const LstStat&) const = default;
};
struct LstFrameworkCounters {
  std::uint32_t running_ms = 0;  ///< since the session was made
  std::uint32_t active_batches = 0, zombie_sessions = 0, brw_errors = 0, ping_errors = 0;
  bool operator==(const LstFrameworkCounters&) const = default;
};
struct LstRpcCounters {
  std::uint32_t errors = 0, sent = 0, received = 0, dropped = 0, expired = 0;
  std::uint64_t bulk_fetched = 0, bulk_sent = 0;  ///< bytes, as server
  bool operator==(const LstRpcCounters&) const = default;
};
struct LstLnetCounters {
  std::uint32_t msgs_alloc = 0, msgs_max = 0, errors = 0, send_count = 0, recv_count = 0,
                route_count = 0, drop_count = 0;
  std::uint64_t send_length = 0, recv_length = 0, route_length = 0, drop_length = 0;
  bool operator==(const LstLnetCounters&) const = default;
};
struct LstStatReply {
  std::uint32_t status = 0;
  LstSessionId session;
  LstFrameworkCounters framework;
  LstRpcCounters rpc;
  LstLnetCounters lnet;
  bool operator==(const LstStatReply&) const = default;
};

/// What a bulk test does and how data is checked (3.4, 6). Any value may come from the wire.
enum class LstBrwOp : std::uint32_t { kRead = 1, kWrite = 2 };
enum class LstCheck : std::uint32_t { kNone = 1, kSimple = 2, kFull = 3, kDiscard = 4 };

// The parameters of a test: which of them travels follows from the service and the features.
struct LstPingParameters {
  std::uint32_t size = 0, flags = 0;  ///< both unused
  bool operator==(const LstPingParameters&) const = default;
};
struct LstBrwPages {  ///< without kLstFeatureBulkLength
  LstBrwOp op = LstBrwOp::kRead;
  std::uint32_t pages = 0;  ///< of the node that reads this
  LstCheck check = LstCheck::kNone;
  bool operator==(const LstBrwPages&) const = default;
};
struct LstBrwBytes {  ///< with it; `op` has 16 bits, `check` 15
  LstBrwOp op = LstBrwOp::kRead;
  LstCheck check = LstCheck::kNone;
  std::uint32_t length = 0;
  std::uint32_t offset = 0;  ///< of the data in the client's first page
  /// The console knows that all nodes of the test bear a `length` that is no multiple of 8. It is
  /// ulnet's own and travels as the highest bit of `check` (docs/SELFTEST.md): a client that is
  /// told so by a console that does not know does not stop a production server.
  bool any_length = false;
  bool operator==(const LstBrwBytes&) const = default;
};
/// The first stands for the parameters of a service that nobody knows.
using LstParameters = std::variant<std::monostate, LstPingParameters, LstBrwPages, LstBrwBytes>;

struct LstTest {
  std::uint64_t rpyid = 0;
  std::uint64_t bulkid = 0;  ///< clients: where the console offers the list of destinations
  LstSessionId session;
  std::uint64_t batch = 0;
  LstService service{};    ///< any value may come from the wire
  std::uint32_t loop = 0;  ///< clients: iterations of each unit; servers: buffers wanted
  std::uint32_t concurrency = 0;
  bool is_client = false;
  bool stop_on_error = false;
  std::uint32_t destinations = 0;
  LstParameters parameters;
  bool operator==(const LstTest&) const = default;
};
inline constexpr std::uint32_t kLstLoopForever = 0xffffffff;
struct LstTestReply {
  std::uint32_t status = 0;
  LstSessionId session;
  bool operator==(const LstTestReply&) const = default;
};

struct LstDebug {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  std::uint32_t flags = 0;
  bool operator==(const LstDebug&) const = default;
};
struct LstDebugReply {
  std::uint32_t status = 0;
  LstSessionId session;
  std::uint32_t timeout = 0;
  std::uint32_t batches = 0;  ///< production nodes leave it 0
  LstName name;
  bool operator==(const LstDebugReply&) const = default;
};

struct LstBrw {
  std::uint64_t rpyid = 0;
  std::uint64_t bulkid = 0;
  LstBrwOp op = LstBrwOp::kRead;
  std::uint32_t length = 0;
  LstCheck check = LstCheck::kNone;
  bool operator==(const LstBrw&) const = default;
};
struct LstBrwReply {
  std::uint32_t status = 0;
  bool operator==(const LstBrwReply&) const = default;
};

inline constexpr std::uint32_t kLstPingMagic = 0xbabeface;
struct LstPing {
  std::uint64_t rpyid = 0;
  std::uint32_t magic = kLstPingMagic;
  std::uint32_t sequence = 0;
  std::uint64_t seconds = 0, nanoseconds = 0;  ///< wall clock, for people
  bool operator==(const LstPing&) const = default;
};
struct LstPingReply {
  std::uint32_t status = 0;
  std::uint32_t magic = kLstPingMagic;
  std::uint32_t sequence = 0;
  bool operator==(const LstPingReply&) const = default;
};

struct LstJoin {
  std::uint64_t rpyid = 0;
  LstSessionId session;  ///< none: any
  LstName group;
  bool operator==(const LstJoin&) const = default;
};
struct LstJoinReply {
  std::uint32_t status = 0;
  LstSessionId session;
  std::uint32_t timeout = 0;
  LstName name;
  bool operator==(const LstJoinReply&) const = default;
};

/// The place in this list is the message's type on the wire: requests are even, and a reply's type
/// is its request's plus one (1.1).
using LstBody =
    std::variant<LstMakeSession, LstMakeSessionReply, LstRemoveSession, LstRemoveSessionReply,
                 LstBatch, LstBatchReply, LstStat, LstStatReply, LstTest, LstTestReply, LstDebug,
                 LstDebugReply, LstBrw, LstBrwReply, LstPing, LstPingReply, LstJoin, LstJoinReply>;

struct LstMessage {
  /// The sender's integers are big-endian; so are the words of the data that it fills (6).
  bool swapped = false;
  std::uint32_t version = kLstVersion;    ///< another one is for the service to refuse (2.2)
  std::uint32_t features = kLstFeatures;  ///< of the session; of a node without one, all it knows
  LstBody body;

  bool is_reply() const { return body.index() % 2 != 0; }
  /// Whom a request is for, and whom a reply is from.
  LstService service() const;
  /// A request's ids; requests without data do not have the second one.
  std::uint64_t rpyid() const;
  void set_ids(std::uint64_t rpyid, std::uint64_t bulkid);
  /// A reply's status; 0 in a request.
  std::uint32_t status() const;
  /// The session that a framework message names, or null.
  const LstSessionId* session() const;
  bool operator==(const LstMessage&) const = default;
};

/// In either byte order. kTruncated, kBadCount (more than 160 bytes), kBadMagic, kBadType, kBadNid.
/// What lies behind the body is ignored.
Decoded<LstMessage> decode_lst_message(ByteView received);
/// Zeros behind the body. A console with a large NID, and parameters that are not those of the
/// test's service and the features, are programmer errors.
void encode_lst_message(const LstMessage& message, std::span<std::byte, kLstMessageBytes> out);
/// Bytes of data that the peer puts before it answers this request of a framework service.
std::size_t lst_data_wanted(const LstMessage& request);
/// Bytes of the whole that this kind of message uses; the rest is zero, or stale from other nodes.
std::size_t lst_message_bytes_used(const LstMessage& message);

/// Destinations travel 12 bytes each, 341 in a page of 4096 bytes, whose last 4 are unused (3.4).
inline constexpr std::uint32_t kLstDestinationsPerPage = 4096 / 12;
inline constexpr std::uint32_t kLstDestinationsMax = 256 * kLstDestinationsPerPage;
/// Bytes of the list as it is offered: whole pages, but exact with kLstFeatureBulkLength, where
/// more than kLstDestinationsPerPage do not fit.
std::size_t lst_destinations_bytes(std::uint32_t count, std::uint32_t features);
/// `out` has room for the last of them; every NID has a 4-byte address.
void encode_lst_destinations(std::span<const ProcessId> destinations, ByteSpan out,
                             Order order = Order::kLittle);
/// The first `count` of a list. kTruncated, kBadNid (one that is nobody's).
Decoded<std::vector<ProcessId>> decode_lst_destinations(ByteView list, std::uint32_t count,
                                                        Order order);

}  // namespace ulnet::wire
