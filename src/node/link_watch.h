// Watches the machine's links and addresses (rtnetlink) and says when any of them may have changed;
// what they are now is for the hearer to look at. So it makes no difference that the system leaves
// messages out when there are too many.
#pragma once

#include <functional>
#include <thread>

namespace ulnet::node {

class LinkWatch {
 public:
  /// Called on the watching thread, possibly with no change.
  using Changed = std::function<void()>;

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
