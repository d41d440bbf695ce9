#include "tests/lnet/recorded/captures/pcap.h"

#include <arpa/inet.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

namespace ulnet::capture {
namespace {

constexpr std::uint32_t kEthernet = 1;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kAck = 0x10;

struct Segment {
  Endpoint from;
  Endpoint to;
  std::uint32_t sequence = 0;
  std::uint8_t flags = 0;
  ByteView data;
  bool cut = false;  // the recording has fewer bytes than the packet
};

template <int kFamily, std::size_t kBytes>
std::string print(const std::array<std::uint8_t, kBytes>& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(kFamily, address.data(), text, sizeof text);
  return text;
}

// Parses the TCP segment of an IP packet; false when it has none.
bool parse_tcp(ByteView packet, Segment& segment) {
  Reader in(packet, Order::kBig);
  segment.from.port = in.u16();
  segment.to.port = in.u16();
  segment.sequence = in.u32();
  in.skip(4);
  const std::size_t header = std::size_t{in.u8()} >> 4 << 2;
  segment.flags = in.u8();
  if (!in.ok() || header < 20 || header > packet.size()) return false;
  segment.data = packet.subspan(header);
  return true;
}

// The first `length` bytes of the packet, or those of them that were recorded.
ByteView recorded(ByteView packet, std::size_t length, Segment& segment) {
  segment.cut = length > packet.size();
  return packet.first(std::min(length, packet.size()));
}

bool parse_ip4(ByteView packet, Segment& segment) {
  Reader in(packet, Order::kBig);
  const std::size_t header = std::size_t{in.u8() & 0x0fU} << 2;
  in.skip(1);
  const std::size_t total = in.u16();
  in.skip(2);
  const bool fragment = (in.u16() & 0x3fff) != 0;
  in.skip(1);
  const std::uint8_t protocol = in.u8();
  in.skip(2);
  segment.from.address = print<AF_INET>(in.raw<4>());
  segment.to.address = print<AF_INET>(in.raw<4>());
  if (!in.ok() || fragment || protocol != kTcp || header < 20 || total < header ||
      packet.size() < header)
    return false;
  return parse_tcp(recorded(packet, total, segment).subspan(header), segment);
}

bool parse_ip6(ByteView packet, Segment& segment) {
  constexpr std::size_t kHeader = 40;
  Reader in(packet, Order::kBig);
  in.skip(4);
  const std::size_t length = in.u16();
  const std::uint8_t next = in.u8();
  in.skip(1);
  segment.from.address = print<AF_INET6>(in.raw<16>());
  segment.to.address = print<AF_INET6>(in.raw<16>());
  if (!in.ok() || next != kTcp) return false;
  return parse_tcp(recorded(packet, kHeader + length, segment).subspan(kHeader), segment);
}

bool parse_frame(ByteView frame, Segment& segment) {
  Reader in(frame, Order::kBig);
  in.skip(12);
  const std::uint16_t type = in.u16();
  if (type == 0x0800) return parse_ip4(in.rest(), segment);
  return type == 0x86dd && parse_ip6(in.rest(), segment);
}

// Puts the segments of one direction in order.
class Assembler {
 public:
  void start(std::uint32_t sequence) {
    next_ = sequence;
    started_ = true;
  }
  void add(Stream& stream, Duration at, const Segment& segment) {
    if (!started_) start(segment.sequence);
    const std::uint64_t begin = place_of(stream, segment.sequence);
    keep(begin, segment.data);
    const std::size_t before = stream.bytes.size();
    while (!waiting_.empty() && waiting_.begin()->first <= stream.bytes.size())
      append_first(stream);
    if (stream.bytes.size() > before) stream.chunks.push_back({at, before, stream.bytes.size()});
    cut_ |= segment.cut;
    stream.incomplete = cut_ || !waiting_.empty();
  }

 private:
  // The offset of the segment in the stream. One before the stream's start (a probe, a repeated
  // SYN) gets offset 0; `skipped_` is then the number of bytes before it.
  std::uint64_t place_of(const Stream& stream, std::uint32_t sequence) {
    const auto behind = static_cast<std::int32_t>(sequence - next_ -
                                                  static_cast<std::uint32_t>(stream.bytes.size()));
    const auto place = static_cast<std::int64_t>(stream.bytes.size()) + behind;
    skipped_ = place < 0 ? static_cast<std::size_t>(-place) : 0;
    return place < 0 ? 0 : static_cast<std::uint64_t>(place);
  }
  void keep(std::uint64_t place, ByteView data) {
    data = data.subspan(std::min(skipped_, data.size()));
    std::vector<std::byte>& kept = waiting_[place];
    if (data.size() > kept.size()) kept.assign(data.begin(), data.end());
    if (kept.empty()) waiting_.erase(place);
  }
  void append_first(Stream& stream) {
    const auto first = waiting_.begin();
    const std::size_t known = stream.bytes.size() - first->first;
    if (known < first->second.size()) {
      stream.bytes.insert(stream.bytes.end(),
                          first->second.begin() + static_cast<std::ptrdiff_t>(known),
                          first->second.end());
    }
    waiting_.erase(first);
  }

