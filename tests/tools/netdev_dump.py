#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dumps netdev-genl objects of this network namespace, a line each, to compare zcq with.

Knows nothing of zcq's own reading of netlink: a generic netlink dump by hand.

    netdev_dump.py queues    IFINDEX ID NAPI PROVIDER     (rx; '-' for what is absent)
    netdev_dump.py napis     ID IRQ PID
    netdev_dump.py pools     ID IFINDEX NAPI INFLIGHT BYTES
    netdev_dump.py qstats    IFINDEX ID PACKETS BYTES     (rx)
"""
import os
import socket
import struct
import sys

NLM_REQUEST, NLM_DUMP, GENL_CTRL, DONE, ERROR = 1, 0x300, 16, 3, 2
COMMANDS = {"queues": 10, "napis": 11, "pools": 5, "qstats": 12}


def attrs(buf):
    """Type to payload; the last of a type wins."""
    found = {}
    while len(buf) >= 4:
        size, kind = struct.unpack_from("=HH", buf)
        if size < 4:
            break
        found[kind & 0x3FFF] = buf[4:size]
        buf = buf[(size + 3) & ~3:]
    return found


def number(found, kind):
    data = found.get(kind)
    return "-" if data is None else str(int.from_bytes(data, sys.byteorder))


def put(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


class Genl:
    def __init__(self):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.bind((0, 0))

    def ask(self, family, command, payload=b"", dump=True):
        body = struct.pack("=BBH", command, 1, 0) + payload
        flags = NLM_REQUEST | (NLM_DUMP if dump else 0)
        self.sock.send(struct.pack("=IHHII", 16 + len(body), family, flags, 1, 0) + body)
        while True:
            buf = self.sock.recv(1 << 20)
            while buf:
                size, kind = struct.unpack_from("=IH", buf)
                if kind in (DONE, ERROR):
                    code = struct.unpack_from("=i", buf, 16)[0]
                    if code:
                        raise OSError(-code, os.strerror(-code))
                    return
                yield attrs(buf[20:size])
                if not dump:
                    return
                buf = buf[(size + 3) & ~3:]

    def family(self, name):
        for found in self.ask(GENL_CTRL, 3, put(2, name.encode() + b"\0"), dump=False):
            return int.from_bytes(found[1], sys.byteorder)
        raise OSError("no family " + name)


def provider(found):
    if 6 in found:
        return "io_uring"
    if 5 in found:
        return "dmabuf"
    return "none"


def line(what, found):
    if what == "queues":
        if number(found, 3) == "0":
            return [number(found, 2), number(found, 1), number(found, 4), provider(found)]
    elif what == "napis":
        return [number(found, 2), number(found, 3), number(found, 4)]
    elif what == "pools":
        return [number(found, kind) for kind in (1, 2, 3, 4, 5)]
    elif number(found, 2) == "0":
        return [number(found, kind) for kind in (1, 3, 8, 9)]
    return None


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    what = sys.argv[1]
    genl = Genl()
    payload = put(4, struct.pack("=I", 1)) if what == "qstats" else b""
    for found in genl.ask(genl.family("netdev"), COMMANDS[what], payload):
        fields = line(what, found)
        if fields:
            print(*fields)


if __name__ == "__main__":
    main()
