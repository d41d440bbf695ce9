"""Plays `ssh -N -L LOCAL:REMOTE -- HOST` for tests: forwards connections to the socket LOCAL to the
socket REMOTE of this machine. The host "refused" permits no login."""
import socket
import sys
import threading


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    if sys.argv[-1] == 'refused':
        sys.exit('Permission denied')
    local, remote = sys.argv[sys.argv.index('-L') + 1].split(':')
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(local)
    listener.listen()
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        far.connect(remote)
        for pair in ((near, far), (far, near)):
            threading.Thread(target=copy, args=pair, daemon=True).start()


main()
