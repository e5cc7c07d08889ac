package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.VisibleVersions;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Rows of memtables, or of memtables and row files, that are merged by key. */
final class MergedSource implements ScanSource {
    private final VisibleVersions versions;
    private @Nullable KeyedVersion current;

    MergedSource(VisibleVersions versions) {
        this.versions = requireNonNull(versions, "versions is null");
    }

    @Override
    public boolean advance() throws IOException {
        try {
            current = versions.advance() ? versions.version() : null;
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return current != null;
    }

    @Override
    public KeyedVersion version() {
        return requireNonNull(current, "no row");
    }

    @Override
    public void close() {
        // Memtables and row files have nothing to close.
    }
}
