package io.stele.connector.read.opening;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.read.page.ScaledDoubles;
import io.stele.connector.read.page.WantedFields;
import io.stele.connector.type.OrcTypes;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimestampType;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;

/**
 * The constraint of a scan as a predicate on the statistics of a file, its stripes and its row
 * groups. Confined to one thread.
 */
final class FilePredicate {
    private final TableSchema table;
    private final OpenedFile file;

    FilePredicate(TableSchema table, OpenedFile file) {
        this.table = requireNonNull(table, "table is null");
        this.file = requireNonNull(file, "file is null");
    }

    OrcPredicate of(TupleDomain<SteleColumnHandle> constraint) {
        if (constraint.isAll()) {
            return OrcPredicate.TRUE;
        }
        TupleDomainOrcPredicateBuilder builder = TupleDomainOrcPredicate.builder();
        constraint
                .getDomains()
                .orElseThrow()
                .forEach(
                        (column, domain) ->
                                file.column(column.id())
                                        .ifPresent(
                                                fileColumn ->
                                                        addDomain(
                                                                builder,
                                                                column,
                                                                fileColumn,
                                                                domain)));
        return builder.build();
    }

    /**
     * Adds the domain of a column, if the file's statistics are of values in their present form.
     */
    private void addDomain(
            TupleDomainOrcPredicateBuilder builder,
            SteleColumnHandle column,
            OrcColumn fileColumn,
            Domain domain) {
        ColumnSchema then = file.written(column.id(), fileColumn);
        Optional<OrcColumn> found = WantedFields.find(fileColumn, then, column.path());
        Optional<DataType> stored = ScanPredicates.stored(table, column);
        if (found.isEmpty() || stored.isEmpty()) {
            return;
        }
        boolean isAlike =
                IdentifiedType.of(then)
                        .at(column.path())
                        .filter(type -> isAlike(type.type(), stored.get()))
                        .isPresent();
        if (isAlike) {
            OrcTypes.fileDomain(stored.get(), column.type(), domain)
                    .ifPresent(
                            fileDomain -> builder.addColumn(found.get().getColumnId(), fileDomain));
            Optional<ScaledDoubles> scaled = file.scaled(column.id());
            if (scaled.isPresent() && !column.isField()) {
                // Row groups have statistics only of the columns that are read
                ScaledDoubles doubles = scaled.get();
                builder.addColumn(doubles.column().getColumnId(), doubles.domain(domain));
            }
        }
    }

    private static boolean isAlike(DataType written, DataType present) {
        boolean isTimestamp = present instanceof TimestampType;
        return written.kind() == present.kind()
                && (!isTimestamp || written.form() == present.form());
    }
}
