// Listens to rtnetlink and calls `changed` when a link or an address of the machine may have
// changed. The callee reads the present state itself, so it does no harm that the kernel drops
// messages when there are too many.
#pragma once

#include <functional>
#include <thread>

namespace ulnet::node {

class LinkWatch {
 public:
  /// Called on the watching thread (in inline mode inside poll()), possibly without any change.
  using Changed = std::function<void()>;

  LinkWatch() = default;
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
