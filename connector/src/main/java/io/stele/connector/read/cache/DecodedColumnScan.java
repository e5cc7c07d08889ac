package io.stele.connector.read.cache;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One scan of a file through {@link DecodedColumnCache}, and its counts. Confined to one driver.
 */
public final class DecodedColumnScan {
    private final DecodedColumnCache decodedColumns;
    private final boolean isUsed;
    private final String path;
    private final List<Column> columns;
    private final ReadAccount account = ReadAccount.current().orElseGet(ReadAccount::new);
    private long hits;
    private long misses;

    /**
     * A scan in the account of the present thread.
     *
     * @param isUsed whether the scan uses the cache at all
     * @param columns the columns of the pages' first channels; later channels are not cached
     */
    public DecodedColumnScan(
            DecodedColumnCache decodedColumns, boolean isUsed, String path, List<Column> columns) {
        this.isUsed = isUsed && decodedColumns.isEnabled();
        this.decodedColumns = requireNonNull(decodedColumns, "decodedColumns is null");
        this.path = requireNonNull(path, "path is null");
        this.columns = List.copyOf(columns);
    }

    /**
     * The page, whose columns come from the cache if they are cached.
     *
     * @param page all rows of the file from {@code firstRow} on, as many as it has
     */
    public SourcePage through(SourcePage page, long firstRow) {
        checkArgument(firstRow >= 0, "firstRow must be >= 0: %s", firstRow);
        return isUsed ? new DecodedColumnsPage(page, this, firstRow) : page;
    }

    /**
     * Values of a channel.
     *
     * @param positions the rows that are wanted; null: all
     */
    Block load(SourcePage page, int channel, long firstRow, int @Nullable [] positions) {
        if (channel >= columns.size()) {
            return narrowed(page.getBlock(channel), positions);
        }
        Column column = columns.get(channel);
        DecodedColumnCache.Key key =
                new DecodedColumnCache.Key(
                        path, column.id(), column.type(), firstRow, page.getPositionCount());
        Optional<PackedBlock> hot = account.call(() -> decodedColumns.find(key));
        if (hot.isPresent()) {
            hits++;
            return positions == null
                    ? hot.get().unpack(column.filtered())
                    : hot.get().unpack(column.filtered(), positions);
        }
        misses++;
        long start = System.nanoTime();
        Block block = page.getBlock(channel);
        decodedColumns.offer(key, block, System.nanoTime() - start);
        return narrowed(block, positions);
    }

    private static Block narrowed(Block block, int @Nullable [] positions) {
        return positions == null ? block : NarrowedBlocks.select(block, positions);
    }

    /**
     * Whether a page that begins with a row finds a column of the file in the cache.
     *
     * @param id the column's index in the file
     * @param rowCount rows of the page
     */
    public boolean contains(int id, long firstRow, int rowCount) {
        return isUsed
                && columns.stream()
                        .filter(column -> column.id() == id)
                        .anyMatch(
                                column ->
                                        decodedColumns.contains(
                                                new DecodedColumnCache.Key(
                                                        path,
                                                        id,
                                                        column.type(),
                                                        firstRow,
                                                        rowCount)));
    }

    /** The metrics in EXPLAIN ANALYZE VERBOSE. */
    public Metrics metrics() {
        return new Metrics(
                Map.of(
                        "Column pages from memory", new LongCount(hits),
                        "Column pages decoded", new LongCount(misses)));
    }

    /**
     * A column of the file.
     *
     * @param id its index in the file
     * @param type the type as which it is read
     * @param filtered whether the scan filters rows by it
     */
    public record Column(int id, Type type, boolean filtered) {}
}
