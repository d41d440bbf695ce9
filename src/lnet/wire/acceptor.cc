#include "lnet/wire/acceptor.h"

#include "lnet/wire/nid.h"

namespace ulnet::wire {
namespace {

constexpr std::uint32_t kGenericMagic = 0x45726963;  // LNet's magic for any driver

tl::unexpected<AcceptorRefusal> refuse_request(DecodeError why, bool answer) {
  return tl::unexpected<AcceptorRefusal>(AcceptorRefusal{why, answer});
}

AcceptorDecoded<Order> read_magic(ByteView bytes) {
  const std::uint32_t magic = Reader(bytes).u32();
  if (magic == kAcceptorMagic) return Order::kLittle;
  if (magic == swap_bytes(kAcceptorMagic)) return Order::kBig;
  const bool generic = magic == kGenericMagic || magic == swap_bytes(kGenericMagic);
  return refuse_request(DecodeError::kBadMagic, generic);
}

}  // namespace

AcceptorDecoded<std::size_t> acceptor_bytes(ByteView prefix) {
  if (prefix.size() < 4) return 4;
  const auto order = read_magic(prefix);
  if (!order) return tl::unexpected(order.error());
  if (prefix.size() < 8) return 8;
  switch (Reader(prefix.subspan(4), *order).u32()) {
    case 1:
      return kAcceptorBytesV1;
    case 2:
      return kAcceptorBytesV2;
    default:
      return refuse_request(DecodeError::kBadVersion, true);
  }
}

AcceptorDecoded<AcceptorRequest> decode_acceptor(ByteView bytes) {
  const auto needed = acceptor_bytes(bytes);
  if (!needed) return tl::unexpected(needed.error());
  if (bytes.size() < *needed) return refuse_request(DecodeError::kTruncated, false);
  Reader in(bytes, *read_magic(bytes));
  in.skip(4);
  AcceptorRequest request;
  request.version = in.u32();
  const Decoded<Nid> target = request.version == 1 ? read_nid4(in) : read_nid16(in);
  if (!target) return refuse_request(target.error(), false);
  request.target = *target;
  return request;
}

void encode_acceptor(const AcceptorRequest& request, ByteSpan out, Order order) {
  ULNET_ASSERT(request.version == 1 || request.version == 2);
  Writer to(out.first(acceptor_bytes(request)), order);
  to.u32(kAcceptorMagic);
  to.u32(request.version);
  if (request.version == 1) {
    write_nid4(to, request.target);
  } else {
    write_nid16(to, request.target);
  }
}

}  // namespace ulnet::wire
