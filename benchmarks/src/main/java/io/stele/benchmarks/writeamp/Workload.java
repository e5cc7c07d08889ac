package io.stele.benchmarks.writeamp;

import io.stele.benchmarks.ingest.UserRows;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * The upserts with uniformly random keys that every store of the benchmark gets. Immutable.
 *
 * @param memTableBytes a memtable is flushed at
 * @param multiple of that comes in
 */
record Workload(UserRows content, long memTableBytes, int multiple, long seed) {
    private static final int KEY_BYTES = 23;
    private static final int ROW_BYTES = KEY_BYTES + UserRows.FIELDS * UserRows.FIELD_BYTES;

    int operations() {
        return Math.toIntExact(multiple * memTableBytes / ROW_BYTES);
    }

    /** Keys and fields. */
    long ingestedBytes() {
        return (long) operations() * ROW_BYTES;
    }

    /** The bytes of the rows that exist at the end. */
    long liveBytes() {
        BitSet keys = new BitSet();
        forEach((key, value) -> keys.set(key));
        return (long) keys.cardinality() * ROW_BYTES;
    }

    /** Calls with the number of the key and of the row whose fields it gets. */
    <E extends Exception> void forEach(Upsert<E> upsert) throws E {
        SplittableRandom random = new SplittableRandom(seed);
        int operations = operations();
        for (int operation = 0; operation < operations; operation++) {
            upsert.accept(random.nextInt(operations / 2), operation);
        }
    }

    @FunctionalInterface
    interface Upsert<E extends Exception> {
        void accept(int key, int value) throws E;
    }
}
