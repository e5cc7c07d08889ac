package io.stele.columnfile.orc;

import static io.stele.columnfile.orc.ColumnFileFixture.lsn;
import static io.stele.columnfile.orc.ColumnFileFixture.randomRows;
import static io.stele.columnfile.orc.ColumnFileFixture.table;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.OrcCompression;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.WouldBlockException;
import io.stele.objectstore.retrieval.BalanceStatistics;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns of a file of several stripes, chunk by chunk, against the file's rows. */
final class TestColumnChunks {
    private static final int ROWS = 50_000;
    private static final TableSchema TABLE = table(List.of("bigint", "double", "varchar"), true);
    private static final ColumnFileOptions SMALL_STRIPES =
            new ColumnFileOptions(OrcCompression.LZ4, 1 << 19, 1_000, 1 << 14);

    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private List<byte[]> rows = List.of();
    private TestingColumnFile entry;
    private ColumnFileReader reader;

    @BeforeEach
    void writeFile() throws IOException {
        rows = randomRows(TABLE, ROWS, 11);
        entry = ColumnFileFixture.write(store, TABLE, rows, SMALL_STRIPES);
        reader = ColumnFileReader.open(store, entry, TABLE.columns());
        assertThat(reader.rowGroup(ROWS - 1).stripe()).as("last stripe").isPositive();
    }

    /** Nothing, little and everything stays in memory between one walk and the next. */
    @ParameterizedTest
    @ValueSource(longs = {0, 200_000, 1L << 30})
    void everyColumnHasTheValuesOfTheRows(long memoryBytes) throws IOException {
        DecodedColumns memory = new DecodedColumns("test", memoryBytes, () -> 0);
        Random random = new Random(memoryBytes);
        for (int walk = 0; walk < 8; walk++) {
            List<ColumnSchema> wanted = new ArrayList<>(TABLE.columns());
            wanted.removeIf(column -> random.nextInt(3) == 0);
            boolean withLsn = random.nextBoolean();
            try (ColumnChunks chunks = new ColumnChunks(reader, memory, wanted, withLsn)) {
                check(chunks, wanted, withLsn);
            }
        }
        assertThat(memory.statistics().weightBytes()).isLessThanOrEqualTo(memoryBytes);
    }

    /** Of a store that is far away the columns of several stripes come together. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stripesAreReadAhead(boolean hasMetadata) throws IOException {
        RoundsStore far = new RoundsStore(store);
        ColumnFileReader remote = ColumnFileReader.open(far, entry, TABLE.columns());
        Map<Integer, StripeMetadata> metadata = new HashMap<>();
        int stripes = remote.rowGroup(ROWS - 1).stripe() + 1;
        for (int stripe = 0; hasMetadata && stripe < stripes; stripe++) {
            metadata.put(stripe, remote.readStripeMetadata(stripe));
        }
        assertThat(stripes).isGreaterThan(3);
        int mostRounds = hasMetadata ? 1 : 2; // all footers, then all data
        RoundsStore.Recorded<Boolean> walk = walk(far, remote, metadata);
        for (int again = 0; again < 3 && walk.rounds() > mostRounds; again++) {
            walk = walk(far, remote, metadata); // a thread was slow
        }
        assertThat(walk.rounds()).as("rounds of %s stripes", stripes).isEqualTo(mostRounds);
        assertThat(walk.requests()).hasSizeLessThanOrEqualTo(2 * stripes);
        assertThat(far.readingAhead().orElseThrow().balance().statistics())
                .satisfies(
                        balance -> {
                            assertThat(balance.aheadBytes()).isZero();
                            assertThat(balance.processors()).isZero();
                        });
    }

    private RoundsStore.Recorded<Boolean> walk(
            RoundsStore far, ColumnFileReader remote, Map<Integer, StripeMetadata> metadata) {
        DecodedColumns memory = new DecodedColumns("test", 0, () -> 0);
        return far.record(
                () -> {
                    try (ColumnChunks chunks = chunks(remote, memory, metadata)) {
                        check(chunks, TABLE.columns(), true);
                    }
                    return true;
                });
    }

    private static ColumnChunks chunks(
            ColumnFileReader remote, DecodedColumns memory, Map<Integer, StripeMetadata> metadata) {
        return new ColumnChunks(
                remote,
                memory,
                TABLE.columns(),
                true,
                List.of(),
                stripe -> Optional.ofNullable(metadata.get(stripe)));
    }

    /** So that it can give as much room as the slower of both needs. */
    @Test
    void theBalanceLearnsHowFastStripesComeAndAreDecoded() throws IOException {
        long[] now = {1_000_000_000};
        FarObjectStore far = new FarObjectStore(store, Runnable::run, () -> now[0]);
        ReadAheadBalance balance = far.readingAhead().orElseThrow().balance();
        ColumnFileReader remote = ColumnFileReader.open(far, entry, TABLE.columns());
        DecodedColumns memory = new DecodedColumns("test", 0, () -> 0);
        BalanceStatistics last = BalanceStatistics.NONE;
        try (ColumnChunks chunks = new ColumnChunks(remote, memory, TABLE.columns(), true)) {
            while (chunks.advance()) {
                now[0] += 1_000_000;
                last = balance.statistics();
            }
        }
        assertThat(last.processors()).isOne();
        assertThat(last.processedBytesPerSecond()).isPositive();
        assertThat(last.retrievedBytesPerSecond()).isPositive();
        assertThat(balance.statistics().processors()).isZero();
    }