  bool started_ = false;
  bool cut_ = false;
  std::uint32_t next_ = 0;  // the sequence number of the stream's first byte
  std::size_t skipped_ = 0;
  std::map<std::uint64_t, std::vector<std::byte>> waiting_;
};

struct Building {
  Connection connection;
  std::optional<std::uint32_t> syn;
  Assembler to_server;
  Assembler to_client;
};

class Recording {
 public:
  explicit Recording(std::uint16_t server_port) : server_port_(server_port) {}

  void add(Duration at, const Segment& segment) {
    Building& building = find(at, segment);
    const bool up = segment.from == building.connection.client;
    Stream& stream = up ? building.connection.to_server : building.connection.to_client;
    Assembler& assembler = up ? building.to_server : building.to_client;
    if ((segment.flags & kSyn) != 0) {
      if (stream.bytes.empty()) assembler.start(segment.sequence + 1);
    } else if (!segment.data.empty()) {
      assembler.add(stream, at, segment);
    }
    if ((segment.flags & kFin) != 0 && !stream.fin) stream.fin = at;
    if ((segment.flags & kRst) != 0 && !stream.reset) stream.reset = at;
  }
  std::vector<Connection> take() {
    std::vector<Connection> connections;
    for (const auto& building : all_) connections.push_back(std::move(building->connection));
    return connections;
  }

 private:
  // The connection of a segment. A new one for a SYN that was not seen before, or for a new pair
  // of endpoints.
  Building& find(Duration at, const Segment& segment) {
    const bool opens = (segment.flags & (kSyn | kAck)) == kSyn;
    const auto key = std::minmax(segment.from, segment.to);
    Building*& current = current_[{key.first, key.second}];
    if (current != nullptr && !(opens && current->syn != segment.sequence)) return *current;
    all_.push_back(std::make_unique<Building>());
    current = all_.back().get();
    const bool up = opens || segment.to.port == server_port_;
    current->connection.client = up ? segment.from : segment.to;
    current->connection.server = up ? segment.to : segment.from;
    current->connection.opened = at;
    current->connection.from_start = opens;
    if (opens) current->syn = segment.sequence;
    return *current;
  }

  std::uint16_t server_port_;
  std::vector<std::unique_ptr<Building>> all_;
  std::map<std::pair<Endpoint, Endpoint>, Building*> current_;
};

struct FileHeader {
  Order order = Order::kLittle;
  Duration fraction{};  // unit of the fraction in a time stamp
};

Result<FileHeader> read_file_header(Reader& in) {
  constexpr std::uint32_t kMicro = 0xa1b2c3d4, kNano = 0xa1b23c4d;
  const std::uint32_t magic = in.u32();
  FileHeader header;
  header.order = magic == kMicro || magic == kNano ? Order::kLittle : Order::kBig;
  const std::uint32_t right = header.order == Order::kLittle ? magic : swap_bytes(magic);
  if (right != kMicro && right != kNano) return fail(-EINVAL, "not a pcap file");
  header.fraction = right == kNano ? std::chrono::nanoseconds(1) : std::chrono::microseconds(1);
  in.set_order(header.order);
  in.skip(16);
  if (in.u32() != kEthernet || !in.ok()) return fail(-EINVAL, "not a recording of Ethernet frames");
  return header;
}

}  // namespace

Result<std::vector<Connection>> read_connections(ByteView pcap, std::uint16_t server_port) {
  Reader in(pcap);
  const auto header = read_file_header(in);
  if (!header) return tl::unexpected(header.error());
  Recording recording(server_port);
  std::optional<Duration> start;
  while (in.rest().size() >= 16) {
    const Duration seconds = std::chrono::seconds(in.u32());
    const Duration at = seconds + in.u32() * header->fraction;
    const std::size_t captured = in.u32();
    in.skip(4);
    if (captured > in.rest().size()) break;
    if (!start) start = at;
    Segment segment;
    if (parse_frame(in.rest().first(captured), segment)) recording.add(at - *start, segment);
    in.skip(captured);
  }
  return recording.take();
}

Result<std::vector<Connection>> read_capture(const std::string& path, std::uint16_t server_port) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(-ENOENT, path + " cannot be read");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  return read_connections(std::as_bytes(std::span(bytes)), server_port);
}

}  // namespace ulnet::capture
