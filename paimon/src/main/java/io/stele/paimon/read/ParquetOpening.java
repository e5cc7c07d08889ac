package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * A Parquet file that a scan is opening: its footer was read, and its indexes are fetched if the
 * scan has conditions. Confined to one driver.
 */
final class ParquetOpening implements FileOpening {
    private final FileScan scan;
    private final FileMetadataCache metadata;
    private final ParquetFooter footer;
    private final LakeParquetDataSource source;

    private ParquetOpening(
            FileScan scan,
            FileMetadataCache metadata,
            ParquetFooter footer,
            LakeParquetDataSource source) {
        this.scan = requireNonNull(scan, "scan is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.footer = requireNonNull(footer, "footer is null");
        this.source = requireNonNull(source, "source is null");
    }

    static ParquetOpening of(FileScan scan, FileMetadataCache metadata) throws IOException {
        LakeParquetDataSource source = ParquetRows.source(scan);
        ParquetFooter footer =
                metadata.parquet(scan.split().path(), source, ParquetRows.options(scan));
        return new ParquetOpening(scan, metadata, footer, source);
    }

    private boolean usesIndexes() {
        return footer.indexes().isPresent() && !scan.domains().isEmpty();
    }

    @Override
    public void fetchIndexes() {
        if (usesIndexes() && scan.file().isPrefetching()) {
            ReadAhead.Range range = footer.indexes().orElseThrow();
            if (!metadata.has(scan.split().path(), range.offset())) {
                scan.file().prefetch(range.offset(), range.length());
            }
        }
    }

    @Override
    public FileRows open() throws IOException {
        if (usesIndexes()) {
            ReadAhead.Range range = footer.indexes().orElseThrow();
            source.use(
                    metadata.part(
                            scan.split().path(),
                            range.offset(),
                            ParquetIndexes.class,
                            () -> ParquetIndexes.read(scan, range)));
        }
        return ParquetRows.open(scan, footer.metadata(), source);
    }
}
