package io.stele.paimon.procedure;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_ARGUMENT;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.metadata.WritableTables;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.SchemaTableName;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * The frame of each procedure call: it finds the table, sets the plugin's class loader, runs the
 * work and translates failures. Thread-safe.
 */
final class ProcedureCalls {
    /** Names of tags and branches, which become parts of paths. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{N}_.\\-]*");

    private final WritableTables tables;

    ProcedureCalls(WritableTables tables) {
        this.tables = requireNonNull(tables, "tables is null");
    }

    /** The work of a procedure with its table. */
    interface Work {
        void run(SchemaTableName name, FileStoreTable table) throws Exception;
    }

    /** Runs the work with the table of these names. */
    void run(String procedure, @Nullable String schema, @Nullable String table, Work work) {
        if (schema == null || table == null || schema.isEmpty() || table.isEmpty()) {
            throw bad("Expected names of a schema and a table, found %s and %s", schema, table);
        }
        SchemaTableName name = new SchemaTableName(schema, table);
        try (ThreadContextClassLoader _ =
                new ThreadContextClassLoader(ProcedureCalls.class.getClassLoader())) {
            work.run(name, tables.find(name));
        } catch (TrinoException e) {
            throw e;
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            throw new TrinoException(
                    PAIMON_BAD_ARGUMENT,
                    "Cannot %s of %s: %s".formatted(procedure, name, e.getMessage()),
                    e);
        } catch (Exception e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot %s of %s: %s".formatted(procedure, name, e.getMessage()),
                    e);
        }
    }

    /** Notes the snapshot of a commit, which later queries of this node see. */
    void committed(FileStoreTable table, OptionalLong snapshotId) {
        tables.committed(table, snapshotId);
    }

    /** Drops this node's leases of a changed table. */
    void changed(SchemaTableName name, FileStoreTable table) {
        tables.changed(name, table);
    }

    /** The name of a tag or branch, checked. */
    static String name(String what, @Nullable String name) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw bad(
                    "Expected a name of a %s of letters, digits, '_', '-' and '.', found '%s'",
                    what, name);
        }
        return name;
    }

    /** An age such as {@code 7d}, if the text is not null. */
    static Optional<Duration> age(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(io.airlift.units.Duration.valueOf(text).toJavaTime());
        } catch (IllegalArgumentException e) {
            throw bad("Expected a retention_threshold such as 7d, found '%s'", text);
        }
    }

    static TrinoException bad(String message, @Nullable Object... arguments) {
        return new TrinoException(PAIMON_BAD_ARGUMENT, message.formatted(arguments));
    }
}