    /** Of a file that is sorted by a column, of which some values are wanted. */
    @Test
    void chunksWithoutWantedValuesAreLeftOut() throws IOException {
        RowLayout layout = RowLayout.of(TABLE.columns());
        int count = ROWS - 1; // another file
        rows = new ArrayList<>(rows.subList(0, count));
        rows.sort(Comparator.comparing(row -> key(layout, row)));
        entry = ColumnFileFixture.write(store, TABLE, rows, SMALL_STRIPES);
        RoundsStore far = new RoundsStore(store);
        ColumnFileReader remote = ColumnFileReader.open(far, entry, TABLE.columns());
        Map<Integer, StripeMetadata> metadata = new HashMap<>();
        int stripes = remote.rowGroup(count - 1).stripe() + 1;
        for (int stripe = 0; stripe < stripes; stripe++) {
            metadata.put(stripe, remote.readStripeMetadata(stripe));
        }
        long low = key(layout, rows.get(ROWS / 2));
        long high = key(layout, rows.get(ROWS / 2 + 2_000));
        LongIntervals some =
                LongIntervals.of(List.of(new LongIntervals.Interval(low, true, high, true)));
        List<WantedValues> filter = List.of(new WantedValues(TABLE.columns().getFirst(), some));

        RoundsStore.Recorded<BitSet> walk = far.record(() -> walk(remote, filter, metadata));
        BitSet seen = walk.result();
        for (int row = 0; row < count; row++) {
            long key = key(layout, rows.get(row));
            assertThat(seen.get(row) || key < low || key > high).as("row %s", row).isTrue();
        }
        assertThat(seen.cardinality()).isLessThanOrEqualTo(3 * ColumnChunk.MAX_ROWS);
        assertThat(walk.requests()).as("of %s stripes", stripes).hasSizeLessThanOrEqualTo(2 * 2);
        assertThat(walk(remote, filter, Map.of()).cardinality()).isEqualTo(count);
        assertThat(walk(remote, List.of(), metadata).cardinality()).isEqualTo(count);
        LongIntervals none = LongIntervals.of(List.of());
        WantedValues nothing = new WantedValues(TABLE.columns().getFirst(), none);
        assertThat(walk(remote, List.of(nothing), metadata).cardinality()).isZero();
    }

    private static long key(RowLayout layout, byte[] bytes) {
        BinaryRow row = new BinaryRow(layout).wrap(bytes);
        return row.isNull(0) ? Long.MIN_VALUE : row.longAt(0);
    }

    /** The rows of all chunks, whose values are those of the rows. */
    private BitSet walk(
            ColumnFileReader file, List<WantedValues> filter, Map<Integer, StripeMetadata> metadata)
            throws IOException {
        DecodedColumns memory = new DecodedColumns("test", 0, () -> 0);
        BinaryRow row = new BinaryRow(RowLayout.of(TABLE.columns()));
        long[] room = new long[ColumnChunk.MAX_ROWS];
        BitSet seen = new BitSet();
        try (ColumnChunks chunks =
                new ColumnChunks(
                        file,
                        memory,
                        TABLE.columns(),
                        false,
                        filter,
                        stripe -> Optional.ofNullable(metadata.get(stripe)))) {
            while (chunks.advance()) {
                int first = chunks.firstOrdinal();
                seen.set(first, first + chunks.size());
                ColumnChunk keys = chunks.column(1).orElseThrow();
                for (int i = 0; i < chunks.size(); i++) {
                    row.wrap(rows.get(first + i));
                    assertThat(value(keys, i, room)).isEqualTo(expected(row, 0));
                }
            }
        }
        return seen;
    }

