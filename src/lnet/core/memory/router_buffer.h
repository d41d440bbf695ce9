// Memory in which a router keeps the payload of one message between receiving and forwarding it.
// Source: spec/core-semantics.md 10.3.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>

namespace ulnet::core {

struct RouterBuffer {
  explicit RouterBuffer(std::size_t size)
      : bytes(std::make_unique_for_overwrite<std::byte[]>(size)), whole{bytes.get(), size} {}

  const std::unique_ptr<std::byte[]> bytes;
  const iovec whole;
};

}  // namespace ulnet::core
