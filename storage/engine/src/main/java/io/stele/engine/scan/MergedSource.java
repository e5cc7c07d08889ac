package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.VisibleVersions;
import io.stele.engine.scan.RowCursor.Step;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The source of a scan's rows from memtables, or from memtables and SST files, merged by key. */
final class MergedSource implements ScanSource {
    private final VisibleVersions versions;

    MergedSource(VisibleVersions versions) {
        this.versions = requireNonNull(versions, "versions is null");
    }

    @Override
    public Step step() throws IOException {
        try {
            if (!versions.hasNext()) {
                return Step.END;
            }
            return versions.step() ? Step.ROW : Step.NONE;
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    @Override
    public KeyedVersion version() {
        return versions.version();
    }

    @Override
    public void close() {
        // Memtables and SST files have nothing to close.
    }
}
