package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileDomains;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.Stream.StreamKind;
import io.trino.spi.predicate.Domain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.types.DataTypeRoot;

/**
 * The conditions on columns by which a scan skips stripes and row groups of an ORC file, by
 * statistics and bloom filters. Immutable.
 */
final class OrcConditions {
    /** Larger sets of values are taken as ranges. */
    private static final int MAX_BLOOM_VALUES = 1_000;

    private final OrcPredicate predicate;
    private final Map<OrcColumnId, FileColumns.Stored> columns;

    private OrcConditions(OrcPredicate predicate, Map<OrcColumnId, FileColumns.Stored> columns) {
        this.predicate = requireNonNull(predicate, "predicate is null");
        this.columns = Map.copyOf(columns);
    }

    /**
     * @param read the columns of the file, in the order of the scan's stored columns
     */
    static OrcConditions of(FileScan scan, List<OrcColumn> read) {
        Map<FileColumns.Stored, Domain> domains = scan.domains();
        if (domains.isEmpty()) {
            return new OrcConditions(OrcPredicate.TRUE, Map.of());
        }
        TupleDomainOrcPredicateBuilder plain = TupleDomainOrcPredicate.builder();
        TupleDomainOrcPredicateBuilder bloom =
                TupleDomainOrcPredicate.builder()
                        .setBloomFiltersEnabled(true)
                        .setDomainCompactionThreshold(MAX_BLOOM_VALUES);
        Map<OrcColumnId, FileColumns.Stored> columns = new HashMap<>();
        domains.forEach(
                (stored, domain) -> {
                    OrcColumn column = read.get(scan.columns().stored().indexOf(stored));
                    columns.put(column.getColumnId(), stored);
                    // In bloom filters, trino-orc looks for timestamps in a wrong unit
                    boolean hasBloom = FileDomains.hasOrcBloomFilter(stored.file().type());
                    (hasBloom ? bloom : plain).addColumn(column.getColumnId(), domain);
                });
        OrcPredicate first = plain.build();
        OrcPredicate second = bloom.build();
        return new OrcConditions(
                (rows, statistics) ->
                        first.matches(rows, statistics) && second.matches(rows, statistics),
                columns);
    }

    OrcPredicate predicate() {
        return predicate;
    }

    boolean isEmpty() {
        return columns.isEmpty();
    }

    boolean has(OrcColumnId column) {
        return columns.containsKey(column);
    }

    /** Whether a stream of a column is a bloom filter in which its values are looked up. */
    boolean usesBloomFilter(OrcColumnId column, StreamKind kind) {
        FileColumns.Stored stored = columns.get(column);
        if (stored == null || !FileDomains.hasOrcBloomFilter(stored.file().type())) {
            return false;
        }
        return switch (kind) {
            case BLOOM_FILTER_UTF8 -> true;
            // For text, this kind has hashes in the writer's character set
            case BLOOM_FILTER -> !stored.file().type().is(DataTypeRoot.VARCHAR);
            default -> false;
        };
    }
}
