package io.stele.connector.read.cache;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.stele.cache.BenefitCacheOptions;
import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.page.ForwardingPageSource;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

final class TestFilteredRowsScan {
    private static final SteleColumnHandle ID = new SteleColumnHandle(1, "id", BIGINT);
    private static final SteleColumnHandle VALUE = new SteleColumnHandle(2, "v", BIGINT);
    private static final int ROWS = 40_000;
    private static final int PAGE_ROWS = 1_000;
    private static final long MAX_RESULT_BYTES = 128 << 10;

    private final List<String> mismatches = new ArrayList<>();
    private FilteredRowsCache cache = cache(0);
    private int opened;
    private long memoryBytes;
    private long valueOffset; // what the file has, for a cache that is wrong
    private int failsAtPage = Integer.MAX_VALUE;
    private TupleDomain<SteleColumnHandle> narrowed = TupleDomain.all();

    private FilteredRowsCache cache(long verifyEvery) {
        return new FilteredRowsCache(
                true,
                new BenefitCacheOptions(10 << 20, (int) MAX_RESULT_BYTES, verifyEvery),
                System::nanoTime,
                mismatches::add);
    }

    private static SteleTableHandle table(TupleDomain<SteleColumnHandle> constraint) {
        TableSchema schema =
                TableSchema.builder("s", "t")
                        .id(new TableId(7))
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "id", DataType.parse("bigint")),
                                        new ColumnSchema(2, "v", DataType.parse("bigint"))))
                        .build();
        return new SteleTableHandle(schema, "snapshot", 100)
                .withConstraint(constraint, Optional.empty(), Optional.empty(), true);
    }

    private static SteleFileSplit split(
            boolean filterLsn, RoaringBitmap deleted, List<Integer> certainColumns)
            throws IOException {
        return new FileSplitFixture("data/7/0/a.orc", 1_000)
                .filterLsn(filterLsn, 0)
                .maxLsn(50)
                .deleted(deleted)
                .certain(certainColumns)
                .build();
    }

    private static SteleFileSplit split() throws IOException {
        return split(false, new RoaringBitmap(), List.of());
    }

    private static TupleDomain<SteleColumnHandle> below(SteleColumnHandle column, long bound) {
        return TupleDomain.withColumnDomains(
                Map.of(
                        column,
                        Domain.create(ValueSet.ofRanges(Range.lessThan(BIGINT, bound)), false)));
    }

    /** Ids from 0 on; values are ids modulo 100. */
    private ConnectorPageSource read(
            List<SteleColumnHandle> columns,
            TupleDomain<SteleColumnHandle> constraint,
            MemoryContext memory) {
        opened++;
        narrowed = constraint;
        memory.setBytes(10);
        List<Page> pages = new ArrayList<>();
        for (long first = 0; first < ROWS; first += PAGE_ROWS) {
            Block[] blocks = new Block[columns.size()];
            for (int channel = 0; channel < blocks.length; channel++) {
                BlockBuilder builder = BIGINT.createBlockBuilder(null, PAGE_ROWS);
                for (long id = first; id < first + PAGE_ROWS; id++) {
                    BIGINT.writeLong(
                            builder,
                            columns.get(channel).equals(ID) ? id : (id + valueOffset) % 100);
                }
                blocks[channel] = builder.build();
            }
            pages.add(new Page(PAGE_ROWS, blocks));
        }
        return new FailingSource(new FixedPageSource(ImmutableList.copyOf(pages)));
    }

    /** Fails at a page, and counts as finished then, as readers of files do. */
    private final class FailingSource extends ForwardingPageSource {
        private int page;
        private boolean failed;

        private FailingSource(ConnectorPageSource source) {
            super(source);
        }

        @Override
        public @Nullable SourcePage getNextSourcePage() {
            if (page++ == failsAtPage) {
                failed = true;
                throw new IllegalStateException("no route to the store");
            }
            return source().getNextSourcePage();
        }

        @Override
        public boolean isFinished() {
            return failed || source().isFinished();
        }
    }

    private Optional<ConnectorPageSource> open(
            SteleTableHandle table, SteleFileSplit split, TupleDomain<SteleColumnHandle> found) {
        return open(table, split, found, true);
    }

    private Optional<ConnectorPageSource> open(
            SteleTableHandle table,
            SteleFileSplit split,
            TupleDomain<SteleColumnHandle> found,
            boolean keeps) {
        return new FilteredRowsScan(cache, table, split, List.of(ID), this::read)
                .open(found, keeps, bytes -> memoryBytes = bytes);
    }

    private List<Long> ids(ConnectorPageSource source) throws IOException {
        List<Long> ids = new ArrayList<>();
        try (source) {
            while (!source.isFinished()) {
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    assertThat(page.getChannelCount()).isEqualTo(1);
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        ids.add(BIGINT.getLong(page.getBlock(0), position));
                    }
                }
            }
        }
        return ids;
    }

    private static List<Long> expected(long belowValue) {
        List<Long> ids = new ArrayList<>();
        for (long id = 0; id < ROWS; id++) {
            if (id % 100 < belowValue) {
                ids.add(id);
            }
        }
        return ids;
    }

    @Test
    void theSecondScanReadsNothing() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        for (int time = 0; time < 3; time++) {
            assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                    .isEqualTo(expected(3));
            assertThat(memoryBytes).as("of what is recorded").isEqualTo(10);
        }
        assertThat(opened).isEqualTo(1);
        assertThat(cache.rows().statistics().hits()).isEqualTo(2);
        assertThat(cache.rows().statistics().savedNanos()).isPositive();
        assertThat(cache.uses().getFirst().bytes()).isBetween(1L, MAX_RESULT_BYTES + 1_000);
    }

    /** It reads to fill the caches of files, too. */
    @Test
    void aProcedureCachesRowsAndUsesNone() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        SteleTableHandle warming = table.forProcedure();
        assertThat(open(warming, split(), TupleDomain.all(), false)).isEmpty();
        assertThat(ids(open(warming, split(), TupleDomain.all()).orElseThrow()))
                .isEqualTo(expected(3));
        assertThat(opened).isEqualTo(1);
        assertThat(open(warming, split(), TupleDomain.all())).as("again").isEmpty();
        assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                .isEqualTo(expected(3));
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void anEmptyResultIsAResult() throws IOException {
        SteleTableHandle table = table(below(VALUE, 0));
        assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow())).isEmpty();
        assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow())).isEmpty();
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void otherRowsAreOtherKeys() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        ids(open(table, split(), TupleDomain.all()).orElseThrow());
        assertThat(open(table(below(VALUE, 4)), split(), TupleDomain.all(), false)).isEmpty();
        assertThat(open(table(below(ID, 3)), split(), TupleDomain.all(), false)).isEmpty();
        assertThat(
                        open(
                                table,
                                split(false, RoaringBitmap.bitmapOf(5), List.of()),
                                TupleDomain.all(),
                                false))
                .isEmpty();
        assertThat(open(table, split(), TupleDomain.all(), false)).isPresent();
        // What statistics prove is another way to say the same
        TupleDomain<SteleColumnHandle> both = below(VALUE, 3).intersect(below(ID, ROWS));
        assertThat(
                        open(
                                table(both),
                                split(false, new RoaringBitmap(), List.of(1)),
                                TupleDomain.all(),
                                false))
                .isPresent();
        assertThat(open(table(both), split(), TupleDomain.all(), false)).isEmpty();
    }

    @Test
    void nothingIsKeptWhereItWouldNotHelpOrNotBeTheSame() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        assertThat(open(table, split(true, new RoaringBitmap(), List.of()), TupleDomain.all()))
                .as("rows above the snapshot")
                .isEmpty();
        assertThat(open(table, split(false, new RoaringBitmap(), List.of(2)), TupleDomain.all()))
                .as("no condition left")
                .isEmpty();
        assertThat(
                        new FilteredRowsScan(
                                        cache,
                                        table,
                                        split(),
                                        List.of(SteleColumnHandle.LSN),
                                        this::read)
                                .open(TupleDomain.all(), true, MemoryContext.NO_LIMIT))
                .as("a hidden column")
                .isEmpty();
        List<Long> many = new ArrayList<>();
        for (long value = 0; value < 1_001; value++) {
            many.add(2 * value);
        }
        assertThat(
                        open(
                                table(
                                        TupleDomain.withColumnDomains(
                                                Map.of(ID, Domain.multipleValues(BIGINT, many)))),
                                split(),
                                TupleDomain.all()))
                .as("a long list")
                .isEmpty();
        assertThat(opened).isZero();
    }

    @Test
    void mostOfTheRowsAreNotKept() throws IOException {
        SteleTableHandle table = table(below(VALUE, 60));
        for (int time = 1; time <= 2; time++) {
            assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                    .isEqualTo(expected(60));
            assertThat(opened).isEqualTo(time);
        }
        assertThat(cache.rows().statistics().oversized()).isEqualTo(2);
        assertThat(cache.rows().statistics().entries()).isZero();
        assertThat(memoryBytes).isEqualTo(10);
    }

    @Test
    void theLimitOfBytesEndsARecording() throws IOException {
        cache =
                new FilteredRowsCache(
                        true,
                        new BenefitCacheOptions(1 << 20, 4_000, 0),
                        System::nanoTime,
                        mismatches::add);
        SteleTableHandle table = table(below(VALUE, 3));
        assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                .isEqualTo(expected(3));
        assertThat(cache.rows().statistics().entries()).isZero();
        assertThat(open(table, split(), TupleDomain.all(), false)).isEmpty();
    }

    /** What is too long to be kept is not held until the end. */
    @Test
    void aRecordingSaysWhenItIsTooLong() {
        BlockBuilder builder = BIGINT.createBlockBuilder(null, PAGE_ROWS);
        for (int row = 0; row < PAGE_ROWS; row++) {
            BIGINT.writeLong(builder, row);
        }
        Page page = new Page(builder.build());
        FilteredRowsRecorder recorder = new FilteredRowsRecorder(List.of(BIGINT), 20_000);
        int taken = 0;
        while (taken < 100 && recorder.add(SourcePage.create(page))) {
            taken++;
        }
        assertThat(taken).as("pages of 9,000 bytes").isEqualTo(2);
    }

    @Test
    void whoCannotOpenAFileLeavesItToTheNextOne() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        SteleFileSplit split = split();
        FilteredRowsScan failing =
                new FilteredRowsScan(
                        cache,
                        table,
                        split,
                        List.of(ID),
                        (_, _, _) -> {
                            throw new IllegalStateException("no route to the store");
                        });
        assertThatThrownBy(() -> failing.open(TupleDomain.all(), true, _ -> {}))
                .hasMessage("no route to the store");
        assertThat(ids(open(table, split, TupleDomain.all()).orElseThrow())).isEqualTo(expected(3));
        assertThat(open(table, split, TupleDomain.all(), false)).isPresent();
    }

    @Test
    void nothingIsKeptOfAScanThatFailedOrWasLeft() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        failsAtPage = 20;
        assertThatThrownBy(() -> ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                .hasMessage("no route to the store");
        assertThat(cache.rows().statistics().entries()).isZero();
        failsAtPage = Integer.MAX_VALUE;
        ConnectorPageSource left = open(table, split(), TupleDomain.all()).orElseThrow();
        left.getNextSourcePage();
        left.close();
        assertThat(cache.rows().statistics().entries()).isZero();
        assertThat(memoryBytes).isEqualTo(10);
        assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow()))
                .isEqualTo(expected(3));
        assertThat(cache.rows().statistics().entries()).isEqualTo(1);
    }

    @Test
    void whoComesWhileAnotherRecordsReadsForItself() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        ConnectorPageSource first = open(table, split(), TupleDomain.all()).orElseThrow();
        first.getNextSourcePage();
        assertThat(open(table, split(), TupleDomain.all())).isEmpty();
        ids(first);
        assertThat(open(table, split(), TupleDomain.all())).isPresent();
    }

    @Test
    void aDynamicFilterIsPartOfWhatItLeft() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        TupleDomain<SteleColumnHandle> found = below(ID, 200);
        assertThat(ids(open(table, split(), found).orElseThrow()))
                .isEqualTo(expected(3).subList(0, 6));
        assertThat(narrowed).isEqualTo(below(VALUE, 3).intersect(found));
        // The same finds it; without the filter, or under another one, it is not all
        assertThat(ids(open(table, split(), found, false).orElseThrow())).hasSize(6);
        assertThat(open(table, split(), TupleDomain.all(), false)).isEmpty();
        assertThat(open(table, split(), below(ID, 300), false)).isEmpty();
        assertThat(open(table(below(VALUE, 3).intersect(found)), split(), found, false)).isEmpty();
        // All of them are enough for a join that needs some
        ids(open(table, split(), TupleDomain.all()).orElseThrow());
        assertThat(ids(open(table, split(), below(ID, 300), false).orElseThrow()))
                .isEqualTo(expected(3));
    }

    @Test
    void aLongListOfADynamicFilterIsLeftToTheJoin() throws IOException {
        SteleTableHandle table = table(below(VALUE, 3));
        List<Long> many = new ArrayList<>();
        for (long id = 0; id < 3_000; id++) {
            many.add(2 * id);
        }
        TupleDomain<SteleColumnHandle> found =
                TupleDomain.withColumnDomains(Map.of(ID, Domain.multipleValues(BIGINT, many)));
        assertThat(ids(open(table, split(), found).orElseThrow())).isEqualTo(expected(3));
        assertThat(narrowed).isEqualTo(below(VALUE, 3));
        assertThat(ids(open(table, split(), TupleDomain.all(), false).orElseThrow()))
                .isEqualTo(expected(3));
        // Nothing but such a list is no condition
        assertThat(open(table(TupleDomain.all()), split(), found)).isEmpty();
    }

    @Test
    void wrongRowsAreToldAndForgottenAndNotGiven() throws IOException {
        cache = cache(2);
        SteleTableHandle table = table(below(VALUE, 3));
        ids(open(table, split(), TupleDomain.all()).orElseThrow());
        List<Long> right = expected(3);
        for (int time = 0; time < 4; time++) {
            assertThat(ids(open(table, split(), TupleDomain.all()).orElseThrow())).isEqualTo(right);
        }
        assertThat(cache.rows().statistics().verified()).isEqualTo(2);
        assertThat(mismatches).isEmpty();
        valueOffset = 1; // no file does that
        ids(open(table, split(), TupleDomain.all()).orElseThrow());
        List<Long> computed = ids(open(table, split(), TupleDomain.all()).orElseThrow());
        assertThat(computed).isNotEqualTo(right).hasSize(right.size());
        assertThat(mismatches).singleElement().asString().contains("data/7/0/a.orc");
        assertThat(cache.rows().statistics().mismatches()).isEqualTo(1);
        assertThat(open(table, split(), TupleDomain.all(), false)).isEmpty();
    }
}
