// Listens to rtnetlink and calls `changed` when a link or an address of the machine may have
// changed. The callee reads the whole present state itself, so messages that the kernel drops do no
// harm. If the callee cannot read the state now, it is called again.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace ulnet::node {

class LinkWatch {
 public:
  /// Called on the watching thread (in inline mode inside poll()), possibly without any change.
  /// False: the state could not be read; then it is called again kAgain later (in inline mode at
  /// the next poll()).
  using Changed = std::function<bool()>;
  static constexpr std::chrono::milliseconds kAgain{500};

  LinkWatch() = default;
  ~LinkWatch() { stop(); }
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  /// Begins to watch. False when the machine has no rtnetlink: then nothing is watched.
  bool start(Changed changed, bool own_thread);
  void stop();
  /// Inline mode: looks once, without waiting.
  void poll();

 private:
  void loop();
  void read_all();

  Changed changed_;
  std::thread thread_;
  bool unread_ = false;  ///< the last call of `changed_` could not read the state
  int netlink_ = -1;
  int stop_event_ = -1;
};

}  // namespace ulnet::node
