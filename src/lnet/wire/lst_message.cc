#include "lnet/wire/lst_message.h"

#include <algorithm>
#include <utility>

#include "lnet/wire/lst_latency.h"
#include "lnet/wire/nid.h"

namespace ulnet::wire {
namespace {

constexpr std::uint32_t kMagic = 0xeeb0f00d;
constexpr std::size_t kReservedBytes = 8;
constexpr std::size_t kDestinationBytes = 12;
constexpr std::size_t kPageBytes = 4096;

constexpr std::uint16_t kHighestBit = 0x8000;

// fields() lists the fields of a body in their order. The visitors Reading and Writing use it, so
// the layout is defined once.
class Reading {
 public:
  explicit Reading(Reader& in) : in_(in) {}
  void operator()(auto&... values) { (one(values), ...); }
  template <class T>
  void narrow(T& value) {
    value = T{in_.u16()};
  }
  template <class T>
  void narrow_beside(bool& flag, T& value) {
    const std::uint16_t both = in_.u16();
    flag = (both & kHighestBit) != 0;
    value = T{both & ~std::uint32_t{kHighestBit}};
  }
  template <class T>
  T& choose(LstParameters& parameters) {
    return parameters.emplace<T>();
  }
  bool bad_nid() const { return bad_nid_; }

 private:
  template <class T>
  void one(T& value) {
    value = in_.get<T>();
  }
  template <class T>
  requires std::is_enum_v<T>
  void one(T& value) { value = T{in_.u32()}; }
  void one(bool& value) { value = in_.u8() != 0; }
  void one(LstSessionId& id) {
    const auto nid = nid_from_legacy(in_.u64());
    if (!nid) bad_nid_ = true;
    id.console = nid.value_or(Nid::any());
    id.stamp = in_.get<std::int64_t>();
  }
  void one(LstName& name) {
    const auto raw = in_.raw<LstName::kBytes>();
    const auto end = std::find(raw.begin(), raw.end(), 0);
    name = LstName(
        {reinterpret_cast<const char*>(raw.data()), static_cast<std::size_t>(end - raw.begin())});
  }

  Reader& in_;
  bool bad_nid_ = false;
};

class Writing {
 public:
  explicit Writing(Writer& out) : out_(out) {}
  void operator()(const auto&... values) { (one(values), ...); }
  template <class T>
  void narrow(const T& value) {
    out_.u16(static_cast<std::uint16_t>(value));
  }
  template <class T>
  void narrow_beside(const bool& flag, const T& value) {
    out_.u16(
        static_cast<std::uint16_t>(static_cast<std::uint32_t>(value) | (flag ? kHighestBit : 0U)));
  }
  template <class T>
  const T& choose(const LstParameters& parameters) {
    const T* held = std::get_if<T>(&parameters);
    ULNET_ASSERT(held != nullptr);
    return *held;
  }

 private:
  template <class T>
  void one(const T& value) {
    out_.put(value);
  }
  template <class T>
  requires std::is_enum_v<T>
  void one(const T& value) { out_.u32(static_cast<std::uint32_t>(value)); }
  void one(const bool& value) { out_.u8(value ? 1 : 0); }
  void one(const LstSessionId& id) {
    write_nid4(out_, id.console);
    out_.put(id.stamp);
  }
  void one(const LstName& name) { out_.bytes(name.bytes().data(), LstName::kBytes); }

