// The bulk test: data from the server (READ) or to it (WRITE), with a pattern that is checked.
// Source: spec/wire-selftest.md 4.2, 5.2, 5.3, 6.
#pragma once

#include "selftest/service/served.h"

namespace ulnet::svc::selftest {

class BrwServer final : private RequestBuffers::Server, private Served::Owner {
 public:
  BrwServer(Context& context, BulkPool& pool);
  RequestBuffers& request_buffers() { return buffers_; }
  void abort_all() { served_.abort_all(); }

 private:
  bool serve(const Arrived& request) override;
  void moved(Served& served, int status) override;
  void freed(Served& served) override;
  std::uint32_t no_memory(const Arrived& request);
  void answer(Served& served, std::uint32_t status);

  Context& context_;
  BulkPool& bulks_;
  RequestBuffers buffers_;
  ServedPool served_;
};

}  // namespace ulnet::svc::selftest
