// A peer over virtual TCP that is no node: it says what it is told to, byte by byte, sound or not,
// and remembers what it is told. For stories about what only a foreign peer would do, and for
// swarms in which somebody speaks nonsense. Source: DESIGN.md 6; spec/wire-socklnd.md.
//
//   RawPeer eve(world, *Nid::parse("10.0.0.9@tcp"));
//   RawPeer::Talk& talk = eve.greet(bob.nid());           // dials, says request and hello
//   eve.say(talk, words(header, payload));                // then what it likes
//   world.run_for(seconds(1));
//   EXPECT_TRUE(talk.ended);                              // bob hung up
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/speech.h"
#include "sim/streams.h"

namespace ulnet::sim {

class World;

class RawPeer final : private SocketUser {
 public:
  /// What the other side said after its hello.
  struct Message {
    wire::Frame frame;
    wire::LnetHeader header;
    std::vector<std::byte> payload;
    bool whole = false;  ///< all of the payload has come
  };
  /// A connection, from the dial or the acceptance on. Stays where it is.
  struct Talk {
    explicit Talk(bool dialled_by_us) : by_us(dialled_by_us), speech(!dialled_by_us) {}

    const bool by_us;
    Handle stream;  ///< none: it is over for us
    Endpoint remote;
    bool listens = true;  ///< reads what comes
    bool leaves = false;  ///< hangs up when all is said
    bool open = false;    ///< TCP is through
    bool ended = false;   ///< the other side hung up, or the connection broke
    int error = 0;        ///< why the dial failed or the connection broke, a positive errno
    std::vector<std::byte> unsent;
    std::vector<std::byte> heard;  ///< everything, as it came
    Speech speech;                 ///< of the other side
    std::optional<wire::Hello> hello;
    std::vector<wire::Frame> noops;
    std::vector<Message> messages;
  };
  static constexpr std::uint16_t kPort = 988;

  /// At the address of `nid`, which nobody else has. `world` must outlive it.
  RawPeer(World& world, const Nid& nid);
  /// Hangs up everywhere.
  ~RawPeer() override;

  const Nid& nid() const { return nid_; }
  std::uint64_t incarnation = 1;  ///< of its hellos

  /// From a port below 1024, or from `port`. What is said before TCP is through waits.
  Talk& dial(const Nid& to, std::uint16_t port = 0);
  /// Dials and says request and hello().
  Talk& greet(const Nid& to, std::uint32_t version = 3,
              wire::ConnType type = wire::ConnType::kControl);
  wire::Hello hello(const Nid& to, std::uint32_t version = 3,
                    wire::ConnType type = wire::ConnType::kControl) const;
  /// Takes connections from now on. False: somebody else does at that address.
  bool open_doors();
  /// What it does when a node that dialled has said its hello; without, it answers as a sound peer.
  std::function<void(Talk&)> on_hello;

  void say(Talk& talk, ByteView bytes);
  /// In order: what was said still arrives, unless something came that was not listened to.
  void hang_up(Talk& talk);
  /// Whether it reads; what it does not read waits, and in the end holds up who says it.
  void listen(Talk& talk, bool listens);

  /// All of them, oldest first.
  const std::vector<std::unique_ptr<Talk>>& talks() const { return talks_; }
  /// Forgets those that are over.
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
  std::uint16_t port_ = 1023;  ///< dialled from next
  std::vector<std::unique_ptr<Talk>> talks_;
};

}  // namespace ulnet::sim
