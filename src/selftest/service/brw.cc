#include "selftest/service/brw.h"

#include "selftest/service/pattern.h"
#include "selftest/service/workload.h"

namespace ulnet::svc::selftest {
namespace {

using wire::LstBrw;
using wire::LstBrwOp;
using wire::LstCheck;

constexpr std::uint32_t kPageBytes = 4096;
// How long a fetch of data may take; the requester has given up by then (spec/wire-selftest.md
// 1.3).
constexpr Duration kFetchTime = std::chrono::seconds(64);

/// Whether to fill in a wrong word in one piece of data. Returns true once for each error that
/// `brw_inject_errors` requests.
bool inject_error(Context& context, LstCheck check) {
  const bool looked_at = check == LstCheck::kSimple || check == LstCheck::kFull;
  if (!looked_at || context.settings.inject_errors == 0) return false;
  --context.settings.inject_errors;
  return true;
}

/// Whether a bulk RPC may be sent and served. The console must not send a senseless request to
/// production nodes, because the request stops them (spec/wire-selftest.md 4.2). The length must be
/// a multiple of `unit`.
bool makes_sense(const LstBrw& brw, std::size_t unit) {
  const bool op = brw.op == LstBrwOp::kRead || brw.op == LstBrwOp::kWrite;
  const bool check = brw.check >= LstCheck::kNone && brw.check <= LstCheck::kDiscard;
  const bool length = brw.length >= 1 && brw.length <= limits::kMtu && brw.length % unit == 0;
  return op && check && length;
}

std::uint32_t judge(const wire::LstMessage& request) {
  if (const std::uint32_t status = judge_test_request(request)) return status;
  const bool in_bytes = (request.features & wire::kLstFeatureBulkLength) != 0;
  return makes_sense(std::get<LstBrw>(request.body), in_bytes ? 1 : kPageBytes) ? 0 : EINVAL;
}

class BrwWorkload final : public Workload {
 public:
  BrwWorkload(Context& context, const LstBrw& brw, std::size_t offset)
      : context_(context), brw_(brw), offset_(offset) {}

  std::size_t bulk_bytes() const override { return offset_ + brw_.length; }
  Call::Bulk prepare(wire::LstMessage& request, Bulk& bulk) override {
    const bool write = brw_.op == LstBrwOp::kWrite;
    if (write) {
      fill_source(bulk, offset_, brw_.length, brw_.check, inject_error(context_, brw_.check));
    } else {
      poison_sink(bulk, offset_, brw_.length, brw_.check);
    }
    request.body = brw_;
    return {{bulk.memory.get() + offset_, brw_.length}, write};
  }
  int judge(const wire::LstMessage&, const wire::LstMessage& reply, Bulk& bulk) override {
    if (brw_.op == LstBrwOp::kWrite) return 0;
    return check_sink(bulk, offset_, brw_.length, brw_.check, reply.swapped) ? 0 : -EBADMSG;
  }

 private:
  Context& context_;
  const LstBrw brw_;
  const std::size_t offset_;
};

}  // namespace

std::unique_ptr<Workload> make_brw_workload(Context& context, const wire::LstTest& test) {
  LstBrw brw;
  std::size_t offset = 0, unit = kPageBytes;
  const auto* pages = std::get_if<wire::LstBrwPages>(&test.parameters);
  if (pages != nullptr) {
    if (pages->pages > limits::kMtu / kPageBytes) return nullptr;
    brw = {0, 0, pages->op, pages->pages * kPageBytes, pages->check};
  } else {
    const auto& bytes = std::get<wire::LstBrwBytes>(test.parameters);
    brw = {0, 0, bytes.op, bytes.length, bytes.check};
    offset = bytes.offset;
    unit = bytes.any_length ? 1 : sizeof(std::uint64_t);
  }
  if (!makes_sense(brw, unit) || offset >= kPageBytes || offset % 8 != 0) return nullptr;
  return std::make_unique<BrwWorkload>(context, brw, offset);
}

BrwServer::BrwServer(Context& context, BulkPool& pool)
    : context_(context),
      bulks_(pool),
      buffers_(context, wire::LstService::kBrw, *this),
      served_(context, *this) {}

bool BrwServer::serve(const Arrived& request) {
  const std::size_t busy = served_.busy();
  if (busy >= context_.settings.brw_workitems) return false;
  const auto& brw = std::get<LstBrw>(request.message.body);
  std::uint32_t status = judge(request.message);
  Bulk bulk;
  if (status == 0) bulk = bulks_.take(brw.length);
  if (status == 0 && !bulk) {
    // this request is offered again when a request under way ends
    if (busy != 0) return false;
    status = no_memory(request);
  }
  Served* served = served_.take(request, context_.settings.brw_workitems);
  if (status != 0) {
    answer(*served, status);
    return true;
  }
  served->bulk = std::move(bulk);
  const ByteSpan data(served->bulk.memory.get(), brw.length);
  if (brw.op == LstBrwOp::kRead) {
    fill_source(served->bulk, 0, brw.length, brw.check, inject_error(context_, brw.check));
    served->send(brw.bulkid, data);
  } else {
    poison_sink(served->bulk, 0, brw.length, brw.check);
    served->fetch(brw.bulkid, data, kFetchTime);
  }
  return true;
}

std::uint32_t BrwServer::no_memory(const Arrived& request) {
  context_.say(LogLevel::kWarning, context_.refused.memory,
               [&] { return request.from.nid.to_string() + ": no memory for the data of an RPC"; });
  return ENOMEM;
}

void BrwServer::moved(Served& served, int status) {
  if (status != 0) return served.drop();
  const wire::LstMessage& request = served.request().message;
  const auto& brw = std::get<LstBrw>(request.body);
  const bool read = brw.op == LstBrwOp::kRead;
  (read ? context_.rpc.bulk_sent : context_.rpc.bulk_fetched) += brw.length;
  const bool right = read || check_sink(served.bulk, 0, brw.length, brw.check, request.swapped);
  answer(served, right ? 0 : EBADMSG);
}

void BrwServer::answer(Served& served, std::uint32_t status) {
  served.reply(test_reply(served.request().message, wire::LstBrwReply{status}));
}

void BrwServer::freed(Served& served) {
  bulks_.give(std::exchange(served.bulk, {}));
  served_.give(served);
  buffers_.offer();
}

}  // namespace ulnet::svc::selftest
