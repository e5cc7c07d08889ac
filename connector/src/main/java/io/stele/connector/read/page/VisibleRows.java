package io.stele.connector.read.page;

import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.BigintType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * A filter of a file's pages that leaves out the rows that the scan's snapshot does not contain:
 * rows deleted at or before it, rows written after it, and rows that had expired by then. Does
 * nothing, and costs nothing, for a file that is wholly visible. Confined to one driver.
 */
public final class VisibleRows {
    /** The channel if no column of the source has the rows' LSNs. */
    public static final int NO_CHANNEL = -1;

    private final @Nullable RoaringBitmap deletedRows;
    private final int lsnChannel;
    private final long fromLsn;
    private final long readLsn;
    private int[] positions = new int[0];

    /**
     * @param lsnChannel the source's channel with the rows' LSNs, or {@link #NO_CHANNEL} where all
     *     are visible
     * @param fromLsn rows with a lower LSN have expired
     * @param readLsn the snapshot LSN; rows with a higher LSN were written later
     */
    public VisibleRows(
            @Nullable RoaringBitmap deletedRows, int lsnChannel, long fromLsn, long readLsn) {
        this.deletedRows = deletedRows;
        this.lsnChannel = lsnChannel;
        this.fromLsn = fromLsn;
        this.readLsn = readLsn;
    }

    /**
     * Narrows the page to its visible rows.
     *
     * @param filePosition row number in the file of the page's first row
     * @return the page, or null when nothing is left
     */
    public @Nullable SourcePage select(SourcePage page, long filePosition) {
        int count = page.getPositionCount();
        boolean checkDeleted =
                deletedRows != null && deletedRows.intersects(filePosition, filePosition + count);
        if (!checkDeleted && lsnChannel == NO_CHANNEL) {
            return page;
        }
        int selected = select(page, checkDeleted ? deletedRows : null, (int) filePosition, count);
        if (selected == count) {
            return page;
        }
        if (selected == 0) {
            return null;
        }
        // The page retains the array
        page.selectPositions(Arrays.copyOf(positions, selected), 0, selected);
        return page;
    }

    private int select(SourcePage page, @Nullable RoaringBitmap deleted, int first, int count) {
        if (positions.length < count) {
            positions = new int[count];
        }
        Block lsns = lsnChannel == NO_CHANNEL ? null : page.getBlock(lsnChannel);
        if (lsns instanceof RunLengthEncodedBlock run) {
            if (!isVisible(lsn(run.getValue(), 0))) {
                return 0;
            }
            lsns = null;
        }
        // A search in the bitmap for each row would cost more than the rest of a narrow scan
        PeekableIntIterator rest = deleted == null ? null : deleted.getIntIterator();
        if (rest != null) {
            rest.advanceIfNeeded(first);
        }
        int nextDeleted = next(rest, first);
        int selected = 0;
        for (int position = 0; position < count; position++) {
            if (position == nextDeleted) {
                nextDeleted = next(rest, first);
                continue;
            }
            positions[selected] = position;
            selected += lsns == null || isVisible(lsn(lsns, position)) ? 1 : 0;
        }
        return selected;
    }

    /** The next deleted row's position in the page that begins with row {@code first}. */
    private static int next(@Nullable PeekableIntIterator deleted, int first) {
        return deleted == null || !deleted.hasNext() ? Integer.MAX_VALUE : deleted.next() - first;
    }

    private boolean isVisible(long lsn) {
        return lsn >= fromLsn && lsn <= readLsn;
    }

    private static long lsn(Block block, int position) {
        return block instanceof LongArrayBlock longs
                ? longs.getLong(position)
                : BigintType.BIGINT.getLong(block, position);
    }
}
