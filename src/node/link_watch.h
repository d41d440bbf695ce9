// Watches the machine's links (rtnetlink): an NI whose device goes down is told to the shard, and
// again when it comes back.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "base/time.h"

namespace ulnet::node {

class LinkWatch {
 public:
  /// `device` is up (has a carrier) or not; called on the watching thread, possibly with no change.
  using Changed = std::function<void(const std::string& device, bool up)>;

  LinkWatch() = default;
  /// Stops.
  ~LinkWatch() { stop(); }
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  /// False when the machine offers no rtnetlink: then nothing is watched.
  bool start(Changed changed, bool own_thread);
  void stop();
  /// Inline mode: looks once, without waiting.
  void poll();

 private:
  void loop();
  void read_all();

  Changed changed_;
  std::thread thread_;
  int netlink_ = -1;
  int stop_event_ = -1;
};

}  // namespace ulnet::node
