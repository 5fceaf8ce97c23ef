"""The module in a cluster: slots that move from master to master under traffic, masters that die or step back, filters of
different seeds that meet."""
import sys
import unittest

import redis
from redis.crc import key_slot

from cluster import SLOTS, Cluster, poll
from harness import QUICK, pairs, rng_for
from traffic import Confirmed, Exact

MOVING = 100 if QUICK else 400  # slots that change their master at a time
ROUNDS = 1 if QUICK else 2
STEPS = 50 if QUICK else 200  # of each worker, between one event and the next


class ClusterTest(unittest.TestCase):
    def start(self, **size):
        self.cluster = Cluster(**size)
        self.addCleanup(self.stop)
        self.workers = []
        return self.cluster

    def stop(self):
        for worker in self.workers:
            worker.over.set()
        for worker in self.workers:
            worker.join()
        ended = len(self.cluster.alive()) < len(self.cluster.nodes)
        if ended or not getattr(self._outcome, "success", True):
            print(self.cluster.log(), file=sys.stderr)
        self.cluster.stop()
        self.assertFalse(ended, "a node has ended")

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
        """In the order of their slots."""
        ports = dict.fromkeys(port for _, _, port, *_ in self.cluster.layout(self.cluster.alive()[0]))
        return [self.cluster.node_at(port) for port in ports]

    def start_traffic(self, kind, rng, tags, threads=3):
        workers = [kind(self.cluster, type(rng)(rng.getrandbits(64)), tags[n::threads]) for n in range(threads)]
        for worker in workers:
            worker.start()
        self.workers = workers

    def let_pass(self, steps=STEPS, what=lambda w: w.steps):
        """Until each worker has made so many more steps, or one has failed."""
        before = [what(w) for w in self.workers]
        poll(lambda: all(what(w) >= b + steps for w, b in zip(self.workers, before)) or any(w.failure for w in self.workers),
             "the traffic")

    def finish_traffic(self):
        for worker in self.workers:
            worker.finish()

    def digest(self, node, key):
        return node("DEBUG", "DIGEST-VALUE", key)

    def assert_replicas_are_same(self, keys):
        for key in keys:
            master = self.cluster.master_of(key_slot(key.encode()))
            replica = self.cluster.replica_of(master)
            poll(lambda: self.digest(master, key) == self.digest(replica, key), f"{key} to be the same on the replica")
            self.assertNotEqual([b"0" * 40], self.digest(master, key))


