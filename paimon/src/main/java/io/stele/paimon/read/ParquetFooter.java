package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.metadata.BlockMetadata;
import io.trino.parquet.metadata.ColumnChunkMetadata;
import io.trino.parquet.metadata.IndexReference;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.reader.MetadataReader;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decoded footer of a Parquet file with the place of its indexes, shared by scans through the
 * cache.
 *
 * @param indexes the range between row groups and footer that has the bloom filters and page
 *     indexes; empty: there are none, or they are too large to cache
 */
record ParquetFooter(
        ParquetMetadata metadata, Optional<ReadAhead.Range> indexes, long retainedBytes)
        implements FileMetadata {
    /** The size of decoded objects as a multiple of the encoded bytes, by the objects' layout. */
    private static final long EXPANSION = 8;

    /** The size of the page indexes of a file of a gigabyte. */
    private static final long MAX_INDEX_BYTES = 1 << 20;

    ParquetFooter {
        requireNonNull(metadata, "metadata is null");
        requireNonNull(indexes, "indexes is null");
    }

    static ParquetFooter read(ParquetDataSource source, ParquetReaderOptions options)
            throws IOException {
        Slice bytes = MetadataReader.readFooterBytes(source, options);
        ParquetMetadata metadata =
                MetadataReader.parseFooter(
                        source.getId(),
                        source.getEstimatedSize(),
                        bytes,
                        Optional.empty(),
                        Optional.empty());
        long footerStart = source.getEstimatedSize() - bytes.length();
        return new ParquetFooter(
                metadata, indexes(metadata, footerStart), 1024 + EXPANSION * bytes.length());
    }

    private static Optional<ReadAhead.Range> indexes(ParquetMetadata metadata, long footerStart)
            throws IOException {
        long start = footerStart;
        for (BlockMetadata block : metadata.getBlocks()) {
            for (ColumnChunkMetadata column : block.columns()) {
                start = Math.min(start, offset(column.getColumnIndexReference(), start));
                start = Math.min(start, offset(column.getOffsetIndexReference(), start));
                long bloomFilter = column.getBloomFilterOffset();
                // Some writers place bloom filters between row groups
                boolean isAtEnd = bloomFilter > 0 && footerStart - bloomFilter <= MAX_INDEX_BYTES;
                start = isAtEnd ? Math.min(start, bloomFilter) : start;
            }
        }
        long length = footerStart - start;
        return length > 0 && length <= MAX_INDEX_BYTES
                ? Optional.of(new ReadAhead.Range(start, length))
                : Optional.empty();
    }

    private static long offset(@Nullable IndexReference reference, long otherwise) {
        return reference == null ? otherwise : reference.getOffset();
    }
}
