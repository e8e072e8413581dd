#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a single netkit netdev and leases it a physical rx queue (Linux 7.0 and later).

    netkit_lease.py NETKIT PHYSICAL QUEUE    prints the index of the new virtual queue

iproute2 and ethtool of Debian 12 and 13 can't do either.
"""
import os
import socket
import struct
import sys

sys.dont_write_bytecode = True
from netdev_dump import ERROR, Genl, put  # noqa: E402

NEWLINK, REQUEST_ACK_CREATE = 16, 1 | 4 | 0x600
NUM_RX_QUEUES, LINKINFO, IFNAME, PAIRING_SINGLE = 32, 18, 3, 1
QUEUE_CREATE, NEST = 16, 0x8000


def u32(value):
    return struct.pack("=I", value)


def new_netkit(name):
    netkit = put(1, b"netkit\0") + put(2 | NEST, put(10, u32(PAIRING_SINGLE)))
    body = struct.pack("=BBHiII", 0, 0, 0, 0, 0, 0) + put(IFNAME, name.encode() + b"\0")
    body += put(NUM_RX_QUEUES, u32(2)) + put(LINKINFO | NEST, netkit)
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    sock.bind((0, 0))
    head = struct.pack("=IHHII", 16 + len(body), NEWLINK, REQUEST_ACK_CREATE, 1, 0)
    sock.send(head + body)
    reply = sock.recv(65536)
    code = struct.unpack_from("=i", reply, 16)[0]
    if struct.unpack_from("=IH", reply)[1] == ERROR and code:
        raise OSError(-code, os.strerror(-code))


def lease(netkit, physical, queue):
    genl = Genl()
    what = put(1, u32(physical)) + put(2 | NEST, put(1, u32(queue)) + put(3, u32(0)))
    ask = put(2, u32(netkit)) + put(3, u32(0)) + put(8 | NEST, what)
    for found in genl.ask(genl.family("netdev"), QUEUE_CREATE, ask, dump=False):
        return int.from_bytes(found[1], sys.byteorder)
    raise OSError("no answer")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    new_netkit(sys.argv[1])
    print(lease(socket.if_nametoindex(sys.argv[1]), socket.if_nametoindex(sys.argv[2]),
                int(sys.argv[3])))


if __name__ == "__main__":
    main()
