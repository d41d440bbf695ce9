// For tests and fuzzers: the bytes of requests, hellos and frames on a TCP connection.
#pragma once

#include <cstddef>
#include <vector>

#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::wire {

inline std::vector<std::byte> bytes_of(const AcceptorRequest& request,
                                       Order order = Order::kLittle) {
  std::vector<std::byte> bytes(acceptor_bytes(request));
  encode_acceptor(request, bytes, order);
  return bytes;
}
inline std::vector<std::byte> bytes_of(const Hello& hello, Order order = Order::kLittle) {
  std::vector<std::byte> bytes(hello_bytes(hello));
  encode_hello(hello, bytes, order);
  return bytes;
}
inline std::vector<std::byte> bytes_of(const Frame& frame, Order order = Order::kLittle) {
  std::vector<std::byte> bytes(kFrameBytes);
  encode_frame(frame, bytes, order);
  return bytes;
}

}  // namespace ulnet::wire
