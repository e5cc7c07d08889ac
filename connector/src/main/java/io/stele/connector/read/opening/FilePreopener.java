package io.stele.connector.read.opening;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.affinity.PreferredWorkers;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.sidecar.CacheUse;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;

/**
 * An asynchronous prefetcher of file metadata for planned splits, if the node that plans them will
 * probably also read them. Trino takes tens of milliseconds from planning to the first page
 * sources, and longer to page sources for which its drivers are not free yet. Thread-safe.
 */
public final class FilePreopener {
    /**
     * Splits of each scan to open ahead. A planned split may never be read, so the number is small.
     */
    static final int MAX_SPLITS = 16;

    private final FilePageSources files;
    private final PreferredWorkers preferredWorkers;

    @Inject
    public FilePreopener(FilePageSources files, PreferredWorkers preferredWorkers) {
        this.files = requireNonNull(files, "files is null");
        this.preferredWorkers = requireNonNull(preferredWorkers, "preferredWorkers is null");
    }

    /**
     * Starts to open the first files whose metadata is not cached yet; does not wait, and never
     * fails.
     *
     * @param constraint the constraint of the scan; stripes without matching rows are left out
     */
    public void open(
            ConnectorSession session,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            List<ConnectorSplit> splits) {
        if (!SteleSessionProperties.isDataCacheEnabled(session)
                || !SteleSessionProperties.isFooterCacheEnabled(session)
                || SplitLimits.ofFile(table).isPresent()) {
            return;
        }
        files.reading(table.table());
        ScanCaches use = new ScanCaches(CacheUse.FILL, true, false);
        readHereFirst(splits)
                .forEach(
                        split ->
                                files.openAhead(
                                        session.getQueryId(), table, split, constraint, use));
    }

    List<SteleFileSplit> readHereFirst(List<ConnectorSplit> splits) {
        return splits.stream()
                .filter(SteleFileSplit.class::isInstance)
                .map(SteleFileSplit.class::cast)
                .filter(split -> preferredWorkers.isReadHere(split.preferredWorker()))
                .limit(MAX_SPLITS)
                .toList();
    }
}
