// A listening socket, the thread that accepts from it, and the Workers that serve the
// connections.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "admin/http/session.h"
#include "admin/http/workers.h"
#include "ulnet/result.hpp"

namespace ulnet::http {

/// Open as long as the object exists. The functions that open one throw std::system_error when the
/// system has no thread.
class Listener {
 public:
  /// Listens on a Unix socket for its owner and its group (peer_credentials.h). An existing file is
  /// replaced, because the caller owns the path. The error's reason names the path.
  static Result<std::unique_ptr<Listener>> open(const std::string& path, Service service);
  /// Listens on a port of 127.0.0.1; 0: the system chooses. `anyone` is what each client is. The
  /// error's reason names the port.
  static Result<std::unique_ptr<Listener>> open(std::uint16_t port, const Caller& anyone,
                                                Service service);
  /// Removes the file of a Unix socket, closes the socket and every connection, and waits for
  /// requests under way.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the port of a TCP listener.
  std::uint16_t port() const;

 private:
  Listener(int socket, Service service, Identify identify, std::string path = {},
           const struct stat& file = {});
  void accept_loop();
  bool accept_one();

  const int socket_;
  const Service service_;
  const Identify identify_;
  const std::string path_;  // of a Unix socket
  const struct stat file_;  // at path_; without a number: none
  const std::unique_ptr<Sessions> sessions_ = Sessions::of(service_);
  Workers workers_;
  std::thread accepting_;
};

}  // namespace ulnet::http
