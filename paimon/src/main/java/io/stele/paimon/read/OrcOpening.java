package io.stele.paimon.read;

import java.io.IOException;

final class OrcOpening implements FileOpening {
    private final FileScan scan;
    private final FileMetadataCache metadata;

    private OrcOpening(FileScan scan, FileMetadataCache metadata) {
        this.scan = scan;
        this.metadata = metadata;
    }

    static OrcOpening of(FileScan scan, FileMetadataCache metadata) {
        return new OrcOpening(scan, metadata);
    }

    @Override
    public void fetchIndexes() {}

    @Override
    public FileRows open() throws IOException {
        return OrcRows.open(scan, metadata);
    }
}