    /** Stripes of which all is in memory are not read ahead. */
    @Test
    void whatIsInMemoryIsNotRead() throws IOException {
        RoundsStore far = new RoundsStore(store);
        ColumnFileReader remote = ColumnFileReader.open(far, entry, TABLE.columns());
        DecodedColumns memory = new DecodedColumns("test", 1L << 30, () -> 0);
        try (ColumnChunks chunks = new ColumnChunks(remote, memory, TABLE.columns(), true)) {
            assertThat(chunks.advance()).isTrue(); // decodes some chunks
        }
        int missing = 0;
        while (memory.has(entry.path(), 1, missing)) {
            missing += remote.chunkRows(missing);
        }
        int from = remote.rowGroup(missing).stripe();
        assertThat(from).isPositive();
        long start = ColumnFileFixture.stripes(store, entry).get(from).getOffset();
        RoundsStore.Recorded<Boolean> walk =
                far.record(
                        () -> {
                            try (ColumnChunks chunks =
                                    new ColumnChunks(remote, memory, TABLE.columns(), true)) {
                                check(chunks, TABLE.columns(), true);
                            }
                            return true;
                        });
        assertThat(walk.requests())
                .isNotEmpty()
                .allMatch(request -> request.offset() + FileChecksums.BLOCK_BYTES > start);
    }

    /** A stripe whose read ahead failed is read when it is reached. */
    @Test
    void aReadAheadThatFailsIsRepeated() throws IOException {
        long second = ColumnFileFixture.stripes(store, entry).get(1).getOffset();
        AtomicBoolean hasFailed = new AtomicBoolean();
        ForwardingObjectStore failing =
                new ForwardingObjectStore(store) {
                    @Override
                    public void read(
                            String path, long offset, byte[] buffer, int bufferOffset, int length)
                            throws IOException {
                        if (offset >= second && hasFailed.compareAndSet(false, true)) {
                            throw new IOException("once");
                        }
                        super.read(path, offset, buffer, bufferOffset, length);
                    }
                };
        ColumnFileReader near = ColumnFileReader.open(store, entry, TABLE.columns());
        Map<Integer, StripeMetadata> metadata = new HashMap<>();
        for (int stripe = 0; stripe <= near.rowGroup(ROWS - 1).stripe(); stripe++) {
            metadata.put(stripe, near.readStripeMetadata(stripe));
        }
        hasFailed.set(true);
        FarObjectStore far = new FarObjectStore(failing, Thread::startVirtualThread, () -> 0);
        ColumnFileReader remote = ColumnFileReader.open(far, entry, TABLE.columns());
        hasFailed.set(false);
        DecodedColumns memory = new DecodedColumns("test", 0, () -> 0);
        try (ColumnChunks chunks = chunks(remote, memory, metadata)) {
            check(chunks, TABLE.columns(), true);
        }
        assertThat(hasFailed).isTrue();
        assertThat(far.readingAhead().orElseThrow().balance().statistics().aheadBytes()).isZero();
    }

    @Test
    void whatIsInMemoryIsThereWithoutWaiting() throws IOException {
        DecodedColumns memory = new DecodedColumns("test", 1L << 30, () -> 0);
        List<ColumnSchema> first = TABLE.columns().subList(0, 2);
        try (ColumnChunks chunks = new ColumnChunks(reader, memory, first, true)) {
            assertThatThrownBy(() -> NonBlocking.read(chunks::advance))
                    .isInstanceOf(WouldBlockException.class);
            check(chunks, first, true); // goes on from the first chunk
        }
        try (ColumnChunks chunks = new ColumnChunks(reader, memory, first, true)) {
            NonBlocking.read(
                    () -> {
                        check(chunks, first, true);
                        return 0;
                    });
        }
        try (ColumnChunks chunks = new ColumnChunks(reader, memory, TABLE.columns(), true)) {
            assertThatThrownBy(() -> NonBlocking.read(chunks::advance))
                    .isInstanceOf(WouldBlockException.class);
        }
        assertThat(memory.statistics().misses()).isEqualTo(memory.statistics().entries());
        memory.forget(entry.path());
        assertThat(memory.statistics().entries()).isZero();
    }

