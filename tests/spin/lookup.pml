/* The protocol of lock-free lookups (docs/threads.md), for spin: every interleaving of readers with a writer.
 *
 * One member is followed. Readers look it up all the time; a lookup that misses it is the error. Where it is, is all that
 * the model knows of a place:
 *
 *     in_unsplit, in_split   its bucket in the unsplit and in the split array: the split pointer says which one counts
 *     in_partner             its partner bucket, which no step of the writer splits or merges
 *     stash                  up to two entries: this member or another one
 *
 * The writer takes STEPS steps out of these: the member is evicted from one bucket to the other, goes to the stash or leaves
 * it, the bucket is split, or merged (with all ways to place what does not fit, and with an undo). Memory that the table has
 * left is cleared, as the kernel does with pages that were given back.
 *
 * What is modelled: the order of the loads and stores, the version counter with its flags, the flat table, the directory.
 * What is not: memory models weaker than sequential consistency (the fences of base/version.h), grace periods (memory of the
 * directory, the stash and the elders is never reused here), and the elders.
 *
 * Readers write nothing, so another reader cannot change what one of them sees: what holds for one beside the writer holds
 * for any number. check.sh has two all the same, beside a writer that splits and merges (ONLY_RESIZES).
 *
 * Each NO_... leaves out one thing that the protocol needs; check.sh sees that spin then finds a miss. NAMES is the table of
 * elders' names: it has no reader root, and lookups use the directory only. */

#ifndef STEPS
#define STEPS 3
#endif
#ifndef READERS
#define READERS 1 /* readers write nothing, so a second one changes nothing for the first */
#endif
#define OUTSIDE 1
#define NOT_FLAT 2

byte count;          /* the version counter, and its flags */
byte flags;
bit split_published; /* the directory's split pointer: the bucket is split */
bit split_flat;      /* the same in the flat table */
bit has_outside;
bit in_unsplit, in_split, in_partner;
byte stash_n;
bit stash[2];
bit split;           /* the writer's own, as the next one */
byte wanted;
bit ready;           /* the member is there */

#define SAME(c, fl, c0, fl0) ((c) == (c0) && (fl) == (fl0))

/* -------------------------------------------------------------------------------------------------------------- readers */

/* Both candidate buckets, in either order: a processor may load the second one first. */
inline read_buckets(use_split, found) {
    bit first, second;
    if
    :: if :: use_split -> first = in_split :: else -> first = in_unsplit fi;
       second = in_partner
    :: first = in_partner;
       if :: use_split -> second = in_split :: else -> second = in_unsplit fi
    fi;
    found = first | second;
    first = 0; second = 0
}

inline read_stash(found) {
    byte n, i;
    n = stash_n; i = 0;
    do
    :: i < n && !found -> found = stash[i]; i++
    :: else -> break
    od;
    n = 0; i = 0
}

inline read_outside(found) {
    if :: has_outside -> read_stash(found) :: else -> skip fi
}

/* contains_in_filter() of shared/lookup.inc. */
inline contains_in_filter(found) {
    byte before, before_flags;
    bit side;
    do
    :: atomic { before = count; before_flags = flags };
       side = split_published;
       read_buckets(side, found);
       if :: found -> break :: else -> skip fi;
       read_outside(found);
       if :: found -> break :: else -> skip fi;
       if
       :: SAME(count, flags, before, before_flags) -> break
       :: else -> skip
       fi
    od;
    atomic { before = 0; before_flags = 0; side = 0 }
}

/* contains() and contains_in_doubt() of shared/lookup.inc, recheck() of shared/shared.c. */
inline contains_by_root(found) {
    byte then, changed;
    bit which;
    then = count; /* without its flags */
    which = split_flat;
    read_buckets(which, found);
    if
    :: SAME(count, flags, then, 0) -> skip
    :: else ->
        atomic { changed = (count != then) * 4 + flags };
        if
        :: found && changed <= OUTSIDE -> skip
        :: else ->
            found = 0;
            read_outside(found);
            if
            :: found -> skip
            :: else ->
                if
                :: SAME(count, flags, then, OUTSIDE) -> skip
                :: else -> contains_in_filter(found)
                fi
            fi
        fi
    fi;
    atomic { then = 0; changed = 0; which = 0 }
}

active [READERS] proctype reader() {
    bit found;
    ready;
end:
    do
    :: found = 0;
#ifdef NAMES
       contains_in_filter(found);
#else
       contains_by_root(found);
#endif
       assert(found)
    od
}

