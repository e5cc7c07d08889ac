package io.stele.engine.memtable;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.row.KeyedVersion;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Lookups in the memtable of a column table while its one writer puts versions and its hash grows,
 * in the interleavings that Lincheck tries: each finds what was newest at some moment of it.
 *
 * <p>Beside it a hash with the one mistake that it is written to avoid. If that is not found,
 * Lincheck does not look.
 */
class MemTableLincheck {
    @Test
    void lookupsFindTheNewestVersion() {
        options().check(HashedTable.class);
    }

    @Test
    void aSlotBeforeItsVersionWouldBeFound() {
        assertThatThrownBy(() -> options().check(HastyTable.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("find");
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .threads(3)
                .actorsBefore(0)
                .actorsPerThread(3)
                .actorsAfter(1)
                .iterations(8)
                .invocationsPerIteration(1_000)
                .loopBound(200) // the hash grows over 64 slots
                .minimizeFailedScenario(false);
    }

    /** Has as many keys as go in before the hash grows. */
    @Param(name = "key", gen = IntGen.class, conf = "31:34")
    public static class HashedTable {
        private static final int KEYS = 32;

        private final HashedMemTable table = new HashedMemTable(1);
        private long lsn;

        public HashedTable() {
            for (int key = 0; key < KEYS; key++) {
                put(key);
            }
        }

        /** The writer's; gives the LSN. */
        @Operation(nonParallelGroup = "writer")
        public final long put(@Param(name = "key") int key) {
            lsn++;
            byte[] bytes = bytes(key);
            table.put(KeyedVersion.deleted(bytes, 0, bytes.length, lsn), lsn);
            return lsn;
        }

        /** LSN of the newest version, 0 if there is none. */
        @Operation
        public long find(@Param(name = "key") int key) {
            byte[] bytes = bytes(key);
            KeyedVersion found = table.find(bytes, 0, bytes.length, Long.MAX_VALUE);
            return found == null ? 0 : found.lsn();
        }

        private static byte[] bytes(int value) {
            return new byte[] {(byte) value};
        }
    }

    /** Tells of a version before it is there. */
    @Param(name = "key", gen = IntGen.class, conf = "0:3")
    public static class HastyTable {
        private final AtomicIntegerArray slots = new AtomicIntegerArray(4);
        private final AtomicIntegerArray versions = new AtomicIntegerArray(64);
        private int size;

        /** The writer's; gives the LSN. */
        @Operation(nonParallelGroup = "writer")
        public int put(@Param(name = "key") int key) {
            size++;
            slots.set(key, size);
            versions.set(size, size);
            return size;
        }

        /** LSN of the newest version, 0 if there is none. */
        @Operation
        public int find(@Param(name = "key") int key) {
            return versions.get(slots.get(key));
        }
    }
}
