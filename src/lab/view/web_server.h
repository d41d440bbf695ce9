// The web page of a network. Serves it on a loopback port, with the observer's state as JSON and as
// a stream, and carries out the changes that users click. Anyone who has the address with its token
// may look; other users of the machine, and other pages of the browser, may not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/topology/topology.h"
#include "lab/view/observer.h"
#include "lab/view/seen_topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// A change that a user clicked.
struct Change {
  enum class What : std::uint8_t { kLink, kNode } what = What::kLink;
  std::string name;  ///< of a rail ("client1:0"), a link of switches, or a node
  /// for rails and links "down", "up"; for nodes "kill", "pause", "resume", "restart"
  std::string act;
};

struct WebPage {
  const Topology& topology;
  const Observer& observer;
  /// If it is not null, it replaces `topology`: the topology that the control APIs report, which
  /// may change.
  SeenNetwork* seen = nullptr;
  std::vector<WatchedNode> watched;
  std::string title;
  std::uint16_t port = 0;  ///< 0: a free one
  /// Makes the change, on a thread of the server. Another change meanwhile is refused. Null: the
  /// page is read only.
  std::function<Result<void>(const Change&)> change = {};
  /// The rails and links of switches that are cut now. Any thread. May be null.
  std::function<std::vector<std::string>()> cut = {};
};

class WebServer {
 public:
  /// Serves until it is destroyed. `page` and the objects that it refers to must outlive this
  /// object. -EADDRINUSE and others: the port cannot be used.
  static Result<std::unique_ptr<WebServer>> start(const WebPage& page);
  virtual ~WebServer() = default;

  /// Returns "http://127.0.0.1:8123/?token=…", to be opened in a browser.
  virtual std::string address() const = 0;
};

}  // namespace ulnet::tools::lab
