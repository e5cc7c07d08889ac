package io.stele.connector.read.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.BigintType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roaringbitmap.RoaringBitmap;

final class TestVisibleRows {
    private static final int ROWS = 200_000; // several containers of a bitmap
    private static final long FROM_LSN = 20;
    private static final long READ_LSN = 80;

    /** Share of deleted rows in percent: none, few, many, all. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60, 100})
    void pagesKeepWhatIsNeitherDeletedNorOutsideTheSnapshot(int percent) {
        Random random = new Random(percent);
        RoaringBitmap deleted = new RoaringBitmap();
        for (int row = 0; row < ROWS; row++) {
            if (random.nextInt(100) < percent) {
                deleted.add(row);
            }
        }
        VisibleRows byDeletion = new VisibleRows(deleted, VisibleRows.NO_CHANNEL, 0, 0);
        VisibleRows byBoth = new VisibleRows(deleted, 1, FROM_LSN, READ_LSN);
        for (int first = 0; first < ROWS; ) {
            int count = Math.min(ROWS - first, 1 + random.nextInt(9_000));
            long[] numbers = new long[count];
            long[] lsns = new long[count];
            List<Long> present = new ArrayList<>();
            List<Long> visible = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                numbers[i] = (long) first + i;
                lsns[i] = random.nextInt(100);
                if (!deleted.contains(first + i)) {
                    present.add(numbers[i]);
                    if (lsns[i] >= FROM_LSN && lsns[i] <= READ_LSN) {
                        visible.add(numbers[i]);
                    }
                }
            }
            LongArrayBlock lsnBlock = new LongArrayBlock(count, Optional.empty(), lsns);
            assertThat(select(byDeletion, numbers, lsnBlock, first)).isEqualTo(present);
            assertThat(select(byBoth, numbers, lsnBlock, first)).isEqualTo(visible);
            assertThat(select(byBoth, numbers, oneLsn(READ_LSN, count), first)).isEqualTo(present);
            assertThat(select(byBoth, numbers, oneLsn(READ_LSN + 1, count), first)).isEmpty();
            first += count;
        }
    }

    private static Block oneLsn(long lsn, int count) {
        Block value = new LongArrayBlock(1, Optional.empty(), new long[] {lsn});
        return RunLengthEncodedBlock.create(value, count);
    }

    private static List<Long> select(VisibleRows rows, long[] numbers, Block lsns, int first) {
        Block block = new LongArrayBlock(numbers.length, Optional.empty(), numbers);
        SourcePage page = rows.select(SourcePage.create(new Page(block, lsns)), first);
        List<Long> left = new ArrayList<>();
        if (page != null) {
            Block selected = page.getBlock(0);
            for (int i = 0; i < page.getPositionCount(); i++) {
                left.add(BigintType.BIGINT.getLong(selected, i));
            }
        }
        return left;
    }
}