  Writer& out_;
};

// Whether Given is T or const T.
template <class Given, class T>
concept Is = std::same_as<std::remove_const_t<Given>, T>;

void fields(auto& at, Is<LstMakeSession> auto& body, std::uint32_t) {
  at(body.rpyid, body.session, body.force, body.name);
}
void fields(auto& at, Is<LstMakeSessionReply> auto& body, std::uint32_t) {
  at(body.status, body.session, body.timeout, body.name);
  at(body.sign, body.abilities);
}
void fields(auto& at, Is<LstRemoveSession> auto& body, std::uint32_t) {
  at(body.rpyid, body.session);
}
void fields(auto& at, Is<LstRemoveSessionReply> auto& body, std::uint32_t) {
  at(body.status, body.session);
}
void fields(auto& at, Is<LstBatch> auto& body, std::uint32_t) {
  at(body.rpyid, body.session, body.batch);
  at(body.op, body.test_index, body.argument);
}
void fields(auto& at, Is<LstBatchReply> auto& body, std::uint32_t) {
  at(body.status, body.session, body.active, body.time_left);
}
void fields(auto& at, Is<LstStat> auto& body, std::uint32_t) {
  at(body.rpyid, body.session, body.type);
  if (body.type == kLstStatLatency) at(body.bulkid, body.batch, body.test_index);
}
void fields(auto& at, Is<LstStatReply> auto& body, std::uint32_t) {
  at(body.status, body.session);
  auto& framework = body.framework;
  at(framework.running_ms, framework.active_batches, framework.zombie_sessions);
  at(framework.brw_errors, framework.ping_errors);
  auto& rpc = body.rpc;
  at(rpc.errors, rpc.sent, rpc.received, rpc.dropped, rpc.expired);
  at(rpc.bulk_fetched, rpc.bulk_sent);
  auto& lnet = body.lnet;
  at(lnet.msgs_alloc, lnet.msgs_max, lnet.errors, lnet.send_count);
  at(lnet.recv_count, lnet.route_count, lnet.drop_count);
  at(lnet.send_length, lnet.recv_length, lnet.route_length, lnet.drop_length);
}
void fields(auto& at, Is<LstTest> auto& body, std::uint32_t features) {
  at(body.rpyid, body.bulkid, body.session, body.batch);
  at(body.service, body.loop, body.concurrency);
  at(body.is_client, body.stop_on_error, body.destinations);
  if (body.service == LstService::kPing) {
    auto& ping = at.template choose<LstPingParameters>(body.parameters);
    at(ping.size, ping.flags);
  } else if (body.service == LstService::kBrw && (features & kLstFeatureBulkLength) == 0) {
    auto& brw = at.template choose<LstBrwPages>(body.parameters);
    at(brw.op, brw.pages, brw.check);
  } else if (body.service == LstService::kBrw) {
    auto& brw = at.template choose<LstBrwBytes>(body.parameters);
    at.narrow(brw.op);
    at.narrow_beside(brw.any_length, brw.check);
    at(brw.length, brw.offset);
  }
}
void fields(auto& at, Is<LstTestReply> auto& body, std::uint32_t) { at(body.status, body.session); }
void fields(auto& at, Is<LstDebug> auto& body, std::uint32_t) {
  at(body.rpyid, body.session, body.flags);
}
void fields(auto& at, Is<LstDebugReply> auto& body, std::uint32_t) {
  at(body.status, body.session, body.timeout, body.batches, body.name);
}
void fields(auto& at, Is<LstBrw> auto& body, std::uint32_t) {
  at(body.rpyid, body.bulkid, body.op, body.length, body.check);
}
void fields(auto& at, Is<LstBrwReply> auto& body, std::uint32_t) { at(body.status); }
void fields(auto& at, Is<LstPing> auto& body, std::uint32_t) {
  at(body.rpyid, body.magic, body.sequence, body.seconds, body.nanoseconds);
}
void fields(auto& at, Is<LstPingReply> auto& body, std::uint32_t) {
  at(body.status, body.magic, body.sequence);
}
void fields(auto& at, Is<LstJoin> auto& body, std::uint32_t) {
  at(body.rpyid, body.session, body.group);
}
void fields(auto& at, Is<LstJoinReply> auto& body, std::uint32_t) {
  at(body.status, body.session, body.timeout, body.name);
}

/// Makes `body` an empty body of this type; false: unknown type.
bool choose_body(LstBody& body, std::uint32_t type) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((type == I && (body.emplace<I>(), true)) || ...);
  }
  (std::make_index_sequence<std::variant_size_v<LstBody>>());
}

constexpr LstService kServices[] = {
    LstService::kMakeSession, LstService::kRemoveSession, LstService::kBatch,
    LstService::kStat,        LstService::kTest,          LstService::kDebug,
    LstService::kBrw,         LstService::kPing,          LstService::kJoin};
static_assert(2 * std::size(kServices) == std::variant_size_v<LstBody>);

std::size_t destination_at(std::size_t index) {
  return index / kLstDestinationsPerPage * kPageBytes +
         index % kLstDestinationsPerPage * kDestinationBytes;
}
std::size_t list_end(std::size_t count) {
  return count == 0 ? 0 : destination_at(count - 1) + kDestinationBytes;
}

}  // namespace

const char* to_string(LstService service) {
  switch (service) {
    case LstService::kDebug:
      return "debug";
    case LstService::kMakeSession:
      return "make session";
    case LstService::kRemoveSession:
      return "remove session";
    case LstService::kBatch:
      return "batch";
    case LstService::kTest:
      return "test";
    case LstService::kStat:
      return "stat";
    case LstService::kJoin:
      return "join";
    case LstService::kBrw:
      return "brw";
    case LstService::kPing:
      return "ping";
  }
  return "unknown service";
}

std::uint64_t lst_sign(const LstSessionId& session) {
  constexpr std::uint64_t kMark = 0x54534c54454e4c55;  // "ULNETLST"
  return kMark ^ static_cast<std::uint64_t>(session.stamp);
}

