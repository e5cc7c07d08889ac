package io.stele.sidecar.postgresql.run;

import com.google.common.util.concurrent.Striped;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Locks of keys that statements read and then write, so that clients that change the same few rows
 * wait for each other instead of repeating each other's work. Transactions do not depend on them: a
 * conflict is found at the commit. Thread-safe.
 */
final class KeyLocks {
    private static final int STRIPES = 4_096;
    private static final int MAX_KEYS = 64; // of a statement; more would lock nearly all
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Striped<Lock> stripes = Striped.lock(STRIPES);

    /** The locks that one statement holds. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Takes the locks of keys, in one order for all statements; after a long wait it continues
     * without the rest.
     */
    Held lock(TableId table, List<byte[]> keys) {
        if (keys.size() > MAX_KEYS) {
            return () -> {};
        }
        Set<Integer> indexes = new TreeSet<>();
        for (byte[] key : keys) {
            int hash = Objects.hash(table, new KeyList.Key(key));
            indexes.add(Math.floorMod(hash, STRIPES));
        }
        long start = System.nanoTime();
        List<Lock> held = new ArrayList<>();
        Held locks = () -> held.forEach(Lock::unlock);
        for (int index : indexes) {
            Lock stripe = stripes.getAt(index);
            try {
                long left = MAX_WAIT_NANOS - (System.nanoTime() - start);
                if (!stripe.tryLock(Math.max(left, 0), TimeUnit.NANOSECONDS)) {
                    return locks;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return locks;
            }
            held.add(stripe);
        }
        return locks;
    }
}
