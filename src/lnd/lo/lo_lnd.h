// The loopback driver, 0@lo: a PUT to oneself is a memory copy between two descriptors
// (spec/wire-lnet.md 3.5).
#pragma once

#include <memory>

#include "lnd/lnd.h"

namespace ulnet::lnd::lo {

class LoLnd final : public Lnd {
 public:
  /// `inlet` must outlive the driver. It has no threads: whoever calls flush() or progress() moves
  /// the bytes.
  explicit LoLnd(Inlet& inlet);
  ~LoLnd() override;
  LoLnd(const LoLnd&) = delete;
  LoLnd& operator=(const LoLnd&) = delete;

  /// Only the net `lo`; its NID is 0@lo.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void flush() override;
  bool progress(Duration wait) override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::lnd::lo