std::uint32_t lst_abilities(const LstMakeSessionReply& reply) {
  return !reply.session.is_none() && reply.sign == lst_sign(reply.session) ? reply.abilities : 0;
}

LstName::LstName(std::string_view text) { text.copy(bytes_.data(), kBytes - 1); }

LstService LstMessage::service() const { return kServices[body.index() / 2]; }

std::uint64_t LstMessage::rpyid() const {
  return std::visit(
      [](const auto& held) -> std::uint64_t {
        if constexpr (requires { held.rpyid; }) return held.rpyid;
        return 0;
      },
      body);
}

void LstMessage::set_ids(std::uint64_t rpyid, std::uint64_t bulkid) {
  std::visit(
      [&](auto& held) {
        if constexpr (requires { held.rpyid; }) held.rpyid = rpyid;
        if constexpr (requires { held.bulkid; }) held.bulkid = bulkid;
      },
      body);
}

std::uint32_t LstMessage::status() const {
  return std::visit(
      [](const auto& held) -> std::uint32_t {
        if constexpr (requires { held.status; }) return held.status;
        return 0;
      },
      body);
}

const LstSessionId* LstMessage::session() const {
  return std::visit(
      [](const auto& held) -> const LstSessionId* {
        if constexpr (requires { held.session; }) return &held.session;
        return nullptr;
      },
      body);
}

Decoded<LstMessage> decode_lst_message(ByteView received) {
  if (received.size() < kLstMessageBytes) return refuse(DecodeError::kTruncated);
  if (received.size() > kLstMessageBytes) return refuse(DecodeError::kBadCount);
  Reader in(received);
  LstMessage message;
  const std::uint32_t magic = in.u32();
  if (magic != kMagic && magic != swap_bytes(kMagic)) return refuse(DecodeError::kBadMagic);
  message.swapped = magic != kMagic;
  if (message.swapped) in.set_order(Order::kBig);
  message.version = in.u32();
  const std::uint32_t type = in.u32();
  in.skip(kReservedBytes);
  message.features = in.u32();
  if (!choose_body(message.body, type)) return refuse(DecodeError::kBadType);
  Reading at(in);
  std::visit([&](auto& body) { fields(at, body, message.features); }, message.body);
  if (at.bad_nid()) return refuse(DecodeError::kBadNid);
  return message;
}

namespace {

ByteSpan encode(const LstMessage& message, std::span<std::byte, kLstMessageBytes> out) {
  Writer to(out, message.swapped ? Order::kBig : Order::kLittle);
  to.u32(kMagic);
  to.u32(message.version);
  to.u32(static_cast<std::uint32_t>(message.body.index()));
  to.zeros(kReservedBytes);
  to.u32(message.features);
  Writing at(to);
  std::visit([&](const auto& body) { fields(at, body, message.features); }, message.body);
  return to.rest();
}

}  // namespace

void encode_lst_message(const LstMessage& message, std::span<std::byte, kLstMessageBytes> out) {
  std::ranges::fill(encode(message, out), std::byte{0});
}

std::size_t lst_data_wanted(const LstMessage& request) {
  const auto* stat = std::get_if<LstStat>(&request.body);
  return stat != nullptr && stat->type == kLstStatLatency ? kLstLatencyBytes : 0;
}

std::size_t lst_message_bytes_used(const LstMessage& message) {
  std::array<std::byte, kLstMessageBytes> scratch;
  return kLstMessageBytes - encode(message, scratch).size();
}

std::size_t lst_destinations_bytes(std::uint32_t count, std::uint32_t features) {
  if ((features & kLstFeatureBulkLength) != 0) return kDestinationBytes * count;
  const std::size_t pages = (count + kLstDestinationsPerPage - 1) / kLstDestinationsPerPage;
  return pages * kPageBytes;
}

void encode_lst_destinations(std::span<const ProcessId> destinations, ByteSpan out, Order order) {
  ULNET_ASSERT(out.size() >= list_end(destinations.size()));
  std::ranges::fill(out, std::byte{0});
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    Writer to(out.subspan(destination_at(i), kDestinationBytes), order);
    write_nid4(to, destinations[i].nid);
    to.u32(destinations[i].pid.value);
  }
}

Decoded<std::vector<ProcessId>> decode_lst_destinations(ByteView list, std::uint32_t count,
                                                        Order order) {
  if (list.size() < list_end(count)) return refuse(DecodeError::kTruncated);
  std::vector<ProcessId> destinations;
  destinations.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Reader in(list.subspan(destination_at(i), kDestinationBytes), order);
    const auto nid = nid_from_legacy(in.u64());
    if (!nid || nid->is_any()) return refuse(DecodeError::kBadNid);
    destinations.push_back({*nid, Pid{in.u32()}});
  }
  return destinations;
}

}  // namespace ulnet::wire
