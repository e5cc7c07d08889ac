package io.stele.connector.read.prune;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.columnfile.index.BitmapIndexReader;
import io.stele.columnfile.index.BlockCache;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.type.ScanPredicates;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.Optional;
import org.roaringbitmap.RoaringBitmap;

/**
 * A reader, on a worker, of the bitmap indexes of column files, with a cache of their blocks in
 * memory. Thread-safe.
 */
public final class FileBitmapIndexes {
    /**
     * Enough for the bitmaps of the values that dashboards query; other bitmaps take a read of some
     * kilobytes.
     */
    private static final long CACHE_BYTES = 32L << 20;

    private final ObjectStore warehouse;
    private final BlockCache blocks =
            new BlockCache("bitmap-indexes", CACHE_BYTES, System::nanoTime);

    @Inject
    public FileBitmapIndexes(ObjectStore warehouse) {
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
    }

    /**
     * Ordinals of the rows of a split's file that may satisfy a constraint, which is not NONE;
     * empty if the file has no index for it.
     */
    public Optional<RoaringBitmap> select(
            TableSchema table, SteleFileSplit split, TupleDomain<SteleColumnHandle> constraint)
            throws IOException {
        if (split.bitmapIndexBytes().isEmpty()
                || constraint.isAll()
                || table.options().bitmapColumns().isEmpty()) {
            return Optional.empty();
        }
        ScanPredicate predicate =
                ScanPredicates.of(
                        table,
                        constraint.filter(
                                (column, _) ->
                                        table.options().bitmapColumns().contains(column.id())));
        if (predicate.domains().isEmpty()) {
            return Optional.empty();
        }
        return BitmapIndexReader.open(
                        warehouse,
                        WrittenFile.bitmapIndexPath(split.path()),
                        split.bitmapIndexBytes().getAsLong(),
                        blocks)
                .select(predicate, table);
    }
}