/* --------------------------------------------------------------------------------------------------------------- writer */

inline bump() { count++ }

inline set_flags(new) {
    d_step {
        if
        :: flags == new -> skip
#ifdef NO_STEP_WITH_FLAGS
        :: else -> flags = new
#else
        :: else -> if :: new < flags -> count++ :: else -> skip fi; flags = new
#endif
        fi
    }
}

inline update_outside() {
    has_outside = stash_n > 0;
#ifndef NAMES
    wanted = has_outside; /* OUTSIDE is 1 */
    set_flags(wanted)
#endif
}

/* publish() of tidal/table.c and of shared/publish.c. */
inline publish(new) {
    split = new;
    split_published = split;
#ifndef NAMES
    set_flags(NOT_FLAT);
    split_flat = split;
#endif
#ifndef NO_BUMP_AT_PUBLISHING
    bump();
#endif
    update_outside()
}

inline set_own(value) {
    if :: split -> in_split = value :: else -> in_unsplit = value fi
}

/* place_fill() and place_replace() of tidal/place.inc: the new place first, then the version, then the old place. */
inline move_to_partner() {
    in_partner = 1;
#ifndef NO_BUMP_AT_EVICTION
    bump();
#endif
    set_own(0)
}

inline move_to_own() {
    set_own(1);
#ifndef NO_BUMP_AT_EVICTION
    bump();
#endif
    in_partner = 0
}

inline push(what) {
    stash[stash_n] = what;
    stash_n++
}

/* stash_drop() of slots/stash.h. */
inline drop(i) {
#ifndef NO_FIRST_BUMP_OF_STASH
    bump();
#endif
    stash[i] = stash[stash_n - 1];
#ifndef NO_SECOND_BUMP_OF_STASH
    bump();
#endif
    stash_n--;
    stash[stash_n] = 0
}

/* An entry of the stash finds a place. If it is another one, it may evict the member. */
inline unstash(i) {
    if
    :: stash[i] -> if :: set_own(1) :: in_partner = 1 fi
    :: !stash[i] && in_partner -> move_to_own()
    :: !stash[i] && (split -> in_split : in_unsplit) -> move_to_partner()
    :: !stash[i]
    fi;
    drop(i)
}

inline split_bucket() {
    in_split = in_unsplit;
    publish(1);
    in_unsplit = 0
}

/* undo_shrink() of tidal/steps.inc, for a member that was evicted in vain: its old place first. */
inline undo_eviction() {
    in_partner = 1;
#ifndef NO_BUMP_AT_UNDO
    bump();
#endif
    in_unsplit = 0;
#ifndef NO_BUMP_AT_UNDO
    bump()
#else
    skip
#endif
}

/* shrink_step() of tidal/steps.inc. The stash has room for one more. */
inline merge_buckets() {
    byte before;
    before = stash_n;
    in_unsplit = 0;
    if
    :: in_split && stash_n < 2 -> push(1)
    :: in_split -> in_unsplit = 1
    :: !in_split && stash_n < 2 -> push(0)
    :: !in_split
    fi;
    update_outside();
    publish(0);
    if
    :: stash_n > before -> unstash(before); in_split = 0
    :: in_split = 0 /* what is in the stash stays there */
    :: stash_n > before && in_partner && !stash[before] -> /* evicted for an entry that finds no place after all */
        in_unsplit = 1;
        bump();
        in_partner = 0;
        undo_eviction();
        publish(1);
        drop(before)
    :: stash_n > before -> /* no place, nothing was evicted */
        publish(1);
        drop(before);
        in_unsplit = 0
    fi;
    update_outside();
    before = 0
}

init {
    byte step, i;
    if :: split = 0 :: split = 1 fi;
    d_step { split_published = split; split_flat = split };
    if :: set_own(1) :: in_partner = 1 fi;
    ready = 1;
    step = 0;
    do
    :: step < STEPS ->
        step++;
        if
        :: !split -> split_bucket()
        :: split -> merge_buckets()
#ifndef ONLY_RESIZES
        :: !in_partner && stash_n == 0 -> move_to_partner()
        :: in_partner -> move_to_own()
        :: stash_n < 2 -> push(0); update_outside()
        :: stash_n > 0 -> unstash(0); update_outside()
        :: stash_n > 1 -> unstash(1); update_outside()
#endif
        fi
    :: else -> break
    od
}
