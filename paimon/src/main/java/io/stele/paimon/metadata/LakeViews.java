package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.paimon.lease.DelayedTasks;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.lease.Leases;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.ConnectorViewDefinition.ViewColumn;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.paimon.types.DataField;
import org.apache.paimon.view.View;

/**
 * The views of a metastore that has views, as Trino runs them: with the query that the view has for
 * the dialect {@code trino}, or else its own. Trino asks for a view of each name in a query, so
 * that names without a view are cached as well. Thread-safe.
 */
final class LakeViews implements AutoCloseable {
    private static final Logger log = Logger.get(LakeViews.class);
    private static final String DIALECT = "trino";

    private final TableNames names;
    private final String trinoCatalog;
    private final boolean hasViews;
    private final Leases<SchemaTableName, SchemaTableName, Optional<View>> leases;

    /**
     * @param trinoCatalog in which the queries of views find tables
     * @param hasViews whether the metastore has views; otherwise none is asked for
     */
    LakeViews(
            TableNames names,
            String trinoCatalog,
            boolean hasViews,
            LeaseOptions options,
            DelayedTasks timer,
            Executor executor,
            LongSupplier nanoTime) {
        this.names = requireNonNull(names, "names is null");
        this.trinoCatalog = requireNonNull(trinoCatalog, "trinoCatalog is null");
        this.hasViews = hasViews;
        this.leases =
                new Leases<>(
                        options,
                        (name, before) -> names.findView(name),
                        view -> true,
                        timer,
                        executor,
                        nanoTime);
    }

    @Override
    public void close() {
        leases.close();
    }

    /** Whether the metastore has views. */
    boolean hasViews() {
        return hasViews;
    }

    /** The names of the views of a schema. */
    List<SchemaTableName> list(String schema) {
        return names.views(schema).stream().map(view -> new SchemaTableName(schema, view)).toList();
    }

    /** A view as it was not longer ago than {@code maxStaleness}, if it exists. */
    Optional<ConnectorViewDefinition> find(SchemaTableName name, Duration maxStaleness) {
        if (!hasViews || name.getTableName().indexOf('$') >= 0) {
            return Optional.empty();
        }
        try {
            return leases.find(name, name, maxStaleness).flatMap(view -> definition(name, view));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // No check throws it
        }
    }

    private Optional<ConnectorViewDefinition> definition(SchemaTableName name, View view) {
        List<ViewColumn> columns = new ArrayList<>();
        for (DataField field : view.rowType().getFields()) {
            Optional<Type> type = PaimonTypes.find(field.type());
            if (type.isEmpty()) {
                log.warn("View %s has a column of type %s and is left out", name, field.type());
                return Optional.empty();
            }
            columns.add(
                    new ViewColumn(
                            field.name().toLowerCase(Locale.ROOT),
                            type.get().getTypeId(),
                            Optional.ofNullable(field.description())));
        }
        return Optional.of(
                new ConnectorViewDefinition(
                        view.query(DIALECT),
                        Optional.of(trinoCatalog),
                        Optional.of(name.getSchemaName()),
                        columns,
                        view.comment().filter(comment -> !comment.isEmpty()),
                        Optional.empty(),
                        true,
                        List.of()));
    }

    /** The number of queries that waited for a check. */
    long waitCount() {
        return leases.waitCount();
    }
}
