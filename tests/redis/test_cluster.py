"""The module in a cluster: resharding and failover under traffic, and merging of filters with different seeds."""
import sys
import unittest

import redis
from redis.crc import key_slot

from cluster import SLOTS, Cluster, poll
from harness import LONG, QUICK, pairs, rng_for
from redisbloom import CuckooFilter, dump
from traffic import ConfirmedTraffic, ExactTraffic

SLOTS_PER_MOVE = 400 if LONG else 100  # slots that are moved at a time
ROUNDS = 2 if LONG else 1
STEPS = 200 if LONG else 50 if QUICK else 100  # of each worker, between two changes of the cluster


class ClusterTest(unittest.TestCase):
    def start(self, **size):
        self.cluster = Cluster(**size)
        self.addCleanup(self.stop)
        self.workers = []
        return self.cluster

    def stop(self):
        for worker in self.workers:
            worker.stopping.set()
        for worker in self.workers:
            worker.join()
        ended = len(self.cluster.alive()) < len(self.cluster.nodes)
        if ended or not getattr(self._outcome, "success", True):
            print(self.cluster.log(), file=sys.stderr)
        self.cluster.stop()
        self.assertFalse(ended, "a node exited")

    def slots_of(self, master):
        return [slot for first, last, port, *_ in self.cluster.layout(master) if port == master.port
                for slot in range(first, last + 1)]

    def tags_in(self, rng, slots, n):
        slots, found = set(slots), set()
        while len(found) < n:
            tag = f"{rng.getrandbits(40):x}"
            if key_slot(tag.encode()) in slots:
                found.add(tag)
        return sorted(found)

    def masters(self):
        """All masters, in the order of their slots."""
        ports = dict.fromkeys(port for _, _, port, *_ in self.cluster.layout(self.cluster.alive()[0]))
        return [self.cluster.node_at(port) for port in ports]

    def start_traffic(self, kind, rng, tags, threads=3):
        workers = [kind(self.cluster, type(rng)(rng.getrandbits(64)), tags[n::threads]) for n in range(threads)]
        for worker in workers:
            worker.start()
        self.workers = workers

    def wait_for_steps(self, steps=STEPS, what=lambda w: w.steps):
        """Waits until each worker has done this many more steps, or one has failed."""
        before = [what(w) for w in self.workers]
        poll(lambda: all(what(w) >= b + steps for w, b in zip(self.workers, before)) or any(w.failure for w in self.workers),
             "steps of the workers")

    def finish_traffic(self):
        for worker in self.workers:
            worker.finish()

    def digest(self, node, key):
        return node("DEBUG", "DIGEST-VALUE", key)

    def assert_replicas_are_identical(self, keys):
        for key in keys:
            master = self.cluster.master_of(key_slot(key.encode()))
            replica = self.cluster.replica_of(master)
            poll(lambda: self.digest(master, key) == self.digest(replica, key), f"{key} to be identical on the replica")
            self.assertNotEqual([b"0" * 40], self.digest(master, key))


