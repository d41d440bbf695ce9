// The ping test: a message and its reply, no data. Source: spec/wire-selftest.md 4.1.
#pragma once

#include "selftest/service/served.h"

namespace ulnet::svc::selftest {

class PingServer final : private RequestBuffers::Server, private Served::Owner {
 public:
  explicit PingServer(Context& context)
      : context_(context),
        buffers_(context, wire::LstService::kPing, *this),
        served_(context, *this) {}
  RequestBuffers& request_buffers() { return buffers_; }
  void abort_all() { served_.abort_all(); }

 private:
  bool serve(const Arrived& request) override;
  void moved(Served&, int) override {}
  void freed(Served& served) override;

  Context& context_;
  RequestBuffers buffers_;
  ServedPool served_;
};

}  // namespace ulnet::svc::selftest
