package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.reader.MetadataReader;
import java.io.IOException;
import java.util.Optional;

/** The footer of a Parquet file. */
record ParquetFooter(ParquetMetadata metadata, long retainedBytes) implements FileMetadata {
    /** Objects in memory, compared with what they were decoded from; by their layout. */
    private static final long EXPANSION = 8;

    ParquetFooter {
        requireNonNull(metadata, "metadata is null");
    }

    static ParquetFooter read(ParquetDataSource source, ParquetReaderOptions options)
            throws IOException {
        Slice bytes = MetadataReader.readFooterBytes(source, options);
        return new ParquetFooter(
                MetadataReader.parseFooter(
                        source.getId(),
                        source.getEstimatedSize(),
                        bytes,
                        Optional.empty(),
                        Optional.empty()),
                1024 + EXPANSION * bytes.length());
    }
}
