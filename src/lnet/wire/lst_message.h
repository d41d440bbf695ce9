// The messages of LNet selftest, 160 bytes each: a struct for each request and reply. Also the list
// of destinations that a test client fetches. Source: spec/wire-selftest.md 1 to 4, 8.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline constexpr std::size_t kLstMessageBytes = 160;
inline constexpr std::uint32_t kLstVersion = 1;
/// Features of a session (2.3). Bulk length: sizes of bulk data are in bytes instead of pages.
/// kLstFeatures: all known features.
inline constexpr std::uint32_t kLstFeatureBulkLength = 0x1;
inline constexpr std::uint32_t kLstFeatures = kLstFeatureBulkLength;

// The portals of messages (1.1): for requests to test services, requests to framework services, and
// replies and bulk data.
inline constexpr std::uint32_t kLstTestPortal = 50;
inline constexpr std::uint32_t kLstFrameworkPortal = 51;
inline constexpr std::uint32_t kLstReplyPortal = 52;

/// The services of a node (1.1). The value is the match bits of requests to the service.
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
/// The service's name, such as "batch".
const char* to_string(LstService service);
constexpr bool is_test_service(LstService service) { return service >= LstService::kBrw; }

/// Names a session: the NID of its console, and the console's clock in milliseconds when it made
/// the session (2.4). The default value names no session.
struct LstSessionId {
  Nid console;  ///< must have a 4-byte address: selftest cannot encode others
  std::int64_t stamp = -1;
  bool is_none() const { return console.is_any(); }
  bool operator==(const LstSessionId&) const = default;
};

/// A name of at most 31 characters as on the wire.
class LstName {
 public:
  static constexpr std::size_t kBytes = 32;
  LstName() = default;
  /// A name longer than 31 characters is cut.
  explicit LstName(std::string_view text);
  std::string_view text() const { return {bytes_.data()}; }
  /// All 32 bytes: the text, then zeros.
  const std::array<char, kBytes>& bytes() const { return bytes_; }
  bool operator==(const LstName&) const = default;

 private:
  std::array<char, kBytes> bytes_{};
};

// Every request has `rpyid`: the match bits under which its sender awaits the reply. `bulkid`: the
// same for bulk data. Every reply has `status`: 0 or a positive errno (8).

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
  std::uint32_t timeout = 0;  ///< s without the console until the session ends
  LstName name;               ///< with EBUSY: the name of the session that holds the node
  // ulnet's extension (docs/SELFTEST.md). It is behind the body, where production nodes write zeros
  // or leave stale bytes, and read nothing.
  std::uint64_t sign = 0;       ///< lst_sign() of `session`; else the sender is no ulnet node
  std::uint32_t abilities = 0;  ///< kLstReportsLatency, kLstTakesRisks, kLstAnyLength
  bool operator==(const LstMakeSessionReply&) const = default;
};
/// Abilities of ulnet nodes. ReportsLatency: the node answers LstStat with kLstStatLatency.
/// TakesRisks: the node accepts check kDiscard and offsets, at which production nodes stop (4.2,
/// 6). AnyLength: the node accepts lengths that are no multiple of 8; as a client only with
/// LstBrwBytes::any_length.
inline constexpr std::uint32_t kLstReportsLatency = 0x1, kLstTakesRisks = 0x2, kLstAnyLength = 0x4;
inline constexpr std::uint32_t kLstAbilities = kLstReportsLatency | kLstTakesRisks | kLstAnyLength;
/// The sign of a session. It differs between sessions, so that stale bytes of an earlier reply are
/// not taken for the extension.
std::uint64_t lst_sign(const LstSessionId& session);
/// The abilities of the reply's sender; 0 if the reply's sign is not that of its session.
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
  LstBatchOp op{};               ///< a received message may have any value
  std::uint32_t test_index = 0;  ///< kQuery: 0, the whole batch; n, the n-th test of that node
  std::uint32_t argument = 0;    ///< kStop: not 0, abort running RPCs; kRun: seconds, unused
  bool operator==(const LstBatch&) const = default;
};
struct LstBatchReply {
  std::uint32_t status = 0;
  LstSessionId session;
  std::uint32_t active = 0;     ///< running client tests; for one test its running units
  std::uint32_t time_left = 0;  ///< unused
  bool operator==(const LstBatchReply&) const = default;
};