class Resharding(ClusterTest):
    def test_nothing_is_lost_while_slots_move(self):
        rng, c = rng_for(self), self.start()
        a, b, d = self.masters()
        tags = self.tags_in(rng, self.slots_of(a)[:SLOTS_PER_MOVE], 6)  # these slots are moved
        for master in (a, b, d):
            tags += self.tags_in(rng, self.slots_of(master)[SLOTS_PER_MOVE:], 3)
        self.start_traffic(ExactTraffic, rng, tags)
        moved = 0
        for _ in range(ROUNDS):
            for source, target in ((a, b), (b, d), (d, a)):
                self.wait_for_steps()
                owners = [c.master_of(key_slot(t.encode())) for t in tags]
                c.reshard(SLOTS_PER_MOVE, source, target)
                moved += sum(before is not c.master_of(key_slot(t.encode())) for t, before in zip(tags, owners))
        self.wait_for_steps()
        self.finish_traffic()
        checked = sum(w.check() for w in self.workers)
        self.assert_replicas_are_identical(k for w in self.workers for k in w.filters + w.windows)
        print(f"{sum(w.steps for w in self.workers)} steps, {2 * moved} moves of a key, {checked} items checked")
        self.assertGreaterEqual(moved, 6)

    def test_a_large_key_moves(self):
        rng, c = rng_for(self), self.start(replicas=0)
        a, b, _ = self.masters()
        key = "{%s}" % self.tags_in(rng, self.slots_of(a)[:5], 1)[0]
        items = list(range(20000))
        a("CF.RESERVE", key, 1000000 if QUICK else 8000000)
        a("CF.INSERT", key, "ITEMS", *items)
        size, digest = a("MEMORY", "USAGE", key), self.digest(a, key)
        c.reshard(5, a, b)
        self.assertEqual((0, 1), (a.client.dbsize(), b.client.dbsize()))
        self.assertEqual(digest, self.digest(b, key))
        self.assertEqual([1] * len(items), c.client().execute_command("CF.MEXISTS", key, *items))
        b("CF.DEBUG", key)
        print(f"{size} bytes")
        self.assertGreater(size, 2000000)


