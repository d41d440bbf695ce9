// The loopback driver, 0@lo: a PUT to the own node is a memory copy between two MDs
// (spec/wire-lnet.md 3.5).
#pragma once

#include <memory>

#include "lnet/lnd/lnd.h"

namespace ulnet::lnd::lo {

class LoLnd final : public Lnd {
 public:
  /// `inlet` must outlive the driver. The driver has no threads: bytes move on the threads that
  /// call flush().
  explicit LoLnd(Inlet& inlet);
  ~LoLnd() override;
  LoLnd(const LoLnd&) = delete;
  LoLnd& operator=(const LoLnd&) = delete;

  /// Only for the net `lo`, whose NID is 0@lo. -EINVAL: another net. -EEXIST: this NI runs
  /// already.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void flush() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::lnd::lo