/// An LstStat::type of ulnet alone (docs/SELFTEST.md). A console sends it only to nodes with
/// kLstReportsLatency. Such a node PUTs an LstLatency under `bulkid` and then sends the usual
/// reply; if it refuses, it sends the reply only.
inline constexpr std::uint32_t kLstStatLatency = 0x54414c55;  // "ULAT"
struct LstStat {
  std::uint64_t rpyid = 0;
  LstSessionId session;
  std::uint32_t type = 0;
  // The next three are set with kLstStatLatency only, else they are 0: the match bits for the PUT
  // of the histogram, and the test (as in LstBatch) in which the node is a client.
  std::uint64_t bulkid = 0;
  std::uint64_t batch = 0;
  std::uint32_t test_index = 0;
  bool operator==(const LstStat&) const = default;
};
struct LstFrameworkCounters {
  std::uint32_t running_ms = 0;  ///< time since the session was made
  std::uint32_t active_batches = 0, zombie_sessions = 0, brw_errors = 0, ping_errors = 0;
  bool operator==(const LstFrameworkCounters&) const = default;
};
struct LstRpcCounters {
  std::uint32_t errors = 0, sent = 0, received = 0, dropped = 0, expired = 0;
  std::uint64_t bulk_fetched = 0, bulk_sent = 0;  ///< bytes, as a server
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

/// The operation of a bulk test, and its check of the data (3.4, 6). A received message may have
/// any value.
enum class LstBrwOp : std::uint32_t { kRead = 1, kWrite = 2 };
enum class LstCheck : std::uint32_t { kNone = 1, kSimple = 2, kFull = 3, kDiscard = 4 };

// The parameters of a test. The service and the session's features decide which struct is sent.
struct LstPingParameters {
  std::uint32_t size = 0, flags = 0;  ///< both unused
  bool operator==(const LstPingParameters&) const = default;
};
struct LstBrwPages {  ///< of a bulk test without kLstFeatureBulkLength
  LstBrwOp op = LstBrwOp::kRead;
  std::uint32_t pages = 0;  ///< in pages of the node that reads this
  LstCheck check = LstCheck::kNone;
  bool operator==(const LstBrwPages&) const = default;
};
struct LstBrwBytes {  ///< of a bulk test with kLstFeatureBulkLength; `op` has 16 bits, `check` 15
  LstBrwOp op = LstBrwOp::kRead;
  LstCheck check = LstCheck::kNone;
  std::uint32_t length = 0;
  std::uint32_t offset = 0;  ///< bytes before the data in the client's first page
  /// Set by a console that knows that all nodes of the test accept a `length` that is no multiple
  /// of eight. It exists in ulnet only, as the highest bit of `check` (docs/SELFTEST.md). Without
  /// it a client refuses such a length, which would stop a production server.
  bool any_length = false;
  bool operator==(const LstBrwBytes&) const = default;
};
/// std::monostate: the parameters of an unknown service.
using LstParameters = std::variant<std::monostate, LstPingParameters, LstBrwPages, LstBrwBytes>;

struct LstTest {
  std::uint64_t rpyid = 0;
  std::uint64_t bulkid = 0;  ///< clients: the match bits of the list of destinations at the console
  LstSessionId session;
  std::uint64_t batch = 0;
  LstService service{};    ///< a received message may have any value
  std::uint32_t loop = 0;  ///< clients: iterations of each unit; servers: buffers to post
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
  std::uint64_t seconds = 0, nanoseconds = 0;  ///< the sender's wall clock, for information
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
  LstSessionId session;  ///< the session to join; none: any
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

/// The index of a body in this list is the message's type on the wire. Requests are even; a
/// reply's type is that of its request plus one (1.1).
using LstBody =
    std::variant<LstMakeSession, LstMakeSessionReply, LstRemoveSession, LstRemoveSessionReply,
                 LstBatch, LstBatchReply, LstStat, LstStatReply, LstTest, LstTestReply, LstDebug,
                 LstDebugReply, LstBrw, LstBrwReply, LstPing, LstPingReply, LstJoin, LstJoinReply>;

struct LstMessage {
  /// The sender's integers are big-endian, and so are the words with which it fills bulk data
  /// (6).
  bool swapped = false;
  std::uint32_t version = kLstVersion;  ///< the service refuses other versions (2.2)
  /// The features of the session; without a session, all features that the node knows.
  std::uint32_t features = kLstFeatures;
  LstBody body;

  bool is_reply() const { return body.index() % 2 != 0; }
  /// The service of a request or reply.
  LstService service() const;
  /// The ids of a request; a request without bulk data has no bulkid.
  std::uint64_t rpyid() const;
  void set_ids(std::uint64_t rpyid, std::uint64_t bulkid);
  /// The status of a reply; 0 in a request.
  std::uint32_t status() const;
  /// The session that a framework message names; null in other messages.
  const LstSessionId* session() const;
  bool operator==(const LstMessage&) const = default;
};

/// Reads a message in either byte order; ignores the bytes behind the body. kTruncated, kBadCount
/// (more than 160 bytes), kBadMagic, kBadType, kBadNid.
Decoded<LstMessage> decode_lst_message(ByteView received);
/// Writes a message, with zeros behind the body. Programmer errors: a console with a large NID, and
/// parameters that do not fit the test's service and the features.
void encode_lst_message(const LstMessage& message, std::span<std::byte, kLstMessageBytes> out);
/// The bytes of data that the peer puts before it answers this request to a framework service.
std::size_t lst_data_wanted(const LstMessage& request);
/// The number of bytes of the message that this type uses. The rest is zero, or stale in messages
/// from other implementations.
std::size_t lst_message_bytes_used(const LstMessage& message);

/// A destination takes 12 bytes; a page of 4096 bytes has 341 and 4 unused bytes (3.4).
inline constexpr std::uint32_t kLstDestinationsPerPage = 4096 / 12;
inline constexpr std::uint32_t kLstDestinationsMax = 256 * kLstDestinationsPerPage;
/// The size of the list that the console offers: whole pages; with kLstFeatureBulkLength exactly
/// the bytes of the destinations, at most kLstDestinationsPerPage of them.
std::size_t lst_destinations_bytes(std::uint32_t count, std::uint32_t features);
/// Writes the list; `out` must have room for all destinations, and every NID must have a 4-byte
/// address.
void encode_lst_destinations(std::span<const ProcessId> destinations, ByteSpan out,
                             Order order = Order::kLittle);
/// Reads the first `count` destinations of a list. kTruncated; kBadNid: a NID that names no node.
Decoded<std::vector<ProcessId>> decode_lst_destinations(ByteView list, std::uint32_t count,
                                                        Order order);

}  // namespace ulnet::wire
