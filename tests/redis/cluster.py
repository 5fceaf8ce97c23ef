"""A Redis Cluster on the loopback, with guira.so in every node.

    with Cluster() as c:                  # 3 masters with a replica each; c.nodes are Servers of harness.py
        r = c.client()                    # a RedisCluster
        c.reshard(100, c.master_of(0), c.master_of(16383))
        dead = c.master_of(0)
        c.kill(dead)                      # SIGKILL
        c.wait_ok()                       # a replica has taken over
        dead.start()                      # the same port, directory and name in the cluster: a replica now
        c.wait_ok()

A node takes two ports:   p: clients   p + 10000: the other nodes. Both are below those that Linux hands out for connections,
so that none of these is in the way when a node comes back to its port.

On a busy machine a node can be late by seconds without being dead, and a failover that nobody asked for may lose what is not
replicated yet. So nodes are PATIENT with each other, but HASTY while the cluster is made, and between kill() and wait_ok().
"""
import atexit
import logging
import os
import random
import socket
import subprocess
import time

import redis

from harness import SERVER, Server

CLI = os.path.join(os.path.dirname(SERVER), os.path.basename(SERVER).replace("-server", "-cli"))
BUS = 10000
SLOTS = 16384
PATIENT, HASTY = 10000, 2000  # cluster-node-timeout in milliseconds
NODE_OPTIONS = ("--cluster-enabled", "yes", "--cluster-node-timeout", str(HASTY), "--cluster-allow-replica-migration", "no",
                "--cluster-replica-validity-factor", "0",  # a replica takes over however long ago it heard of its master
                "--repl-ping-replica-period", "1")         # CLUSTER SLOTS has no replica that has received nothing yet

logging.getLogger("redis").addHandler(logging.NullHandler())  # a client says with a stack trace that a slot has moved


def poll(condition, what, seconds=120):
    """Waits until the condition holds, and returns its value. A node that cannot be reached does not fulfil it."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except redis.exceptions.RedisError:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"this takes too long: {what}")
        time.sleep(0.05)


def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_pair():
    while True:
        port = random.SystemRandom().randrange(10000, 22000)
        if is_free(port) and is_free(port + BUS):
            return port


class Cluster:
    def __init__(self, masters=3, replicas=1):
        self.nodes = []
        atexit.register(self.stop)
        try:
            for _ in range(masters * (1 + replicas)):
                self.nodes.append(self.new_node())
            self.cli("create", *(f"127.0.0.1:{n.port}" for n in self.nodes), "--cluster-replicas", str(replicas))
            self.wait_ok()
        except BaseException:
            self.stop()
            raise

    def new_node(self):
        for _ in range(10):  # another program may take the port before the server does
            try:
                node = Server(*NODE_OPTIONS, port=free_pair())
            except RuntimeError as error:
                if "in use" not in str(error):
                    raise
            else:
                node.id = node("CLUSTER", "MYID").decode()
                return node
        raise RuntimeError("no free ports")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """All at once: in an orderly end each would wait for its replica."""
        atexit.unregister(self.stop)
        for node in self.nodes:
            node.process.kill()
        for node in self.nodes:
            node.process.wait()
            node.remove()
        self.nodes = []

    def alive(self):
        return [n for n in self.nodes if n.process.poll() is None]

    def log(self):
        return "".join(f"---- node {n.port}\n{n.log()[-4000:]}" for n in self.nodes)

    def be(self, manner):
        for node in self.alive():
            node("CONFIG", "SET", "cluster-node-timeout", manner)

    def kill(self, node):
        self.be(HASTY)
        node.process.kill()
        node.process.wait()
        node.client.close()

    def cli(self, command, *words):
        """redis-cli --cluster, which asks nothing."""
        done = subprocess.run([CLI, "--cluster", command, *words, "--cluster-yes"], text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"--cluster {command}: {done.stdout[-4000:]}{done.stderr[-4000:]}")

    def reshard(self, slots, source, target):
        """Slots and the keys in them go from master to master, by MIGRATE. Traffic may go on."""
        self.cli("reshard", f"127.0.0.1:{target.port}", "--cluster-from", source.id, "--cluster-to", target.id,
                 "--cluster-slots", str(slots))
        self.wait_ok()

    def client(self):
        return redis.RedisCluster(host="127.0.0.1", port=self.alive()[0].port, socket_timeout=120)

    def node_at(self, port):
        return next(n for n in self.nodes if n.port == port)

    def layout(self, node):
        """As this node sees it: ((first slot, last slot, port of the master, ports of its replicas)...)."""
        return tuple(sorted((first, last, master[1], *sorted(r[1] for r in replicas))
                            for first, last, master, *replicas in node("CLUSTER", "SLOTS")))

    def master_of(self, slot):
        return next(self.node_at(master) for first, last, master, *_ in self.layout(self.alive()[0])
                    if first <= slot <= last)

    def replica_of(self, master):
        return next(self.node_at(replica) for _, _, port, replica, *_ in self.layout(self.alive()[0])
                    if port == master.port)

    def wait_ok(self):
        """Until all nodes that are alive agree, each slot has a master, and each replica is connected to its own."""
        poll(self.is_ok, "the cluster to be ok")
        self.be(PATIENT)

    def is_ok(self):
        alive = self.alive()
        layouts = {self.layout(n) for n in alive}
        layout = next(iter(layouts))
        return (len(layouts) == 1 and {port for _, _, *ports in layout for port in ports} == {n.port for n in alive}
                and sum(last - first + 1 for first, last, *_ in layout) == SLOTS
                and all(n.client.cluster("INFO")["cluster_state"] == "ok" for n in alive)
                and all(n.client.info("replication").get("master_link_status", "up") == "up" for n in alive))
