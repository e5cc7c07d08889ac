package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ListMultimap;
import io.stele.objectstore.ObjectReader;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.AbstractParquetDataSource;
import io.trino.parquet.ChunkReader;
import io.trino.parquet.DiskRange;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetReaderOptions;
import java.io.IOException;

/**
 * The data source of one Parquet file for trino-parquet, which fetches a scan's ranges together and
 * ahead, and takes indexes from the cache. Confined to one driver.
 */
final class LakeParquetDataSource extends AbstractParquetDataSource {
    private final ObjectReader file;
    private final ReadAhead ahead;
    private ParquetIndexes indexes = ParquetIndexes.NONE;

    LakeParquetDataSource(
            String location, long sizeBytes, ObjectReader file, ParquetReaderOptions options) {
        super(new ParquetDataSourceId(location), sizeBytes, options);
        this.file = requireNonNull(file, "file is null");
        this.ahead = new ReadAhead(file);
    }

    /** Serves reads of these bytes from memory from now on. */
    void use(ParquetIndexes found) {
        indexes = requireNonNull(found, "found is null");
    }

    @Override
    public <K> ListMultimap<K, ChunkReader> planChunksRead(
            ListMultimap<K, DiskRange> ranges, AggregatedMemoryContext memory) {
        ahead.plan(
                ranges.values().stream()
                        .filter(range -> !indexes.has(range.offset(), range.length()))
                        .map(range -> new ReadAhead.Range(range.offset(), range.length()))
                        .toList());
        return super.planChunksRead(ranges, memory);
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException {
        if (indexes.has(position, bufferLength)) {
            indexes.copy(position, buffer, bufferOffset, bufferLength);
            return;
        }
        ahead.advance(position);
        file.read(position, buffer, bufferOffset, bufferLength);
    }
}
