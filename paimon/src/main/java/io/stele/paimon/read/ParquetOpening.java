package io.stele.paimon.read;

import java.io.IOException;

final class ParquetOpening implements FileOpening {
    private final FileScan scan;
    private final FileMetadataCache metadata;

    private ParquetOpening(FileScan scan, FileMetadataCache metadata) {
        this.scan = scan;
        this.metadata = metadata;
    }

    static ParquetOpening of(FileScan scan, FileMetadataCache metadata) {
        return new ParquetOpening(scan, metadata);
    }

    @Override
    public void fetchIndexes() {}

    @Override
    public FileRows open() throws IOException {
        return ParquetRows.open(scan, metadata);
    }
}
