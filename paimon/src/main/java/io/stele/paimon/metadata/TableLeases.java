package io.stele.paimon.metadata;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.lease.DelayedTasks;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.lease.Leases;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the definitions of tables in use, which background checks keep fresh, so that queries
 * that accept bounded staleness send no request. Other clients alter, drop and rename tables at any
 * time.
 *
 * <p>Invariant: a table that {@link #find} returns had this schema at a moment not longer ago than
 * the staleness asked for. Invariant: a failed check prolongs nothing. Thread-safe.
 */
final class TableLeases implements AutoCloseable {
    private final TableNames names;
    private final boolean schemasAreFiles;
    private final Leases<SchemaTableName, SchemaTableName, Optional<Table>> leases;

    /**
     * @param schemasAreFiles whether the newest schema file of a table is its schema, as with a
     *     metastore that is the file system; otherwise a check requests the table from the
     *     metastore
     * @param executor does the checks, which block
     */
    TableLeases(
            TableNames names,
            boolean schemasAreFiles,
            LeaseOptions options,
            DelayedTasks timer,
            Executor executor,
            LongSupplier nanoTime) {
        this.names = requireNonNull(names, "names is null");
        this.schemasAreFiles = schemasAreFiles;
        this.leases =
                new Leases<>(
                        options,
                        this::check,
                        table -> table.isPresent() && table.get() instanceof FileStoreTable,
                        timer,
                        executor,
                        nanoTime);
    }

    @Override
    public void close() {
        leases.close();
    }

    /**
     * A table as it was not longer ago than {@code maxStaleness}, if it exists. Only tables with
     * files of Paimon are cached.
     *
     * @param maxStaleness zero: as it is now
     */
    Optional<Table> find(SchemaTableName name, Duration maxStaleness) {
        try {
            return leases.find(name, name, maxStaleness);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // No check throws it
        }
    }

    /**
     * Drops the leases of a table that this node has changed and of its branches, so that later
     * queries see the change.
     */
    void forget(SchemaTableName name) {
        leases.forget(
                other ->
                        other.equals(name)
                                || other.getSchemaName().equals(name.getSchemaName())
                                        && other.getTableName()
                                                .startsWith(name.getTableName() + "$"));
    }

    /** Drops the leases of all tables of a schema that this node has created or dropped. */
    void forgetSchema(String schema) {
        leases.forget(name -> name.getSchemaName().equals(schema));
    }

    /** The number of queries that waited for a check. */
    long waitCount() {
        return leases.waitCount();
    }

    private Optional<Table> check(SchemaTableName name, @Nullable Optional<Table> before) {
        if (schemasAreFiles
                && before != null
                && before.isPresent()
                && before.get() instanceof FileStoreTable table
                && hasSameSchema(table)) {
            return before;
        }
        return names.find(name);
    }

    /**
     * Whether the next schema file is absent and the file of this schema is unchanged, by two
     * requests.
     */
    private static boolean hasSameSchema(FileStoreTable table) {
        TableSchema schema = table.schema();
        try {
            if (table.schemaManager().schemaExists(schema.id() + 1)) {
                return false;
            }
            return SchemaManager.tryFromPath(
                                    table.fileIO(), table.schemaManager().toSchemaPath(schema.id()))
                            .timeMillis()
                    == schema.timeMillis();
        } catch (FileNotFoundException e) {
            return false;
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the schema of %s: %s".formatted(table.location(), e.getMessage()),
                    e);
        }
    }
}
