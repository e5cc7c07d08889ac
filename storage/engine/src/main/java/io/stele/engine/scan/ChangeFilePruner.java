package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.HashMap;
import java.util.Map;

/**
 * A pruner of the column files of a change scan, by partition values and column statistics.
 * Immutable.
 */
final class ChangeFilePruner {
    private final TableVersions versions;
    private final ScanPredicate predicate;
    private final ScanPredicate ofKeys;
    private final PartitionMatcher partitions;

    ChangeFilePruner(TableVersions versions, ScanPredicate predicate) {
        this.versions = requireNonNull(versions, "versions is null");
        this.predicate = requireNonNull(predicate, "predicate is null");
        TableSchema schema = versions.schema();
        // Without a key each row has an id of its own, and replaces no row
        Map<Integer, ColumnDomain> domains = new HashMap<>(predicate.domains());
        if (schema.hasPrimaryKey()) {
            domains.keySet().retainAll(schema.primaryKey());
        }
        this.ofKeys = new ScanPredicate(domains);
        this.partitions = new PartitionMatcher(schema, ofKeys);
    }

    /** Whether a row of the file, or a row that it replaced or that replaced it, may match. */
    boolean hasKeys(ColumnFile file) {
        return partitions.matches(file.entry()) && mayMatch(file, ofKeys);
    }

    /** Whether a row of the file may match. */
    boolean hasRows(ColumnFile file) {
        return mayMatch(file, predicate);
    }

    private boolean mayMatch(ColumnFile file, ScanPredicate rows) {
        return rows.mayMatch(versions.statistics(file.entry()), file.entry().rowCount());
    }
}
