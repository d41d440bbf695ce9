// A peer over virtual TCP that is not a node: it sends the bytes that its user gives it, well
// formed or not, and records what it receives. Tests use it for behaviour that only foreign
// software has, and swarms use it for hostile peers. Source: DESIGN.md 6; spec/wire-socklnd.md.
//
//   RawPeer eve(world, *Nid::parse("10.0.0.9@tcp"));
//   RawPeer::Talk& talk = eve.greet(bob.nid());           // dials, says request and hello
//   eve.say(talk, words(header, payload));                // then any bytes
//   world.run_for(seconds(1));
//   EXPECT_TRUE(talk.ended);                              // bob hung up
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/network/ksock_stream_parser.h"
#include "sim/network/streams.h"

namespace ulnet::sim {

class World;

class RawPeer final : private SocketUser {
 public:
  /// A message that the other side sent after its hello.
  struct Message {
    wire::Frame frame;
    wire::LnetHeader header;
    std::vector<std::byte> payload;
    bool whole = false;  ///< the whole payload has arrived
  };
  /// A connection, from the dial or the acceptance on. Its address is stable.
  struct Talk {
    explicit Talk(bool dialled_by_us) : by_us(dialled_by_us), parser(!dialled_by_us) {}

    const bool by_us;
    Handle stream;  ///< null: closed by this side
    Endpoint remote;
    bool listens = true;  ///< reads the bytes that arrive
    bool leaves = false;  ///< hangs up when all of `unsent` is written
    bool open = false;    ///< TCP is connected
    bool ended = false;   ///< the other side hung up, or the connection broke
    int error = 0;        ///< why the dial failed or the connection broke: a positive errno
    std::vector<std::byte> unsent;
    std::vector<std::byte> heard;  ///< every byte received, in order
    KsockStreamParser parser;      ///< parses the other side's bytes
    std::optional<wire::Hello> hello;
    std::vector<Message> messages;
  };
  static constexpr std::uint16_t kPort = 988;

  /// Has the address of `nid`, which no node may have. `world` must outlive it.
  RawPeer(World& world, const Nid& nid);
  /// Closes every connection.
  ~RawPeer() override;

  const Nid& nid() const { return nid_; }
  std::uint64_t incarnation = 1;  ///< in its hellos

  /// Dials from a port below 1024, or from `port`. Bytes given to say() before TCP is connected are
  /// sent when it is.
  Talk& dial(const Nid& to, std::uint16_t port = 0);
  /// Dials and sends an acceptor request and hello().
  Talk& greet(const Nid& to, std::uint32_t version = 3,
              wire::ConnType type = wire::ConnType::kControl);
  wire::Hello hello(const Nid& to, std::uint32_t version = 3,
                    wire::ConnType type = wire::ConnType::kControl) const;
  /// Listens at its address. False: another user already listens there.
  bool open_listener();
  /// Called when a node that dialled has sent its hello. When it is not set, the peer answers with
  /// a valid hello.
  std::function<void(Talk&)> on_hello;
  /// Called when a whole message has arrived.
  std::function<void(Talk&, const Message&)> on_message;

  void say(Talk& talk, ByteView bytes);
  /// Closes in order: the bytes sent still arrive, unless bytes were received and not read.
  void hang_up(Talk& talk);
  /// Sets whether the peer reads. Unread bytes wait, and in the end the sender's window is full.
  void listen(Talk& talk, bool listens);

  /// All connections, oldest first.
  const std::vector<std::unique_ptr<Talk>>& talks() const { return talks_; }
  /// Forgets the connections that it has closed.
  void forget_ended();

 private:
  std::uint32_t number() const override;
  void on_dialled(Handle stream, int error) override;
  void on_accepted(Handle stream, const Endpoint& local, const Endpoint& remote) override;
  void on_readable(Handle stream) override;
  void on_writable(Handle stream) override;

  Talk& add(bool by_us, Handle stream, const Endpoint& remote);
  Talk* find(Handle stream);
  void read(Talk& talk);
  void hear(Talk& talk, ByteView bytes);
  void write(Talk& talk);
  void end(Talk& talk, int error);

  World& world_;
  const Nid nid_;
  const Endpoint at_;
  std::uint16_t port_ = 1023;  ///< local port of the next dial
  std::vector<std::unique_ptr<Talk>> talks_;
};

}  // namespace ulnet::sim
