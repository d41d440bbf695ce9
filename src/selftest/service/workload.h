// The content of each RPC of a test client. One object per test, shared by its units. Source:
// spec/wire-selftest.md 3.4, 4.
#pragma once

#include <memory>

#include "selftest/service/bulk.h"
#include "selftest/service/call.h"

namespace ulnet::svc::selftest {

class Workload {
 public:
  virtual ~Workload() = default;
  /// Returns how many bytes of memory for data each unit needs.
  virtual std::size_t bulk_bytes() const { return 0; }
  /// Fills in the body of the next request; returns the data that go with it.
  virtual Call::Bulk prepare(wire::LstMessage& request, Bulk& bulk) = 0;
  /// Checks a reply with status 0, after all data have come. Returns 0, or -EBADMSG when the reply
  /// or the data are wrong.
  virtual int judge(const wire::LstMessage& request, const wire::LstMessage& reply, Bulk& bulk) = 0;
};

/// Each function returns null when the parameters make no sense (EINVAL).
std::unique_ptr<Workload> make_ping_workload(Context& context, const wire::LstTest& test);
std::unique_ptr<Workload> make_brw_workload(Context& context, const wire::LstTest& test);
inline std::unique_ptr<Workload> make_workload(Context& context, const wire::LstTest& test) {
  if (test.service == wire::LstService::kPing) return make_ping_workload(context, test);
  if (test.service == wire::LstService::kBrw) return make_brw_workload(context, test);
  return nullptr;
}

}  // namespace ulnet::svc::selftest
