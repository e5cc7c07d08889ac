package io.stele.connector.read.cache;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.SourcePage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestDecodedColumnCache {
    private static final int ROWS = 1_000;
    private static final List<DecodedColumnScan.Column> COLUMNS =
            List.of(
                    new DecodedColumnScan.Column(1, BIGINT, true),
                    new DecodedColumnScan.Column(2, BIGINT, false));

    private final DecodedColumnCache decodedColumns = new DecodedColumnCache(1 << 20);

    @Test
    void testWhatIsReadTwiceIsKept() {
        assertCounts(scan("a", 0), 0, 2);
        assertCounts(scan("a", 0), 0, 2);
        assertCounts(scan("a", 0), 2, 0);
        // Neither another file nor other rows
        assertCounts(scan("b", 0), 0, 2);
        assertCounts(scan("a", ROWS), 0, 2);
    }

    @Test
    void testNothingIsKeptWithoutMemory() {
        DecodedColumnCache none = new DecodedColumnCache(0);
        for (int scan = 0; scan < 3; scan++) {
            DecodedColumnScan decodedScan = new DecodedColumnScan(none, true, "a", COLUMNS);
            SourcePage page = page(0);
            assertThat(decodedScan.through(page, 0)).isSameAs(page);
        }
    }

    @Test
    void testTheLimitHolds() {
        DecodedColumnCache small = new DecodedColumnCache(15_000);
        for (int scan = 0; scan < 3; scan++) {
            for (int start = 0; start < 100 * ROWS; start += ROWS) {
                read(new DecodedColumnScan(small, true, "a", COLUMNS), start);
            }
        }
        DecodedColumnScan last = new DecodedColumnScan(small, true, "a", COLUMNS);
        for (int start = 0; start < 100 * ROWS; start += ROWS) {
            read(last, start);
        }
        // 1,000 values that lie near each other take 2.2 kB, so at most six blocks are kept
        assertThat(count(last, "Column pages from memory")).isLessThanOrEqualTo(6);
    }

    @Test
    void testNarrowedPagesKeepWholeBlocks() {
        int[] even = new int[ROWS / 2];
        for (int index = 0; index < even.length; index++) {
            even[index] = index * 2;
        }
        for (int scan = 0; scan < 3; scan++) {
            SourcePage page =
                    new DecodedColumnScan(decodedColumns, true, "a", COLUMNS).through(page(0), 0);
            // One column before it is narrowed, one between, the row number after it
            assertThat(page.getBlock(0).getPositionCount()).isEqualTo(ROWS);
            page.selectPositions(even, 0, even.length);
            assertThat(page.getPositionCount()).isEqualTo(even.length);
            assertThat(BIGINT.getLong(page.getBlock(0), 3)).isEqualTo(6);
            assertThat(BIGINT.getLong(page.getBlock(1), 3)).isEqualTo(-6);
            page.selectPositions(new int[] {9, 1, 5}, 1, 2);
            assertThat(page.getPositionCount()).isEqualTo(2);
            for (int channel = 0; channel < 3; channel++) {
                long sign = channel == 1 ? -1 : 1;
                assertThat(BIGINT.getLong(page.getBlock(channel), 0)).isEqualTo(sign * 2);
                assertThat(BIGINT.getLong(page.getBlock(channel), 1)).isEqualTo(sign * 10);
            }
            Page whole = page.getPage();
            assertThat(whole.getPositionCount()).isEqualTo(2);
            assertThat(whole.getChannelCount()).isEqualTo(3);
        }
        assertCounts(scan("a", 0), 2, 0);
    }

    private DecodedColumnScan scan(String path, long firstRow) {
        DecodedColumnScan scan = new DecodedColumnScan(decodedColumns, true, path, COLUMNS);
        read(scan, firstRow);
        return scan;
    }

    /** Reads all channels and checks the values. */
    private static void read(DecodedColumnScan scan, long firstRow) {
        SourcePage page = scan.through(page(firstRow), firstRow);
        for (int position = 0; position < ROWS; position++) {
            long row = firstRow + position;
            assertThat(BIGINT.getLong(page.getBlock(0), position)).isEqualTo(row);
            assertThat(BIGINT.getLong(page.getBlock(1), position)).isEqualTo(-row);
            assertThat(BIGINT.getLong(page.getBlock(2), position)).isEqualTo(row);
        }
    }

    /** What the file has: row numbers, their negatives, and again row numbers as no column. */
    private static SourcePage page(long firstRow) {
        List<Block> blocks = new ArrayList<>();
        for (int sign : new int[] {1, -1, 1}) {
            long[] values = new long[ROWS];
            for (int position = 0; position < ROWS; position++) {
                values[position] = sign * (firstRow + position);
            }
            blocks.add(new LongArrayBlock(ROWS, Optional.empty(), values));
        }
        return SourcePage.create(new Page(ROWS, blocks.toArray(Block[]::new)));
    }

    private static void assertCounts(DecodedColumnScan scan, long hits, long misses) {
        assertThat(count(scan, "Column pages from memory")).isEqualTo(hits);
        assertThat(count(scan, "Column pages decoded")).isEqualTo(misses);
    }

    private static long count(DecodedColumnScan scan, String metric) {
        return ((LongCount) scan.metrics().getMetrics().get(metric)).getTotal();
    }
}