class Resharding(ClusterTest):
    def test_nothing_is_lost_while_slots_move(self):
        rng, c = rng_for(self), self.start()
        a, b, d = self.masters()
        tags = self.tags_in(rng, self.slots_of(a)[:MOVING], 6)  # these go around
        for master in (a, b, d):
            tags += self.tags_in(rng, self.slots_of(master)[MOVING:], 3)
        self.start_traffic(Exact, rng, tags)
        moved = 0
        for _ in range(ROUNDS):
            for source, target in ((a, b), (b, d), (d, a)):
                self.let_pass()
                owners = [c.master_of(key_slot(t.encode())) for t in tags]
                c.reshard(MOVING, source, target)
                moved += sum(before is not c.master_of(key_slot(t.encode())) for t, before in zip(tags, owners))
        self.let_pass()
        self.finish_traffic()
        checked = sum(w.check() for w in self.workers)
        self.assert_replicas_are_same(k for w in self.workers for k in w.filters + w.windows)
        print(f"{sum(w.steps for w in self.workers)} steps, {2 * moved} times a key moved, {checked} items checked")
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
        self.let_pass(what=lambda w: w.confirmations)
        self.cluster.kill(self.victim)
        self.cluster.wait_ok()
        for worker in self.workers:
            worker.era = 1
        self.let_pass(STEPS // 10)  # slow: there is no replica that could confirm
        self.victim.start()
        self.cluster.wait_ok()
        self.let_pass(what=lambda w: w.confirmations)
        self.finish_traffic()

    def test_what_a_replica_has_confirmed_survives_its_master(self):
        rng, c = rng_for(self), self.start()
        self.victim = rng.choice(self.masters())
        heir = c.replica_of(self.victim)
        lost_slots = set(self.slots_of(self.victim))
        self.start_traffic(Confirmed, rng, [t for m in self.masters() for t in self.tags_in(rng, self.slots_of(m), 6)])
        self.kill_under_traffic()
        self.assertEqual(lost_slots, set(self.slots_of(heir)))
        self.assertEqual(b"slave", self.victim("ROLE")[0])
        sure = acknowledged = lost = 0
        for w in self.workers:
            for key in w.filters + w.windows:
                self.assertEqual([1] * len(w.sure[key]), w.present(key, w.sure[key]))
                missing = w.lost(key)
                if key_slot(key.encode()) not in lost_slots:
                    self.assertEqual([], missing)
                self.assertNotIn(1, missing)  # written to the heir
                sure += len(w.sure[key])
                acknowledged += len(w.acknowledged[key])
                lost += len(missing)
            for key in w.filters:
                self.assertEqual([0] * len(w.gone[key]), w.present(key, w.gone[key]))
                w.ask("CF.DEBUG", key)
        print(f"{sure} confirmed and not deleted: all there; of {acknowledged} others that were acknowledged {lost} are lost")
        self.assert_replicas_are_same(k for w in self.workers for k in w.filters + w.windows)

    def test_nothing_is_lost_when_masters_step_back(self):
        rng, c = rng_for(self), self.start()
        tags = [t for m in self.masters() for t in self.tags_in(rng, self.slots_of(m), 4)]
        self.start_traffic(Exact, rng, tags)
        for master, heir in [(master, c.replica_of(master)) for master in self.masters()]:
            self.let_pass()
            self.step_back(master, heir)
        self.let_pass()
        self.finish_traffic()
        c.wait_ok()
        print(f"{sum(w.steps for w in self.workers)} steps, {sum(w.check() for w in self.workers)} items checked")
        self.assert_replicas_are_same(k for w in self.workers for k in w.filters + w.windows)

    def step_back(self, master, heir):
        while True:
            heir("CLUSTER", "FAILOVER")
            try:
                poll(lambda: heir("ROLE")[0] == b"master", "the replica to take over", seconds=6)
                break
            except TimeoutError:  # it gives up after five seconds, on a very busy machine
                pass
        poll(lambda: master.client.info("replication").get("master_link_status") == "up", "its master to be its replica")

    def test_the_time_of_a_window_stands_still_if_the_heir_is_behind(self):
        c = self.start()
        master = c.master_of(key_slot(b"w"))
        heir = c.replica_of(master)
        master("CFW.RESERVE", "w", 60000)
        seconds, _ = master("TIME")
        future = (seconds + 3600) * 1000
        old = [f"old {n}" for n in range(1000)]
        self.assertEqual([0] * 1000, master("CFW._SEEN", "w", future, *old))  # the master's clock is an hour ahead
        poll(lambda: master("WAIT", 1, 1000) == 1, "the replica")
        c.kill(master)
        c.wait_ok()
        self.assertIs(heir, c.master_of(key_slot(b"w")))
        self.assertEqual([1] * 1000 + [0, 1], heir("CFW.SEEN", "w", *old, "new", "new"))
        self.assertEqual(future, pairs(heir("CFW.INFO", "w"))["last_call"])
        master.start()
        c.wait_ok()
        self.assert_replicas_are_same(["w"])
        self.assertEqual([1] * 1000 + [1], heir("CFW.SEEN", "w", *old, "new"))


class Merging(ClusterTest):
    DIFFERENT = "filters of different seed or rate cannot be merged"

    def setUp(self):
        self.rng = rng_for(self)
        self.start(replicas=0)
        self.a, self.b, _ = self.masters()
        self.tag = self.tags_in(self.rng, self.slots_of(self.a)[:1], 1)[0]
        self.old, self.new = (f"{{{self.tag}}}{name}" for name in ("old", "new"))

    def move(self):
        """Makes a filter, has it move to another master, makes another one there."""
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

    def test_filters_of_two_masters_that_meet_are_not_merged(self):
        self.b("CF.ADD", "{%s}" % self.tags_in(self.rng, self.slots_of(self.b), 1)[0], "a")  # so it has a seed
        self.move()
        digests = [self.digest(self.b, key) for key in (self.old, self.new)]
        for words in ([self.old, self.new], [self.new, self.old], [f"{{{self.tag}}}both", self.old, self.new]):
            with self.subTest(words=words), self.assertRaisesRegex(redis.exceptions.ResponseError, self.DIFFERENT):
                self.b("CF.MERGE", *words)
        self.assertEqual(digests, [self.digest(self.b, key) for key in (self.old, self.new)])
        self.assertEqual(0, self.b("EXISTS", f"{{{self.tag}}}both"))
        self.assertEqual([1] * 1000, self.b("CF.MEXISTS", self.old, *range(1000)))

    def test_a_copy_of_an_empty_filter_has_the_seed_of_where_it_was_made(self):
        self.b("CF.ADD", "{%s}" % self.tags_in(self.rng, self.slots_of(self.b), 1)[0], "a")
        empty = f"{{{self.tag}}}empty"
        self.a("CF.RESERVE", empty, 1024)
        self.a("CF.ADD", self.old, "x")
        self.cluster.reshard(1, self.a, self.b)
        self.b("COPY", empty, self.new)
        self.b("CF.ADD", self.new, "y")
        self.assertEqual(b"OK", self.b("CF.MERGE", self.old, self.new))
        self.assertEqual([1, 1], self.b("CF.MEXISTS", self.old, "x", "y"))

    def test_a_master_without_filters_takes_the_seed_of_the_first_that_comes(self):
        self.move()
        self.assertEqual(b"OK", self.b("CF.MERGE", self.old, self.new))
        self.assertEqual([1] * 1500, self.b("CF.MEXISTS", self.old, *range(1500)))


if __name__ == "__main__":
    unittest.main()
