package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.format.RowFileReader;
import io.stele.storage.manifest.FileEntry;

/** A row file of a table and its open reader. Immutable. */
public record RowFile(FileEntry entry, RowFileReader reader) {
    public RowFile {
        requireNonNull(entry, "entry is null");
        requireNonNull(reader, "reader is null");
    }
}