    @Test
    void aWalkInMemorySavesWhatTheOneBeforeTook() throws IOException {
        AtomicLong nanos = new AtomicLong();
        DecodedColumns memory =
                new DecodedColumns("test", 1L << 30, () -> nanos.addAndGet(1_000)); // each pass
        List<ColumnSchema> wanted = TABLE.columns().subList(0, 2);
        int passes = 0;
        for (int walk = 0; walk < 2; walk++) {
            passes = 0;
            try (ColumnChunks chunks = new ColumnChunks(reader, memory, wanted, false)) {
                while (chunks.advance()) {
                    passes++;
                }
            }
        }
        assertThat(memory.statistics().hits()).isEqualTo(2 * passes).isPositive();
        assertThat(memory.statistics().savedNanos()).hasValue(1_000L * passes);
    }

    @Test
    void aColumnThatTheFileHasNotGotIsEmpty() throws IOException {
        DecodedColumns memory = new DecodedColumns("test", 0, () -> 0);
        ColumnSchema added = new ColumnSchema(77, "added", DataType.parse("bigint"));
        try (ColumnChunks chunks = new ColumnChunks(reader, memory, List.of(added), false)) {
            int count = 0;
            while (NonBlocking.read(chunks::advance)) {
                assertThat(chunks.column(77)).isEmpty();
                count += chunks.size();
            }
            assertThat(count).isEqualTo(ROWS);
        }
    }

    private void check(ColumnChunks chunks, List<ColumnSchema> wanted, boolean withLsn)
            throws IOException {
        BinaryRow row = new BinaryRow(RowLayout.of(TABLE.columns()));
        long[] room = new long[ColumnChunk.MAX_ROWS];
        int ordinal = 0;
        while (chunks.advance()) {
            assertThat(chunks.firstOrdinal()).isEqualTo(ordinal);
            assertThat(chunks.size()).isBetween(1, ColumnChunk.MAX_ROWS);
            for (ColumnSchema column : wanted) {
                ColumnChunk chunk = chunks.column(column.id()).orElseThrow();
                assertThat(chunk.rowCount()).isEqualTo(chunks.size());
                for (int i = 0; i < chunks.size(); i++) {
                    row.wrap(rows.get(ordinal + i));
                    Object found = value(chunk, i, room);
                    if (!java.util.Objects.equals(found, expected(row, column.id() - 1))) {
                        assertThat(found)
                                .as("row %s of %s", ordinal + i, column)
                                .isEqualTo(expected(row, column.id() - 1));
                    }
                }
            }
            assertThat(chunks.column(OrcSchemas.LSN_ID).isPresent()).isEqualTo(withLsn);
            if (withLsn) {
                ColumnChunk lsns = chunks.column(OrcSchemas.LSN_ID).orElseThrow();
                assertThat(value(lsns, 0, room)).isEqualTo(lsn(ordinal));
            }
            ordinal += chunks.size();
        }
        assertThat(ordinal).isEqualTo(ROWS);
        assertThat(chunks.advance()).isFalse();
    }

    private static @Nullable Object expected(BinaryRow row, int index) {
        if (row.isNull(index)) {
            return null;
        }
        return switch (index) {
            case 0 -> row.longAt(index);
            case 1 -> Double.doubleToRawLongBits(row.doubleAt(index));
            default -> new String(row.bytesAt(index), UTF_8);
        };
    }

    private static @Nullable Object value(ColumnChunk chunk, int row, long[] room) {
        int at = chunk.ids().map(ids -> ids[row] & 0xFF).orElse(row);
        if (chunk.nulls().isPresent() && chunk.nulls().get()[at]) {
            return null;
        }
        return switch (chunk.form()) {
            case LONGS -> chunk.longs(room)[at];
            case DOUBLES -> Double.doubleToRawLongBits(chunk.doubles()[at]);
            case TEXT ->
                    new String(
                            chunk.text(),
                            chunk.starts()[at],
                            chunk.starts()[at + 1] - chunk.starts()[at],
                            UTF_8);
            case INT128 -> throw new IllegalStateException("no decimals");
        };
    }
}