class Failover(ClusterTest):
    def kill_under_traffic(self):
        self.wait_for_steps(what=lambda w: w.confirmations)
        self.cluster.kill(self.victim)
        self.cluster.wait_ok()
        for worker in self.workers:
            worker.period = 1
        self.wait_for_steps(STEPS // 10)  # fewer steps: each waits for a replica that does not confirm
        self.victim.start()
        self.cluster.wait_ok()
        self.wait_for_steps(what=lambda w: w.confirmations)
        self.finish_traffic()

    def test_confirmed_writes_survive_the_crash_of_a_master(self):
        rng, c = rng_for(self), self.start()
        self.victim = rng.choice(self.masters())
        replica = c.replica_of(self.victim)
        lost_slots = set(self.slots_of(self.victim))
        self.start_traffic(ConfirmedTraffic, rng, [t for m in self.masters() for t in self.tags_in(rng, self.slots_of(m), 6)])
        self.kill_under_traffic()
        self.assertEqual(lost_slots, set(self.slots_of(replica)))
        self.assertEqual(b"slave", self.victim("ROLE")[0])
        confirmed = acknowledged = lost = 0
        for w in self.workers:
            for key in w.filters + w.windows:
                self.assertEqual([1] * len(w.confirmed[key]), w.present(key, w.confirmed[key]))
                missing = w.lost(key)
                if key_slot(key.encode()) not in lost_slots:
                    self.assertEqual([], missing)
                self.assertNotIn(1, missing)  # written after the failover, to the new master
                confirmed += len(w.confirmed[key])
                acknowledged += len(w.acknowledged[key])
                lost += len(missing)
            for key in w.filters:
                self.assertEqual([0] * len(w.deleted[key]), w.present(key, w.deleted[key]))
                w.call("CF.DEBUG", key)
        print(f"all {confirmed} confirmed writes are present; {lost} of {acknowledged} acknowledged ones are lost")
        self.assert_replicas_are_identical(k for w in self.workers for k in w.filters + w.windows)

    def test_nothing_is_lost_in_a_manual_failover(self):
        rng, c = rng_for(self), self.start()
        tags = [t for m in self.masters() for t in self.tags_in(rng, self.slots_of(m), 4)]
        self.start_traffic(ExactTraffic, rng, tags)
        for master, replica in [(master, c.replica_of(master)) for master in self.masters()]:
            self.wait_for_steps()
            self.fail_over(master, replica)
        self.wait_for_steps()
        self.finish_traffic()
        c.wait_ok()
        print(f"{sum(w.steps for w in self.workers)} steps, {sum(w.check() for w in self.workers)} items checked")
        self.assert_replicas_are_identical(k for w in self.workers for k in w.filters + w.windows)

    def fail_over(self, master, replica):
        while True:
            replica("CLUSTER", "FAILOVER")
            try:
                poll(lambda: replica("ROLE")[0] == b"master", "the replica to take over", seconds=6)
                break
            except TimeoutError:  # on a very busy machine the replica gives up after five seconds
                pass
        poll(lambda: master.client.info("replication").get("master_link_status") == "up", "the old master to become a replica")

    def test_a_window_keeps_its_time_if_the_new_master_has_a_slower_clock(self):
        c = self.start()
        master = c.master_of(key_slot(b"w"))
        replica = c.replica_of(master)
        master("CFW.RESERVE", "w", 60000)
        seconds, _ = master("TIME")
        future = (seconds + 3600) * 1000
        old = [f"old {n}" for n in range(1000)]
        seen = master("CFW._SEEN", "w", future, *old)  # the master's clock is an hour ahead
        self.assertLessEqual(sum(seen), 2)  # false positives: see test_windows.py
        poll(lambda: master("WAIT", 1, 1000) == 1, "the replica")
        c.kill(master)
        c.wait_ok()
        self.assertIs(replica, c.master_of(key_slot(b"w")))
        self.assertEqual([1] * 1000 + [0, 1], replica("CFW.SEEN", "w", *old, "new", "new"))
        self.assertEqual(future, pairs(replica("CFW.INFO", "w"))["last_call"])
        master.start()
        c.wait_ok()
        self.assert_replicas_are_identical(["w"])
        self.assertEqual([1] * 1000 + [1], replica("CFW.SEEN", "w", *old, "new"))


class OtherKeys(Failover):
    """Bloom filters, and filters that RedisBloom made, which have an old part beside the new one."""
    test_confirmed_writes_survive_the_crash_of_a_master = test_nothing_is_lost_in_a_manual_failover = None
    test_a_window_keeps_its_time_if_the_new_master_has_a_slower_clock = None

    def fill(self, r, tag):
        moved = CuckooFilter(64, 4, 20, 2)
        for i in range(300):
            moved.add(i)
        r.execute_command("RESTORE", f"{{{tag}}}old", 0, dump(moved))
        r.execute_command("BF.RESERVE", f"{{{tag}}}bf", 0.0001, 100)

    def change(self, r, tags, start):
        """Adds items to both, and deletes some of the moved ones. Members from before stay members."""
        for tag in tags:
            r.execute_command("CF.INSERT", f"{{{tag}}}old", "ITEMS", *range(start, start + 200))
            r.execute_command("BF.MADD", f"{{{tag}}}bf", *range(start, start + 200))
            for i in range(start // 1000 * 30, start // 1000 * 30 + 30):
                self.assertEqual(1, r.execute_command("CF.DEL", f"{{{tag}}}old", i))

    def check(self, r, tags, changes):
        for tag in tags:
            members = [i for n in range(changes) for i in range(1000 * n, 1000 * n + 200)]
            bloom = f"{{{tag}}}bf"
            self.assertEqual([1] * len(members), r.execute_command("BF.MEXISTS", bloom, *members))
            self.assertAlmostEqual(len(members), r.execute_command("BF.CARD", bloom), delta=3)
            self.assertEqual([0] * 50, [x for x in r.execute_command("BF.MEXISTS", bloom, *range(50000, 50060)) if x == 0][:50])
            members = [i for n in range(1, changes) for i in range(1000 * n, 1000 * n + 200)] + list(range(30 * changes, 300))
            self.assertEqual([1] * len(members), r.execute_command("CF.MEXISTS", f"{{{tag}}}old", *members))

    def test_bloom_filters_and_moved_filters_move_and_fail_over(self):
        rng, c = rng_for(self), self.start()
        a, b, _ = self.masters()
        tags = self.tags_in(rng, self.slots_of(a)[:20], 4)
        keys = [f"{{{tag}}}{kind}" for tag in tags for kind in ("old", "bf")]
        for node in c.nodes:
            node("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)  # the dumps that the test writes have none
        for tag in tags:
            self.fill(c.client(), tag)
        for n in range(4):
            self.change(c.client(), tags, 1000 * n)
            self.check(c.client(), tags, n + 1)
            if n < 2:
                c.reshard(20, *((a, b), (b, a))[n])
            elif n == 2:
                self.fail_over(a, c.replica_of(a))
                c.wait_ok()
        self.assert_replicas_are_identical(keys)
        old = pairs(c.client().execute_command("CF.STATS", keys[0]))
        self.assertEqual(b"MBbloomCF", c.client().execute_command("TYPE", keys[0]))
        self.assertGreater(old["old_items"], 100)


class Merging(ClusterTest):
    DIFFERENT = "filters of different seed or fixed size, or of 12-bit and wider slots, cannot be merged"

    def setUp(self):
        self.rng = rng_for(self)
        self.start(replicas=0)
        self.a, self.b, _ = self.masters()
        self.tag = self.tags_in(self.rng, self.slots_of(self.a)[:1], 1)[0]
        self.old, self.new = (f"{{{self.tag}}}{name}" for name in ("old", "new"))

    def move(self):
        """Creates a filter, moves it to another master, and creates another filter there."""
        self.a("CF.INSERT", self.old, "ITEMS", *range(1000))
        self.cluster.reshard(1, self.a, self.b)
        self.b("CF.INSERT", self.new, "ITEMS", *range(500, 1500))

    def test_filters_of_different_slots_are_refused(self):
        for key in ("x", "y"):
            self.cluster.client().execute_command("CF.ADD", key, "a")
        node = self.cluster.master_of(key_slot(b"x"))
        with self.assertRaisesRegex(redis.exceptions.ResponseError, "^CROSSSLOT Keys in request don't hash to the same slot"):
            node("CF.MERGE", "x", "y")

    def test_filters_of_one_tag_are_merged(self):
        r = self.cluster.client()
        for tag in self.tags_in(self.rng, range(SLOTS), 10):
            x, y, z = (f"{{{tag}}}{name}" for name in "xyz")
            r.cf().insert(x, range(1000))
            r.cf().insert(y, range(1000, 2000))
            self.assertEqual(b"OK", r.execute_command("CF.MERGE", z, x, y))
            self.assertEqual([1] * 2000, r.execute_command("CF.MEXISTS", z, *range(2000)))

    def test_filters_created_on_two_masters_are_not_merged(self):
        self.b("CF.ADD", "{%s}" % self.tags_in(self.rng, self.slots_of(self.b), 1)[0], "a")  # so that b has a seed
        self.move()
        digests = [self.digest(self.b, key) for key in (self.old, self.new)]
        for words in ([self.old, self.new], [self.new, self.old], [f"{{{self.tag}}}both", self.old, self.new]):
            with self.subTest(words=words), self.assertRaisesRegex(redis.exceptions.ResponseError, self.DIFFERENT):
                self.b("CF.MERGE", *words)
        self.assertEqual(digests, [self.digest(self.b, key) for key in (self.old, self.new)])
        self.assertEqual(0, self.b("EXISTS", f"{{{self.tag}}}both"))
        self.assertEqual([1] * 1000, self.b("CF.MEXISTS", self.old, *range(1000)))

    def test_a_copy_of_an_empty_filter_has_its_seed(self):
        self.b("CF.ADD", "{%s}" % self.tags_in(self.rng, self.slots_of(self.b), 1)[0], "a")
        empty = f"{{{self.tag}}}empty"
        self.a("CF.RESERVE", empty, 1024)
        self.a("CF.ADD", self.old, "x")
        self.cluster.reshard(1, self.a, self.b)
        self.b("COPY", empty, self.new)
        self.b("CF.ADD", self.new, "y")
        self.assertEqual(b"OK", self.b("CF.MERGE", self.old, self.new))
        self.assertEqual([1, 1], self.b("CF.MEXISTS", self.old, "x", "y"))

    def test_a_master_without_filters_draws_its_own_seed(self):
        self.move()
        with self.assertRaisesRegex(redis.exceptions.ResponseError, self.DIFFERENT):
            self.b("CF.MERGE", self.old, self.new)


if __name__ == "__main__":
    unittest.main()
