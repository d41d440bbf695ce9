// A network in memory. It joins the nodes of a test, which are real but for their tcp driver: that
// driver carries messages without sockets, and takes the interfaces that the test names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lnet/node/node.h"

namespace ulnet::ctl::test {

namespace in_memory {
class NidTable;
}

/// The interfaces of a machine and their addresses. An interface that is given by its address needs
/// no entry.
using Interfaces = std::map<std::string, std::string>;

class Network {
 public:
  Network();
  /// Ends the hosts. Every other node on the network must have ended before.
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Makes the driver of a trial node on this network. The driver calls `interfaces` whenever an NI
  /// starts.
  node::MakeTrialDriver driver(std::function<Interfaces()> interfaces);
  /// Starts a node with an NI for each NID, in this order. It runs as long as the network.
  node::Node& host(const std::vector<std::string>& nids,
                   const std::map<std::string, std::string>& params = {});

  // Messages to a NID that no node has fail with -EHOSTUNREACH. A test may change that, at any
  // time:
  /// Messages to this NID fail with this status. `trouble`: the driver's words for it.
  void refuse(const std::string& nid, int status, const std::string& trouble = {});
  /// Messages to this NID neither arrive nor fail, until the core cancels them.
  void stall(const std::string& nid);

 private:
  std::unique_ptr<in_memory::NidTable> nids_;
  std::vector<std::unique_ptr<node::Node>> hosts_;
};

}  // namespace ulnet::ctl::test
