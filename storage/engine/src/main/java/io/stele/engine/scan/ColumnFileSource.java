package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.scan.RowCursor.Step;
import java.io.IOException;

/** The source of a scan's rows from one column file, as a reader at one LSN sees them. */
final class ColumnFileSource implements ScanSource {
    private final ColumnFileVersions versions;
    private final long lsn;

    /**
     * @param versions must skip rows that became obsolete at or below {@code lsn}
     */
    ColumnFileSource(ColumnFileVersions versions, long lsn) {
        this.versions = requireNonNull(versions, "versions is null");
        this.lsn = lsn;
    }

    @Override
    public Step step() throws IOException {
        if (!versions.advance()) {
            return Step.END;
        }
        return versions.version().lsn() <= lsn ? Step.ROW : Step.NONE;
    }

    @Override
    public KeyedVersion version() {
        return versions.version();
    }

    @Override
    public void close() throws IOException {
        versions.close();
    }
}
