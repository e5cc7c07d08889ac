package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * A recorder that copies the rows of a scan, up to a limit of bytes, into dense pages for the
 * filtered-rows cache. Confined to one driver.
 */
final class FilteredRowsRecorder {
    /** As in the reader: the code that processes pages is made for this size. */
    private static final int PAGE_ROWS = 8 * 1024;

    private final List<Type> types;
    private final long maxBytes;
    private final PageBuilder builder;
    private final List<Page> pages = new ArrayList<>();
    private long bytes; // of the pages
    private long rows;

    FilteredRowsRecorder(List<Type> types, long maxBytes) {
        this.types = List.copyOf(requireNonNull(types, "types is null"));
        this.maxBytes = maxBytes;
        this.builder = new PageBuilder(types);
    }

    /**
     * Adds the rows of a page, and thereby loads all of its columns.
     *
     * @return false if the limit is exceeded; no more rows may then be added
     */
    boolean add(SourcePage page) {
        int count = page.getPositionCount();
        rows += count;
        for (int channel = 0; channel < types.size(); channel++) {
            Block block = page.getBlock(channel);
            builder.getBlockBuilder(channel).appendBlockRange(block, 0, count);
        }
        builder.declarePositions(count);
        if (builder.getPositionCount() >= PAGE_ROWS || builder.isFull()) {
            endPage();
        }
        return bytes + builder.getSizeInBytes() <= maxBytes;
    }

    private void endPage() {
        if (builder.isEmpty()) {
            return;
        }
        Page built = builder.build();
        builder.reset();
        Block[] blocks = new Block[types.size()];
        for (int channel = 0; channel < blocks.length; channel++) {
            // Copied to its exact size, because the arrays of a builder are larger
            blocks[channel] = built.getBlock(channel).copyRegion(0, built.getPositionCount());
        }
        Page page = new Page(built.getPositionCount(), blocks);
        pages.add(page);
        bytes += page.getRetainedSizeInBytes();
    }

    /** The number of rows so far. */
    long rows() {
        return rows;
    }

    /** The number of bytes so far. */
    long bytes() {
        return bytes + builder.getSizeInBytes();
    }

    /** Returns the added rows; called once. */
    FilteredRows finish() {
        endPage();
        return new FilteredRows(pages, bytes);
    }
}
