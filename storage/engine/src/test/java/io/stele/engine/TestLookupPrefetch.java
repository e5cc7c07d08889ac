package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.CacheStatistics;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.read.PointLookup;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What lookups read ahead of themselves is a hint: what comes of it does not change them. */
class TestLookupPrefetch {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withMemTables(1L << 30, 2L << 30, Duration.ofDays(1));

    /** A store whose next reads time out, as sockets do. */
    private static final class TimingOutStore extends ForwardingObjectStore {
        private final AtomicInteger failures;

        TimingOutStore(ObjectStore store, AtomicInteger failures) {
            super(store);
            this.failures = failures;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (failures.get() > 0 && failures.getAndDecrement() > 0) {
                throw new SocketTimeoutException("Read timed out");
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    /** Its socket's is an InterruptedIOException, but nobody has interrupted the lookup. */
    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void aReadThatTimesOutIsDoneAgain(Orientation orientation) throws IOException {
        AtomicInteger failures = new AtomicInteger();
        SimulatedNode node =
                SimulatedNode.start(
                        OPTIONS,
                        1,
                        store ->
                                new FarObjectStore(
                                        new TimingOutStore(store, failures),
                                        task -> Thread.ofPlatform().daemon().start(task),
                                        System::nanoTime));
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
        for (long id = 0; id < 200; id++) {
            node.await(table.upsert(node.engine(), id, "row " + id, id));
        }
        node.await(node.engine().flush(table.id()));
        node.restart();
        failures.set(1);
        List<byte[]> keys = LongStream.range(0, 20).mapToObj(id -> table.key(id * 10)).toList();
        assertThat(node.engine().multiGet(table.id(), Optional.empty(), keys))
                .hasSize(20)
                .allMatch(Optional::isPresent);
        assertThat(failures.get()).as("reads that were to fail").isNotPositive();
        assertThat(node.uncaught()).isEmpty();
    }

    /** 40 rows of 1 MiB, whose average is nothing to go by where they are in memory. */
    @Test
    void aCallEndsBeforeItHasMuch() throws IOException {
        SimulatedNode node = SimulatedNode.startFar(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        String name = "x".repeat(1 << 20);
        for (long id = 0; id < 40; id++) {
            node.await(table.upsert(node.engine(), id, name, id));
        }
        for (boolean flushed : new boolean[] {false, true}) {
            if (flushed) {
                node.await(node.engine().flush(table.id()));
            }
            List<byte[]> keys = LongStream.range(0, 40).mapToObj(table::key).toList();
            PointLookup lookup = node.engine().startLookup(table.id(), Optional.empty(), keys);
            int calls = 1;
            while (!lookup.advance(Integer.MAX_VALUE)) {
                calls++;
            }
            assertThat(calls).isEqualTo(3);
            assertThat(lookup.rows().rows()).hasSize(40).allMatch(Optional::isPresent);
        }
    }

    /** Of those that fit, in whatever order the engine finds them; few others are read. */
    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void aLimitedLookupHasTheRowsOfTheFirstKeys(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.startFar(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 4);
        String name = "x".repeat(1 << 20);
        for (long id = 0; id < 40; id++) {
            node.await(table.upsert(node.engine(), id, name, id));
        }
        List<byte[]> keys = LongStream.range(-1, 40).mapToObj(table::key).toList();
        for (boolean flushed : new boolean[] {false, true}) {
            if (flushed) {
                node.await(node.engine().flush(table.id()));
            }
            PointLookup lookup =
                    node.engine()
                            .startLookup(table.id(), Optional.empty(), keys, needed -> 4 << 20);
            List<Optional<byte[]>> rows = SteppedReads.rows(lookup).rows();
            assertThat(rows).hasSize(4);
            assertThat(rows.getFirst()).isEmpty();
            byte[][] expected =
                    node
                            .engine()
                            .multiGet(table.id(), Optional.empty(), keys.subList(1, 4))
                            .stream()
                            .map(Optional::orElseThrow)
                            .toArray(byte[][]::new);
            assertThat(rows.subList(1, 4)).map(Optional::orElseThrow).containsExactly(expected);
        }
    }

    /** On a local disk too: to seek a row in its row group means to decode those before it. */
    @Test
    void aRowGroupIsReadOnceForAllKeysInIt() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        for (long id = 0; id < 200; id++) {
            node.await(table.upsert(node.engine(), id, "row " + id, id));
        }
        node.await(node.engine().flush(table.id()));
        assertThat(node.engine().multiGet(table.id(), Optional.empty(), keys(table, 0, 100)))
                .allMatch(Optional::isPresent);
        assertThat(rowGroupReads(node)).isEqualTo(1);
        node.await(table.upsert(node.engine(), 200, "row 200", 200)); // the row cache is open then
        PointLookup several =
                node.engine().startLookup(table.id(), Optional.empty(), keys(table, 100, 110));
        assertThatThrownBy(() -> NonBlocking.read(() -> several.advance(8)))
                .as("ten rows, which are found together elsewhere")
                .isInstanceOf(WouldBlockException.class);
        assertThat(several.advance()).isTrue();
        assertThat(several.rows().rows()).hasSize(10).allMatch(Optional::isPresent);
        PointLookup one =
                node.engine().startLookup(table.id(), Optional.empty(), keys(table, 110, 111));
        assertThat(NonBlocking.read(() -> one.advance(8))).as("in memory").isTrue();
        PointLookup known =
                node.engine().startLookup(table.id(), Optional.empty(), keys(table, 100, 110));
        assertThat(NonBlocking.read(() -> known.advance(16))).as("in the row cache").isTrue();
    }

    private static List<byte[]> keys(TestTable table, long from, long to) {
        return LongStream.range(from, to).mapToObj(table::key).toList();
    }

    private static long rowGroupReads(SimulatedNode node) {
        CacheStatistics groups =
                node.engine().status().caches().stream()
                        .filter(cache -> cache.name().equals("row-groups"))
                        .findFirst()
                        .orElseThrow();
        return groups.hits() + groups.misses();
    }
}
