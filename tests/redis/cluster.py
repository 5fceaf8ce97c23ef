"""A Redis Cluster on the loopback, with guira.so in every node.

    with Cluster() as c:                  # 3 masters with a replica each; c.nodes are Servers of harness.py
        r = c.client()                    # a RedisCluster
        c.reshard(100, c.master_of(0), c.master_of(16383))
        dead = c.master_of(0)
        c.kill(dead)                      # SIGKILL
        c.wait_ok()                       # a replica has taken over
        dead.start()                      # with the same port, directory and id; it becomes a replica
        c.wait_ok()

A node uses two ports: p for clients and p + 10000 for the other nodes. Both are below the range that Linux assigns to
outgoing connections, and held for the node while it is down, so that a restarted node finds its ports free.

On a busy machine a node can be seconds late without being dead, and an unwanted failover may lose writes that are not yet
replicated. So the nodes use LONG_TIMEOUT, except while the cluster is created and between kill() and wait_ok().
"""
import atexit
import logging
import os
import random
import subprocess
import time

import redis

from harness import SERVER, Server, hold

CLI = os.path.join(os.path.dirname(SERVER), os.path.basename(SERVER).replace("-server", "-cli"))
BUS_PORT_OFFSET = 10000
SLOTS = 16384
LONG_TIMEOUT, SHORT_TIMEOUT = 10000, 2000  # cluster-node-timeout in milliseconds
NODE_OPTIONS = ("--cluster-enabled", "yes", "--cluster-node-timeout", str(SHORT_TIMEOUT), "--cluster-allow-replica-migration", "no",
                "--cluster-replica-validity-factor", "0",  # a replica may take over however old its data is
                "--repl-ping-replica-period", "1")         # CLUSTER SLOTS omits replicas that have received nothing yet

logging.getLogger("redis").addHandler(logging.NullHandler())  # the client logs a stack trace when a slot has moved


def poll(condition, what, seconds=120):
    """Waits until the condition is true and returns its value. An error of the client counts as false."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except redis.exceptions.RedisError:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"timeout while waiting for {what}")
        time.sleep(0.05)


def free_port_pair():
    while True:
        port = random.SystemRandom().randrange(10000, 22000)
        if hold(port) and hold(port + BUS_PORT_OFFSET):
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
        for _ in range(10):  # another program may take the port before the server binds it
            try:
                node = Server(*NODE_OPTIONS, port=free_port_pair(), arguments=("BF", "yes"))
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
        """Kills all nodes: in an orderly shutdown each master would wait for its replica."""
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

    def set_node_timeout(self, milliseconds):
        for node in self.alive():
            node("CONFIG", "SET", "cluster-node-timeout", milliseconds)

    def kill(self, node):
        self.set_node_timeout(SHORT_TIMEOUT)
        node.process.kill()
        node.process.wait()
        node.client.close()

    def cli(self, command, *words):
        """Runs redis-cli --cluster without confirmation prompts."""
        done = subprocess.run([CLI, "--cluster", command, *words, "--cluster-yes"], text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"--cluster {command}: {done.stdout[-4000:]}{done.stderr[-4000:]}")

    def reshard(self, slots, source, target):
        """Moves slots and their keys from one master to another (MIGRATE). Clients can continue meanwhile."""
        self.cli("reshard", f"127.0.0.1:{target.port}", "--cluster-from", source.id, "--cluster-to", target.id,
                 "--cluster-slots", str(slots))
        self.wait_ok()

    def client(self):
        return redis.RedisCluster(host="127.0.0.1", port=self.alive()[0].port, socket_timeout=120)

    def node_at(self, port):
        return next(n for n in self.nodes if n.port == port)

    def layout(self, node):
        """The layout that this node reports: ((first slot, last slot, port of the master, ports of its replicas)...)."""
        return tuple(sorted((first, last, master[1], *sorted(r[1] for r in replicas))
                            for first, last, master, *replicas in node("CLUSTER", "SLOTS")))

    def master_of(self, slot):
        return next(self.node_at(master) for first, last, master, *_ in self.layout(self.alive()[0])
                    if first <= slot <= last)

    def replica_of(self, master):
        return next(self.node_at(replica) for _, _, port, replica, *_ in self.layout(self.alive()[0])
                    if port == master.port)

    def wait_ok(self):
        """Waits until all running nodes agree, each slot has a master, and each replica is connected to its master."""
        poll(self.is_ok, "the cluster to be ok")
        self.set_node_timeout(LONG_TIMEOUT)

    def is_ok(self):
        alive = self.alive()
        layouts = {self.layout(n) for n in alive}
        layout = next(iter(layouts))
        return (len(layouts) == 1 and {port for _, _, *ports in layout for port in ports} == {n.port for n in alive}
                and sum(last - first + 1 for first, last, *_ in layout) == SLOTS
                and all(n.client.cluster("INFO")["cluster_state"] == "ok" for n in alive)
                and all(n.client.info("replication").get("master_link_status", "up") == "up" for n in alive))
